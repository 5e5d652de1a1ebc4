/**
 * The statements of ingest, prepared once per connection. `libraryWriter.ts` decides which run together and
 * in which order.
 */
import { RUN_KINDS } from '../../shared/domain/model.ts';
import {
  CHANGE_STEP,
  DROP_EMPTY_GROUPS,
  REFRESH_GROUPS,
  REFRESH_STEP,
  SUM_NAMES,
  SUMS_OF_GROUPS,
} from './groupSums.ts';
import { IssueWriter } from './issueWriter.ts';
import { NarrowRows } from './narrowRows.ts';
import type { WritableLibrary } from './open.ts';
import { boolean, bytes, number, oneOf, optional, orNull, query, queryValue, text } from './rows.ts';
import { TOKEN_ROW } from './tokenColumns.ts';
import { isObject } from './views.sql.ts';

/** A prepared statement that writes. */
interface Statement<P extends unknown[]> {
  run(...params: P): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

const FILE = `SELECT file_id AS fileId, path, format, container, unit, status, bytes, mtime_ms AS mtimeMs, inode,
  head_hash AS headHash, head_bytes AS headBytes, offset_bytes AS offset, lines, tail_hash AS tailHash, adapter FROM file_row`;
const FILE_ROW = {
  ...{ fileId: number, path: text, format: optional(text), container: text, unit: text, status: text },
  ...{ bytes: number, mtimeMs: number, inode: text, headHash: text, headBytes: number },
  ...{ offset: number, lines: number, tailHash: optional(text), adapter: optional(text) },
};

const RUN = `SELECT run_id AS runId, run_key AS runKey, scope, has_binary_rewards AS hasBinaryRewards FROM run_row`;
const RUN_ROW = { runId: number, runKey: text, scope: text, hasBinaryRewards: boolean };

const GROUP_ADDRESS = { groupId: number, runId: number, step: number };

/** The address of a rollout whose decision or signal is in another file. */
const ADDRESS = `n.logged_id AS loggedId, n.kind AS split, r.step, g.group_key AS groupKey, r.ordinal`;
const ADDRESS_ROW = {
  ...{ loggedId: text, split: oneOf(RUN_KINDS), step: number, groupKey: text, ordinal: number },
  ...{ fileId: number, line: number },
};

const SUM_ROW = Object.fromEntries(SUM_NAMES.map((name) => [name, number]));

export function prepareIngest(db: WritableLibrary) {
  const prepare = <P extends unknown[]>(sql: string): Statement<P> => db.prepare<P>(sql);
  const count = (sql: string) => queryValue(db, sql, number);
  return {
    fileByPath: query(db, `${FILE} WHERE path = ?`, FILE_ROW),
    // A file that was read comes before one that was not read because it has the same content.
    filesByHead: query(
      db,
      `${FILE} WHERE head_hash = ? AND head_bytes = ? ORDER BY format IS NULL, file_id`,
      FILE_ROW,
    ),
    dropFile: prepare<[number]>('DELETE FROM file_row WHERE file_id = ?'),
    moveFile: prepare<[string, number]>('UPDATE file_row SET path = ? WHERE file_id = ?'),
    addFile: prepare<[Record<string, unknown>]>(`INSERT INTO file_row
      (path, format, container, unit, status, bytes, mtime_ms, inode, head_hash, head_bytes, adapter, offset_bytes, lines)
      VALUES (:path, :format, :container, :unit, :status, :bytes, :mtimeMs, :inode, :headHash, :headBytes, :adapter, 0, 0)
      ON CONFLICT (path) DO NOTHING`),
    updateFile: prepare<[Record<string, unknown>]>(`UPDATE file_row SET
      format = :format, container = :container, unit = :unit, status = :status, bytes = :bytes, mtime_ms = :mtimeMs, inode = :inode,
      head_hash = :headHash, head_bytes = :headBytes, adapter = :adapter WHERE file_id = :fileId`),
    moveFileOffset: prepare<[number, number, number, number]>(
      'UPDATE file_row SET offset_bytes = ?, lines = ?, masked = masked + ? WHERE file_id = ?',
    ),
    fileOffset: count('SELECT offset_bytes FROM file_row WHERE file_id = ?'),
    // A validation before the first step is not what a training log is opened for.
    runKeysOfFile: queryValue(
      db,
      `SELECT n.run_key FROM run_file_row f JOIN run_row n USING (run_id) WHERE f.file_id = ?
       ORDER BY n.kind = 'eval', n.run_id`,
      text,
    ),
    runNamesOfFile: queryValue(
      db,
      `SELECT DISTINCT n.name FROM run_file_row f JOIN run n USING (run_id) WHERE f.file_id = ? ORDER BY n.run_id`,
      text,
    ),
    rewindFile: prepare<[number]>(
      "UPDATE file_row SET offset_bytes = 0, lines = 0, masked = 0, unlisted_issues = 0, status = 'partial' WHERE file_id = ?",
    ),

    addUnread: prepare<[string]>(
      `INSERT INTO unread_row SELECT value ->> 'path', value ->> 'bytes', value ->> 'hasAdapter' FROM json_each(?) WHERE true
        ON CONFLICT (path) DO UPDATE SET bytes = excluded.bytes, has_adapter = max(has_adapter, excluded.has_adapter)`,
    ),
    dropUnread: prepare<[string, number]>('DELETE FROM unread_row WHERE path = ? AND (has_adapter = 0 OR ?)'),

    pathOfFile: queryValue(db, 'SELECT path FROM file_row WHERE file_id = ?', text),
    /** Removes those of a JSON list of runs whose files now belong to other runs. */
    dropEmptyRuns: prepare<[string]>(`DELETE FROM run_row WHERE run_id IN (SELECT value FROM json_each(?))
      AND run_id NOT IN (SELECT run_id FROM rollout_row) AND run_id NOT IN (SELECT run_id FROM run_file_row)`),
    maskedOf: count('SELECT masked FROM file_row WHERE file_id = ?'),
    countJoined: count('SELECT count(*) FROM join_row WHERE file_id = ?'),
    countWaiting: count('SELECT count(*) FROM pending_row WHERE file_id = ?'),

    issues: new IssueWriter(db),
    unlistedIssuesOf: count('SELECT unlisted_issues FROM file_row WHERE file_id = ?'),
    dropIssues: prepare<[number]>('DELETE FROM issue_row WHERE file_id = ?'),
    dropIssuesWithCode: prepare<[number, string]>('DELETE FROM issue_row WHERE file_id = ? AND code = ?'),

    runByKey: query(db, `${RUN} WHERE run_key = ?`, RUN_ROW),
    runByDirectory: query(
      db,
      `${RUN} WHERE directory = ? AND kind = ? AND format = ? AND has_steps = ? AND key_source = 'derived'`,
      RUN_ROW,
    ),
    runName: queryValue(db, 'SELECT name FROM run_name_row WHERE directory = ?', text),
    groupRule: query(db, 'SELECT rule, size FROM group_rule_row WHERE run_key = ?', {
      ...{ rule: oneOf(['order', 'prompt']), size: orNull(number) },
    }),
    addRun: prepare<[Record<string, unknown>]>(`INSERT INTO run_row
      (run_key, key_source, logged_id, scope, name, kind, format, directory, home, has_steps)
      VALUES (:runKey, :keySource, :loggedId, :scope, :name, :kind, :format, :directory, :home, :hasSteps)`),
    addRunFile: prepare<[number, number]>('INSERT OR IGNORE INTO run_file_row VALUES (?, ?)'),
    otherFilesOfRun: query(
      db,
      `SELECT name, directory, path FROM run_row JOIN run_file_row USING (run_id) JOIN file_row USING (file_id)
        WHERE run_id = :runId AND file_id <> :fileId LIMIT 2`,
      { name: text, directory: text, path: text },
    ),
    nameDerivedRun: prepare<[string, number]>('UPDATE run_row SET name = ? WHERE run_id = ?'),
    runsOfScope: count('SELECT run_id FROM run_row WHERE scope = ?'),
    runConfig: queryValue(
      db,
      `SELECT config FROM run_config_row WHERE logged_id = ? AND ${isObject('config')}`,
      text,
    ),
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
    forgetDerivedChips: prepare<[number]>(
      'UPDATE rollout_row SET is_correct = NULL WHERE run_id = ? AND logged_correct IS NULL AND is_correct IS NOT NULL',
    ),

    promptByHash: count(
      'SELECT prompt_id FROM prompt_row WHERE substr(prompt_hash, 1, 8) = substr(?, 1, 8) AND prompt_hash = ?',
    ),
    addPromptBlock: prepare<[number, Uint8Array]>('INSERT INTO prompt_block (codec, bytes) VALUES (?, ?)'),
    problemById: count(
      'SELECT problem_no FROM problem_row WHERE prompt_id = ? AND problem_id = ? AND ground_truth IS ? AND source IS ? AND user_scenario IS ?',
    ),
    groupByKey: count('SELECT group_id FROM group_row WHERE run_id = ? AND step = ? AND group_key = ?'),
    setProblemOfGroup: prepare<[number, number, number]>(
      `UPDATE group_row SET problem_no = ? WHERE group_id = ?
         AND NOT EXISTS (SELECT 1 FROM rollout_row WHERE group_id = ? AND response_chars IS NOT NULL)`,
    ),
    countRolloutsOfStep: count('SELECT count(*) FROM rollout_row WHERE run_id = ? AND step = ?'),
    promptOfGroup: query(
      db,
      `SELECT p.segments, p.prompt_hash AS promptHash FROM group_row g JOIN problem_row q USING (problem_no) JOIN prompt_row p USING (prompt_id)
         WHERE g.group_id = ?`,
      { segments: number, promptHash: text },
    ),
    nextOrdinal: count('SELECT coalesce(max(ordinal) + 1, 0) FROM rollout_row WHERE group_id = ?'),
    rolloutByOrdinal: query(
      db,
      `SELECT r.rollout_id AS rolloutId, r.content_hash AS contentHash, r.line, f.path
       FROM rollout_row r JOIN file_row f USING (file_id) WHERE r.group_id = ? AND r.ordinal = ?`,
      { rolloutId: number, contentHash: text, line: number, path: text },
    ),
    placeOfRollout: query(
      db,
      'SELECT r.line, f.path FROM rollout_row r JOIN file_row f USING (file_id) WHERE r.rollout_id = ?',
      { line: number, path: text },
    ),
    addRollout: prepare<unknown[]>(`INSERT INTO rollout_row
      (run_id, step, group_id, ordinal, reward, logged_correct, is_correct, answer, answer_source, turns, tool_calls,
       tool_errors, malformed_calls, stop_reason, stop_reason_source, stop_reason_logged, policy_tokens, response_chars, mean_entropy, entropy_tokens,
       started_at, ended_at, content_hash, file_id, line, byte_offset, byte_length, block_id, text_start, text_end,
       extra_end, correct_source, read_group, read_rule, read_ordinal, read_problem,
       p_err_text, p_format_text, p_text_source, p_err_typed, p_format_typed, flags, scores, origin)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    textPlace: query(
      db,
      `SELECT b.codec, b.bytes, r.text_start AS start, r.text_end AS end
       FROM rollout_row r JOIN text_block b USING (block_id) WHERE r.rollout_id = ?`,
      { codec: number, bytes, start: number, end: number },
    ),
    addBlock: prepare<[number, number, Uint8Array]>(
      'INSERT INTO text_block (file_id, codec, bytes) VALUES (?, ?, ?)',
    ),
    rows: new NarrowRows(db),
    lastPrompt: count('SELECT coalesce(max(prompt_id), 0) FROM prompt_row'),
    lastProblem: count('SELECT coalesce(max(problem_no), 0) FROM problem_row'),
    lastGroup: count('SELECT coalesce(max(group_id), 0) FROM group_row'),
    addTokens: prepare<unknown[]>(
      'INSERT OR REPLACE INTO token_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)',
    ),
    tokensOf: query(
      db,
      `SELECT ${Object.keys(TOKEN_ROW).join(', ')} FROM token_row WHERE rollout_id = ?`,
      TOKEN_ROW,
    ),
    setTokenSums: prepare<[number | null, number | null, number | null, number]>(
      `UPDATE rollout_row SET policy_tokens = coalesce(?, policy_tokens), mean_entropy = coalesce(?, mean_entropy),
       entropy_tokens = coalesce(?, entropy_tokens) WHERE rollout_id = ?`,
    ),
    setDecision: prepare<[Record<string, unknown>]>(`UPDATE rollout_row SET
      kept = coalesce(:kept, kept), reason = coalesce(:reason, reason), p_err = coalesce(:pErr, p_err),
      p_format = coalesce(:pFormat, p_format), penalty = coalesce(:penalty, penalty),
      advantage = coalesce(:advantage, advantage), rule = coalesce(:rule, rule), decision_file_id = :fileId, decision_line = :line
      WHERE rollout_id = :rolloutId`),

    joinedBy: query(
      db,
      `SELECT k.rollout_id AS rolloutId, r.group_id AS groupId, r.run_id AS runId, r.step
      FROM join_key_row k JOIN rollout_row r USING (rollout_id) JOIN run_row n ON n.run_id = r.run_id
      WHERE k.join_key = ? AND (n.scope = ? OR 'directory:' || n.home = ?) AND k.is_listed >= ?
      ORDER BY k.rollout_id LIMIT 1`,
      { rolloutId: number, ...GROUP_ADDRESS },
    ),
    addJoinKey: prepare<[string, number, number, number]>(
      'INSERT OR REPLACE INTO join_key_row (join_key, rollout_id, run_id, is_listed) VALUES (?, ?, ?, ?)',
    ),
    addJoin: prepare<[number, number, number, string]>(
      'INSERT OR REPLACE INTO join_row (file_id, line, rollout_id, kind) VALUES (?, ?, ?, ?)',
    ),
    unlist: prepare<[number]>('UPDATE join_key_row SET is_listed = 0 WHERE rollout_id = ?'),
    joinedFiles: query(
      db,
      `SELECT DISTINCT f.file_id AS fileId, f.path FROM join_row j
      JOIN rollout_row r USING (rollout_id) JOIN file_row f ON f.file_id = j.file_id
      WHERE r.file_id = ? AND j.file_id <> ?`,
      { fileId: number, path: text },
    ),
    groupsJoinedBy: query(
      db,
      `SELECT DISTINCT r.group_id AS groupId, r.run_id AS runId, r.step
      FROM join_row j JOIN rollout_row r USING (rollout_id) WHERE j.file_id = ?`,
      GROUP_ADDRESS,
    ),
    addSelection: prepare<[number, number, number, string]>(
      'INSERT OR REPLACE INTO selection_row VALUES (?, ?, ?, ?)',
    ),
    selectionOf: query(
      db,
      `SELECT file_id AS fileId, rule FROM selection_row WHERE run_id = ? AND step = ? ORDER BY file_id LIMIT 1`,
      { fileId: number, rule: text },
    ),
    /** Returns the group of each rollout that was marked as discarded. */
    discardUnlisted: count(`UPDATE rollout_row SET kept = 0, rule = :rule, decision_file_id = :fileId
      WHERE run_id = :runId AND step = :step AND kept IS NULL RETURNING group_id`),

    addPending: prepare<unknown[]>(`INSERT INTO pending_row
      (kind, run_key, split, step, group_key, ordinal, payload, file_id, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    pendingAt: query(
      db,
      `SELECT pending_id AS pendingId, kind, payload, file_id AS fileId, line FROM pending_row WHERE run_key = ? AND step = ? AND group_key = ? AND ordinal = ?
       AND (split IS NULL OR split = ?) ORDER BY pending_id`,
      { pendingId: number, kind: text, payload: bytes, fileId: number, line: number },
    ),
    dropPending: prepare<[number]>('DELETE FROM pending_row WHERE pending_id = ?'),
    countPending: count('SELECT count(*) FROM pending_row'),

    dropEmptyGroups: prepare<[string]>(DROP_EMPTY_GROUPS),
    refreshGroups: prepare<[string]>(REFRESH_GROUPS),
    groupsOfStep: count('SELECT group_count FROM step_row WHERE run_id = ? AND step = ?'),
    sumsOfGroups: query<Record<string, number>>(db, SUMS_OF_GROUPS, SUM_ROW),
    changeStep: prepare<number[]>(CHANGE_STEP),
    dropStep: prepare<[number, number]>('DELETE FROM step_row WHERE run_id = ? AND step = ?'),
    reviseStep: prepare<[number, number]>(`INSERT INTO step_revision_row VALUES (?, ?, 1)
      ON CONFLICT (run_id, step) DO UPDATE SET revision = revision + 1`),
    refreshStep: prepare<[number, number]>(REFRESH_STEP),
    groupsOfRun: query(db, 'SELECT group_id AS groupId, step FROM group_row WHERE run_id = ?', {
      ...{ groupId: number, step: number },
    }),

    groupsOfFile: query(
      db,
      `SELECT DISTINCT g.group_id AS groupId, g.run_id AS runId, g.step
       FROM rollout_row r JOIN group_row g USING (group_id) WHERE r.file_id = ? OR r.decision_file_id = ?`,
      GROUP_ADDRESS,
    ),
    foreignDecisions: query(
      db,
      `SELECT ${ADDRESS}, r.kept, r.reason, r.p_err AS pErr, r.p_format AS pFormat, r.penalty, r.advantage, r.rule,
        r.decision_file_id AS fileId, r.decision_line AS line
      FROM rollout_row r JOIN run_row n USING (run_id) JOIN group_row g USING (group_id)
      WHERE r.file_id = ? AND r.decision_file_id <> r.file_id AND n.logged_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM join_row j WHERE j.rollout_id = r.rollout_id AND j.file_id = r.decision_file_id)`,
      {
        ...ADDRESS_ROW,
        ...{
          kept: optional(boolean),
          reason: optional(text),
          pErr: optional(number),
          pFormat: optional(number),
        },
        ...{ penalty: optional(number), advantage: optional(number), rule: optional(text) },
      },
    ),
    foreignSignals: query(
      db,
      `SELECT ${ADDRESS}, t.signal_file_id AS fileId, t.signal_line AS line, t.count, t.ends, t.ids, t.mask, t.entropy,
        t.logprob, t.trainer_logprob AS trainerLogprob, t.advantage, t.top, t.entropy_of AS entropyOf
      FROM token_row t JOIN rollout_row r USING (rollout_id) JOIN run_row n USING (run_id) JOIN group_row g USING (group_id)
      WHERE r.file_id = ? AND t.signal_file_id <> r.file_id AND n.logged_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM join_row j WHERE j.rollout_id = r.rollout_id AND j.file_id = t.signal_file_id)`,
      {
        ...ADDRESS_ROW,
        ...{
          count: number,
          ends: orNull(bytes),
          ids: orNull(bytes),
          mask: orNull(bytes),
          entropy: orNull(bytes),
        },
        ...{
          logprob: orNull(bytes),
          trainerLogprob: orNull(bytes),
          advantage: orNull(bytes),
          top: orNull(bytes),
        },
        entropyOf: orNull(text),
      },
    ),
    /** Sets a tail hash and a time that no file has, so that the file is read again. */
    readAgain: prepare<[number]>("UPDATE file_row SET tail_hash = '', mtime_ms = -1 WHERE file_id = ?"),
    setTail: prepare<[string, number]>('UPDATE file_row SET tail_hash = ? WHERE file_id = ?'),
    setTurnTokens: prepare<[number, number, number]>(
      'UPDATE turn_row SET policy_tokens = ? WHERE rollout_id = ? AND turn = ?',
    ),
    segmentsOf: query(
      db,
      'SELECT turn, outer_start AS start, outer_end AS end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal',
      { turn: number, start: number, end: number },
    ),
    dropOfFile: [
      prepare<[number]>('DELETE FROM join_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM selection_row WHERE file_id = ?'),
      ...[
        'segment_row',
        'turn_row',
        'tool_call_row',
        'rerun_row',
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
      // A new rollout may reuse the id of a removed one, so all rollouts have to be searched for
      // annotations again.
      prepare<[number]>(`UPDATE annotation_state_row SET searched_to = 0, revision = revision + 1
        WHERE EXISTS (SELECT 1 FROM rollout_row WHERE file_id = ?)`),
      prepare<[number]>('DELETE FROM rollout_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM text_block WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM run_file_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM stage_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM metric_row WHERE file_id = ?'),
      prepare<[number]>('DELETE FROM pending_row WHERE file_id = ?'),
    ],
    countRollouts: count('SELECT count(*) FROM rollout_row WHERE file_id = ?'),
  };
}

export type IngestStatements = ReturnType<typeof prepareIngest>;
