/**
 * Files of metrics name no run: which runs they speak of is told by where they lie.
 *
 *   metric_run_row  worked out anew after each ingest (`metricRuns.ts`)
 */
export const version = 12;

export const sql = `
CREATE TABLE metric_run_row (
  run_id    INTEGER NOT NULL REFERENCES run_row,
  logged_id TEXT NOT NULL,               -- of the file's rows in metric_row
  rank      INTEGER NOT NULL,            -- where two files say the same of a step, the one of the higher rank counts
  PRIMARY KEY (run_id, logged_id)
) STRICT, WITHOUT ROWID;
`;
