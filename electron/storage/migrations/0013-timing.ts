/**
 * Where and how long rollouts and their tool calls ran, as logged.
 *
 *   timing_row  one row per rollout of which anything of it is logged. A rollout with a start and without a row was
 *               read before this was kept: what its log says of workers is known once the log is read again
 */
export const version = 13;

export const sql = `
CREATE TABLE timing_row (
  rollout_id  INTEGER PRIMARY KEY REFERENCES rollout_row,
  duration_ms REAL,                      -- logged as such; start and end are the rollout's
  worker      TEXT,
  gpu         TEXT,
  kv_cache    TEXT                       -- JSON: a share, samples, or pairs of time and sample
) STRICT;

ALTER TABLE tool_call_row ADD COLUMN is_latency_logged INTEGER;  -- 1: logged; 0: the response says it; NULL: unknown
ALTER TABLE tool_call_row ADD COLUMN queue_ms REAL;
ALTER TABLE tool_call_row ADD COLUMN worker TEXT;
ALTER TABLE tool_call_row ADD COLUMN started_at REAL;            -- seconds since 1970
`;
