/**
 * The statements of ingest, prepared once per connection. No decisions here: what belongs
 * together and in which order is `libraryWriter.ts`.
 */
import { NarrowRows } from './narrowRows.ts';
import type { WritableLibrary } from './open.ts';

/** As much of a prepared statement as ingest uses. */
export interface Statement<P extends unknown[]> {
  run(...params: P): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...params: P): unknown;
  all(...params: P): unknown[];
}

const AGGREGATES = `
  count(*), coalesce(sum(is_correct), 0), count(is_correct), coalesce(sum(reward), 0), count(reward),
  count(kept), coalesce(sum(kept), 0), sum(tool_calls), sum(tool_errors), sum(tool_calls = 0),
  coalesce(sum(stop_reason_source = 'logged'), 0), coalesce(sum(stop_reason = 'length' AND stop_reason_source = 'logged'), 0),
  sum(turns), sum(response_chars),
  coalesce(sum(policy_tokens), 0), count(policy_tokens),
  coalesce(sum(mean_entropy * entropy_tokens), 0), coalesce(sum(entropy_tokens), 0)`;

export function prepareIngest(db: WritableLibrary) {
  const prepare = <P extends unknown[]>(sql: string): Statement<P> => db.prepare<P>(sql);
  /** First column of the first row. */
  const pluck = <P extends unknown[]>(sql: string): Statement<P> => db.prepare<P>(sql).pluck();
  return {
    fileByPath: prepare<[string]>('SELECT * FROM file_row WHERE path = ?'),
    filesByHead: prepare<[string, number]>('SELECT * FROM file_row WHERE head_hash = ? AND head_bytes = ?'),
    moveFile: prepare<[string, number]>('UPDATE file_row SET path = ? WHERE file_id = ?'),
    addFile: prepare<[Record<string, unknown>]>(`INSERT INTO file_row
      (path, format, container, unit, status, bytes, mtime_ms, inode, head_hash, head_bytes, offset_bytes, lines)
      VALUES (:path, :format, :container, :unit, :status, :bytes, :mtimeMs, :inode, :headHash, :headBytes, 0, 0)
      ON CONFLICT (path) DO NOTHING`),
    updateFile: prepare<[Record<string, unknown>]>(`UPDATE file_row SET
      format = :format, container = :container, unit = :unit, status = :status, bytes = :bytes, mtime_ms = :mtimeMs, inode = :inode,
      head_hash = :headHash, head_bytes = :headBytes WHERE file_id = :fileId`),
    moveFileOffset: prepare<[number, number, number, number]>(
      'UPDATE file_row SET offset_bytes = ?, lines = ?, masked = masked + ? WHERE file_id = ?',
    ),
    fileOffset: pluck<[number]>('SELECT offset_bytes FROM file_row WHERE file_id = ?'),
    runKeyOfFile: pluck<[number]>(
      'SELECT n.run_key FROM rollout_row r JOIN run_row n USING (run_id) WHERE r.file_id = ? LIMIT 1',
    ),
    rewindFile: prepare<[number]>(
      "UPDATE file_row SET offset_bytes = 0, lines = 0, masked = 0, status = 'partial' WHERE file_id = ?",
    ),

    pathOfFile: pluck<[number]>('SELECT path FROM file_row WHERE file_id = ?'),
    /** Runs whose files now belong to another. */
    dropEmptyRuns: prepare<[]>(
      'DELETE FROM run_row WHERE run_id NOT IN (SELECT run_id FROM rollout_row) AND run_id NOT IN (SELECT run_id FROM run_file_row)',
    ),
    maskedOf: pluck<[number]>('SELECT masked FROM file_row WHERE file_id = ?'),
    countJoined: pluck<[number]>('SELECT count(*) FROM join_row WHERE file_id = ?'),
    countWaiting: pluck<[number]>('SELECT count(*) FROM pending_row WHERE file_id = ?'),

    addIssue: prepare<[number, number | null, string, string, string]>(
      'INSERT INTO issue_row (file_id, line, severity, code, message) VALUES (?, ?, ?, ?, ?)',
    ),
    dropIssues: prepare<[number]>('DELETE FROM issue_row WHERE file_id = ?'),
    dropIssuesWithCode: prepare<[number, string]>('DELETE FROM issue_row WHERE file_id = ? AND code = ?'),

    runByKey: prepare<[string]>(
      'SELECT run_id, run_key, scope, directory, has_binary_rewards FROM run_row WHERE run_key = ?',
    ),
    runByDirectory: prepare<[string, string, string, number]>(
      `SELECT run_id, run_key, scope, directory, has_binary_rewards FROM run_row
       WHERE directory = ? AND kind = ? AND format = ? AND has_steps = ? AND key_source = 'derived'`,
    ),
    runName: pluck<[string]>('SELECT name FROM run_name_row WHERE directory = ?'),
    groupRule: prepare<[string]>('SELECT rule, size FROM group_rule_row WHERE run_key = ?'),
    addRun: prepare<[Record<string, unknown>]>(`INSERT INTO run_row
      (run_key, key_source, logged_id, scope, name, kind, format, directory, home, has_steps)
      VALUES (:runKey, :keySource, :loggedId, :scope, :name, :kind, :format, :directory, :home, :hasSteps)`),
    addRunFile: prepare<[number, number]>('INSERT OR IGNORE INTO run_file_row VALUES (?, ?)'),
    runsOfScope: prepare<[string]>('SELECT run_id FROM run_row WHERE scope = ?'),
    runConfig: pluck<[string]>('SELECT config FROM run_config_row WHERE logged_id = ?'),
    setRunConfig: prepare<[string, string]>('INSERT OR REPLACE INTO run_config_row VALUES (?, ?)'),
    moveRuns: prepare<[{ to: string; from: string; home: string }]>(`UPDATE run_row SET
      directory = :to, home = :home, scope = iif(scope = 'directory:' || :from, 'directory:' || :to, scope) WHERE directory = :from`),
    addStage: prepare<[string, number, string, string, number]>(
      'INSERT OR REPLACE INTO stage_row (logged_id, from_step, name, changes, file_id) VALUES (?, ?, ?, ?, ?)',
    ),
    addMetric: prepare<[string, number, string, number, number]>(
      'INSERT OR REPLACE INTO metric_row (logged_id, step, name, value, file_id) VALUES (?, ?, ?, ?, ?)',
    ),
    forgetBinaryRewards: prepare<[number]>('UPDATE run_row SET has_binary_rewards = 0 WHERE run_id = ?'),
    forgetDerivedCorrectness: prepare<[number]>(
      'UPDATE rollout_row SET is_correct = NULL WHERE run_id = ? AND logged_correct IS NULL AND is_correct IS NOT NULL',
    ),

    promptByHash: prepare<[string]>('SELECT prompt_id, segments FROM prompt_row WHERE prompt_hash = ?'),
    addPrompt: prepare<[string, number, Uint8Array, number, string, string]>(
      'INSERT INTO prompt_row (prompt_hash, codec, text, segments, preview, question_hash) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    addPromptSegment: prepare<[number, number, number, number, number, number, number]>(
      'INSERT INTO prompt_segment_row VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    problemById: pluck<[string, number, string | null]>(
      'SELECT problem_no FROM problem_row WHERE problem_id = ? AND prompt_id = ? AND ground_truth IS ?',
    ),
    addProblem: prepare<[string, number, string | null, string | null]>(
      'INSERT INTO problem_row (problem_id, prompt_id, ground_truth, source) VALUES (?, ?, ?, ?)',
    ),
    groupByKey: prepare<[number, number, string]>(
      'SELECT group_id, problem_no, rollouts FROM group_row WHERE run_id = ? AND step = ? AND group_key = ?',
    ),
    addGroup: prepare<[number, number, string, number, string]>(
      'INSERT INTO group_row (run_id, step, group_key, problem_no, rule) VALUES (?, ?, ?, ?, ?)',
    ),
    countRolloutsOfStep: pluck<[number, number]>(
      'SELECT count(*) FROM rollout_row WHERE run_id = ? AND step = ?',
    ),
    promptOfGroup: prepare<[number]>(
      `SELECT p.segments, p.prompt_hash FROM group_row g JOIN problem_row q USING (problem_no) JOIN prompt_row p USING (prompt_id)
         WHERE g.group_id = ?`,
    ),
    nextOrdinal: pluck<[number]>('SELECT coalesce(max(ordinal) + 1, 0) FROM rollout_row WHERE group_id = ?'),
    rolloutByOrdinal: prepare<[number, number]>(
      `SELECT r.rollout_id, r.content_hash, r.line, f.path FROM rollout_row r JOIN file_row f USING (file_id)
       WHERE r.group_id = ? AND r.ordinal = ?`,
    ),
    addRollout: prepare<unknown[]>(`INSERT INTO rollout_row
      (run_id, step, group_id, ordinal, reward, logged_correct, is_correct, answer, answer_source, turns, tool_calls,
       tool_errors, stop_reason, stop_reason_source, policy_tokens, response_chars, mean_entropy, entropy_tokens,
       started_at, ended_at, content_hash, file_id, line, byte_offset, byte_length, block_id, text_start, text_end,
       extra_end, correct_source, read_group, read_rule, read_ordinal, read_problem,
       p_err_text, p_format_text, p_text_source, p_err_typed, p_format_typed, flags)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    textPlace: prepare<[number]>(
      'SELECT b.codec, b.bytes, r.text_start, r.text_end FROM rollout_row r JOIN text_block b USING (block_id) WHERE r.rollout_id = ?',
    ),
    addBlock: prepare<[number, number, Uint8Array]>(
      'INSERT INTO text_block (file_id, codec, bytes) VALUES (?, ?, ?)',
    ),
    /** Segments, turns, tool calls, flags. */
    below: new NarrowRows(db),
    addTokens: prepare<unknown[]>(
      'INSERT OR REPLACE INTO token_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)',
    ),
    tokensOf: prepare<[number]>('SELECT * FROM token_row WHERE rollout_id = ?'),
    setTokenSums: prepare<[number | null, number | null, number | null, number]>(
      `UPDATE rollout_row SET policy_tokens = coalesce(?, policy_tokens), mean_entropy = coalesce(?, mean_entropy),
       entropy_tokens = coalesce(?, entropy_tokens) WHERE rollout_id = ?`,
    ),
    setDecision: prepare<[Record<string, unknown>]>(`UPDATE rollout_row SET
      kept = coalesce(:kept, kept), reason = coalesce(:reason, reason), p_err = coalesce(:pErr, p_err),
      p_format = coalesce(:pFormat, p_format), penalty = coalesce(:penalty, penalty),
      advantage = coalesce(:advantage, advantage), rule = coalesce(:rule, rule), decision_file_id = :fileId, decision_line = :line
      WHERE rollout_id = :rolloutId`),

    joinedBy: prepare<
      [string, string, string]
    >(`SELECT k.rollout_id, r.group_id, r.run_id, r.step, k.is_listed
      FROM join_key_row k JOIN rollout_row r USING (rollout_id) JOIN run_row n ON n.run_id = r.run_id
      WHERE k.join_key = ? AND (n.scope = ? OR 'directory:' || n.home = ?) ORDER BY k.rollout_id`),
    addJoinKey: prepare<[string, number, number, number]>(
      'INSERT OR REPLACE INTO join_key_row (join_key, rollout_id, run_id, is_listed) VALUES (?, ?, ?, ?)',
    ),
    addJoin: prepare<[number, number, number, string]>(
      'INSERT OR REPLACE INTO join_row (file_id, line, rollout_id, kind) VALUES (?, ?, ?, ?)',
    ),
    unlist: prepare<[number]>('UPDATE join_key_row SET is_listed = 0 WHERE rollout_id = ?'),
    joinedFiles: prepare<[number, number]>(`SELECT DISTINCT f.file_id, f.path FROM join_row j
      JOIN rollout_row r USING (rollout_id) JOIN file_row f ON f.file_id = j.file_id
      WHERE r.file_id = ? AND j.file_id <> ?`),
    groupsJoinedBy: prepare<[number]>(`SELECT DISTINCT r.group_id, r.run_id, r.step
      FROM join_row j JOIN rollout_row r USING (rollout_id) WHERE j.file_id = ?`),
    addSelection: prepare<[number, number, number, string]>(
      'INSERT OR REPLACE INTO selection_row VALUES (?, ?, ?, ?)',
    ),
    selectionOf: prepare<[number, number]>(
      'SELECT file_id, rule FROM selection_row WHERE run_id = ? AND step = ? ORDER BY file_id LIMIT 1',
    ),
    discardUnlisted: prepare<
      [Record<string, unknown>]
    >(`UPDATE rollout_row SET kept = 0, rule = :rule, decision_file_id = :fileId
      WHERE run_id = :runId AND step = :step AND kept IS NULL RETURNING group_id`),

    addPending: prepare<unknown[]>(`INSERT INTO pending_row
      (kind, run_key, split, step, group_key, ordinal, payload, file_id, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    pendingAt: prepare<[string, number, string, number, string]>(
      `SELECT * FROM pending_row WHERE run_key = ? AND step = ? AND group_key = ? AND ordinal = ?
       AND (split IS NULL OR split = ?) ORDER BY pending_id`,
    ),
    dropPending: prepare<[number]>('DELETE FROM pending_row WHERE pending_id = ?'),
    countPending: pluck<[]>('SELECT count(*) FROM pending_row'),

    refreshGroup: prepare<[number, number]>(`UPDATE group_row SET
      (rollouts, correct, correct_known, reward_sum, reward_known, decided, kept, tool_calls, tool_errors, without_calls,
       stops_logged, truncated, turns, response_chars, tokens, tokens_known, entropy_sum, entropy_tokens)
      = (SELECT ${AGGREGATES} FROM rollout_row WHERE group_id = ?) WHERE group_id = ?`),
    groupIsEmpty: pluck<[number]>('SELECT 1 FROM rollout_row WHERE group_id = ? LIMIT 1'),
    dropGroup: prepare<[number]>('DELETE FROM group_row WHERE group_id = ?'),
    dropStep: prepare<[number, number]>('DELETE FROM step_row WHERE run_id = ? AND step = ?'),
    reviseStep: prepare<[number, number]>(`INSERT INTO step_revision_row VALUES (?, ?, 1)
      ON CONFLICT (run_id, step) DO UPDATE SET revision = revision + 1`),
    refreshStep: prepare<[number, number]>(`INSERT OR REPLACE INTO step_row
      SELECT run_id, step, count(*), sum(rollouts), sum(correct), sum(correct_known), sum(reward_sum), sum(reward_known),
        sum(decided), sum(kept), sum(tool_calls), sum(tool_errors), sum(without_calls), sum(stops_logged),
        sum(truncated), sum(turns),
        sum(response_chars), sum(tokens), sum(tokens_known), sum(entropy_sum), sum(entropy_tokens),
        sum(correct_known = rollouts AND correct = 0),
        sum(correct_known = rollouts AND correct > 0 AND correct < rollouts),
        sum(correct_known = rollouts AND correct = rollouts)
      FROM group_row WHERE run_id = ? AND step = ? GROUP BY run_id, step`),
    groupsOfRun: prepare<[number]>('SELECT group_id, step FROM group_row WHERE run_id = ?'),

    groupsOfFile: prepare<[number, number]>(
      `SELECT DISTINCT g.group_id, g.run_id, g.step FROM rollout_row r JOIN group_row g USING (group_id)
       WHERE r.file_id = ? OR r.decision_file_id = ?`,
    ),
    foreignDecisions: prepare<
      [number]
    >(`SELECT n.logged_id, n.kind AS split, r.step, g.group_key, r.ordinal, r.kept,
        r.reason, r.p_err, r.p_format, r.penalty, r.advantage, r.rule, r.decision_file_id AS file_id,
        r.decision_line AS line
      FROM rollout_row r JOIN run_row n USING (run_id) JOIN group_row g USING (group_id)
      WHERE r.file_id = ? AND r.decision_file_id <> r.file_id AND n.logged_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM join_row j WHERE j.rollout_id = r.rollout_id AND j.file_id = r.decision_file_id)`),
    foreignSignals: prepare<[number]>(`SELECT n.logged_id, n.kind AS split, r.step, g.group_key, r.ordinal,
        t.signal_file_id AS file_id, t.signal_line AS line, t.count, t.ends, t.ids, t.mask, t.entropy, t.logprob,
        t.trainer_logprob, t.advantage, t.top, t.entropy_of
      FROM token_row t JOIN rollout_row r USING (rollout_id) JOIN run_row n USING (run_id) JOIN group_row g USING (group_id)
      WHERE r.file_id = ? AND t.signal_file_id <> r.file_id AND n.logged_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM join_row j WHERE j.rollout_id = r.rollout_id AND j.file_id = t.signal_file_id)`),
    setTail: prepare<[string | null, number]>('UPDATE file_row SET tail_hash = ? WHERE file_id = ?'),
    setTurnTokens: prepare<[number, number, number]>(
      'UPDATE turn_row SET policy_tokens = ? WHERE rollout_id = ? AND turn = ?',
    ),
    segmentsOf: prepare<[number]>(
      'SELECT turn, outer_start AS start, outer_end AS end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal',
    ),
    dropOfFile: [
      prepare<[number]>('DELETE FROM join_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM selection_row WHERE file_id = ?'),
      ...[
        'segment_row',
        'turn_row',
        'tool_call_row',
        'flag_row',
        'timing_row',
        'token_row',
        'join_key_row',
        'join_row',
        'pool_match_row',
        'annotated_place_row',
      ].map((table) =>
        prepare<[number]>(
          `DELETE FROM ${table} WHERE rollout_id IN (SELECT rollout_id FROM rollout_row WHERE file_id = ?)`,
        ),
      ),
      prepare<[number]>(`UPDATE rollout_row SET kept = NULL, reason = NULL, p_err = NULL, p_format = NULL,
        penalty = NULL, advantage = NULL, rule = NULL, decision_file_id = NULL, decision_line = NULL WHERE decision_file_id = ?`),
      // Rollouts that come may have the numbers of those that go: what is said of them is looked for again.
      prepare<[number]>(`UPDATE annotation_state_row SET searched_to = 0, revision = revision + 1
        WHERE EXISTS (SELECT 1 FROM rollout_row WHERE file_id = ?)`),
      prepare<[number]>('DELETE FROM rollout_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM text_block WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM run_file_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM stage_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM metric_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM pending_row WHERE file_id = ?'),
    ],
    countRollouts: pluck<[number]>('SELECT count(*) FROM rollout_row WHERE file_id = ?'),
  };
}

export type IngestStatements = ReturnType<typeof prepareIngest>;
