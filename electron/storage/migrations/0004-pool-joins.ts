/**
 * A log of the whole pool and a log of the kept rollouts as one: verl dumps of a run with RoC
 * hold only what was kept, traces of the same run hold everything and no decision.
 *
 *   pool_join_row   which run lists the kept rollouts of which: the user's own, never touched by ingest
 *   pool_match_row  what a join wrote into the pool's rollouts, so that it can be taken back
 */
export const version = 4;

export const sql = `
CREATE TABLE pool_join_row (
  pool_key TEXT NOT NULL,                -- run_key of the run with every rollout
  kept_key TEXT NOT NULL,                -- run_key of the run with the kept ones
  PRIMARY KEY (pool_key, kept_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE pool_match_row (
  rollout_id INTEGER PRIMARY KEY REFERENCES rollout_row,
  kept_key   TEXT NOT NULL,
  kept_id    INTEGER,                    -- the rollout of the other log; NULL: not listed there, so discarded
  filled     TEXT NOT NULL               -- columns of rollout_row that were NULL and are from the join
) STRICT;
`;
