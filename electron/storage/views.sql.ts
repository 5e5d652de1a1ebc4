/**
 * The public read-only views of `turnwise query` and the SQL console. VIEWS.md of this folder documents
 * them. They are stable: columns may be added, never renamed or removed. Unknown is NULL. `response_text`
 * and `prompt_text` (functions.ts) cut texts out of the stored rollout, so only selected texts are read.
 */
import { DEFAULT_TAXONOMY } from '../../shared/domain/annotate/taxonomy.ts';
import { FLAGS } from '../../shared/domain/flags.ts';
import { SEGMENT_KINDS } from '../../shared/domain/model.ts';
import { type RolloutFieldWith, rolloutFieldsWhere } from '../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';

/** Columns of the view `rollout`. */
const VIEW_FIELDS = rolloutFieldsWhere<RolloutFieldWith<{ sql: string }>>(({ sql }) => sql !== undefined);

const kindName = (column: string): string =>
  `CASE ${column} ${SEGMENT_KINDS.map((kind, i) => `WHEN ${i} THEN '${kind}'`).join(' ')} END`;

/** The issue message of a line that waits for its rollout. */
export const unmatchedMessage = (row: string): string =>
  `iif(${row}.run_key LIKE 'join:%',
    'no rollout with the key ' || ${row}.group_key || ' was found for this ' || ${row}.kind || ' record',
    'no rollout of run ' || ${row}.run_key || ', step ' || ${row}.step || ', group ' || ${row}.group_key || ', index '
      || ${row}.ordinal || ' was found for this ' || ${row}.kind || ' line')`;

/** Stored JSON may be malformed, and SQLite would then fail the whole statement. `libraryCheck.ts` reports it. */
export const isObject = (column: string): string =>
  `coalesce(CASE WHEN json_valid(${column}) THEN json_type(${column}) END = 'object', 0)`;

const fieldOf = (column: string, path: string): string =>
  `CASE WHEN json_valid(${column}) THEN json_extract(${column}, '${path}') END`;

/** Joins the logged configuration of a run as `c`. A configuration that is not an object is skipped. */
export const configOf = (run: string): string =>
  `LEFT JOIN run_config_row c ON c.logged_id = ${run}.scope AND ${isObject('c.config')}`;

/** The name of a run as logged, with `configOf`. A log may give a number. */
export const nameOf = (run: string): string =>
  `CAST(coalesce(json_extract(c.config, '$.name'), ${run}.name) AS TEXT)`;

const LONGEST_NAME = 200;

/**
 * A name as pages show it, of at most 200 characters: a page shows it in many places, and breaking 10,000 Thai letters
 * into lines takes seconds.
 */
export const shownName = (name: string): string =>
  `iif(length(${name}) > ${LONGEST_NAME}, substr(${name}, 1, ${LONGEST_NAME}) || '…', ${name})`;

/** The name of a run as pages show it, with `configOf`. */
export const runName = (run: string): string => shownName(nameOf(run));

const literal = (text: string | undefined): string =>
  text === undefined ? 'NULL' : `'${text.replaceAll("'", "''")}'`;

/** The built-in labels, as rows. */
const DEFAULT_LABELS = DEFAULT_TAXONOMY.labels
  .map(
    ({ id, name, key, colour, description }, i) =>
      `(${[id, name, key, colour, description].map(literal).join(', ')}, ${i})`,
  )
  .join(',\n  ');

export const PUBLIC_VIEWS = [
  'run',
  'prompt_group',
  'rollout',
  'turn',
  'segment',
  'tool_call',
  'rerun',
  'flag',
  'ingest_issue',
  'unread_file',
  'step',
  'stage',
  'metric',
  'annotation',
  'reading',
  'label',
] as const;

export const dropViewsSql = PUBLIC_VIEWS.map((view) => `DROP VIEW IF EXISTS ${view};`).join('\n');

export const viewsSql = `
CREATE VIEW run AS
SELECT run_id, coalesce(json_extract(c.config, '$.name'), name) AS name, kind,
  (SELECT count(*) FROM step_row s WHERE s.run_id = r.run_id) AS steps,
  (SELECT coalesce(sum(s.rollouts), 0) FROM step_row s WHERE s.run_id = r.run_id) AS rollouts,
  run_key, format, directory, coalesce(c.config, '{}') AS config
FROM run_row r ${configOf('r')};

CREATE VIEW prompt_group AS
SELECT g.group_id, g.run_id, iif(n.has_steps, g.step, NULL) AS step, p.problem_id, g.rollouts,
  iif(g.correct_known > 0, g.correct, NULL) AS correct,
  iif(g.decided > 0, g.kept, NULL) AS kept,
  g.group_key, p.ground_truth, p.source, g.rule AS group_rule, g.pool
FROM group_row g JOIN problem_row p USING (problem_no) JOIN run_row n USING (run_id);

CREATE VIEW rollout AS
SELECT ${VIEW_FIELDS.map((name) => `${ROLLOUT_FIELDS[name].sql} AS ${name}`).join(',\n  ')}
FROM rollout_row r
JOIN run_row n ON n.run_id = r.run_id
JOIN group_row g ON g.group_id = r.group_id
JOIN problem_row p ON p.problem_no = g.problem_no
JOIN file_row f ON f.file_id = r.file_id
LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id;

CREATE VIEW turn AS
SELECT rollout_id, turn, segments, tool_calls, tool_errors, policy_tokens FROM turn_row;

-- Without the cast, the halves differ in affinity, and SQLite reads all segments to find those of one rollout.
CREATE VIEW segment AS
SELECT r.rollout_id, s.ordinal, CAST(0 AS INTEGER) AS turn, ${kindName('s.kind')} AS kind,
  prompt_text(p.prompt_id, s.inner_start, s.inner_end) AS text
FROM rollout_row r
JOIN group_row g ON g.group_id = r.group_id
JOIN problem_row p ON p.problem_no = g.problem_no
JOIN prompt_segment_row s ON s.prompt_id = p.prompt_id
UNION ALL
SELECT rollout_id, ordinal, turn, ${kindName('kind')} AS kind,
  response_text(rollout_id, inner_start, inner_end) AS text
FROM segment_row;

CREATE VIEW tool_call AS
SELECT c.rollout_id, c.ordinal, c.turn, c.name,
  call_arguments(response_text(c.rollout_id, s.inner_start, s.inner_end)) AS arguments,
  response_text(c.rollout_id, a.inner_start, a.inner_end) AS response,
  c.outcome, c.latency_ms,
  call_code(response_text(c.rollout_id, s.inner_start, s.inner_end)) AS code,
  response_text(c.rollout_id, s.inner_start, s.inner_end) AS payload, c.is_repeat,
  CASE c.is_latency_logged WHEN 1 THEN 'logged' WHEN 0 THEN 'derived' END AS latency_source,
  c.queue_ms, c.worker, c.started_at
FROM tool_call_row c
JOIN segment_row s ON s.rollout_id = c.rollout_id AND s.ordinal = c.call_segment
LEFT JOIN segment_row a ON a.rollout_id = c.rollout_id AND a.ordinal = c.response_segment;

CREATE VIEW rerun AS
SELECT rollout_id, ordinal, class, reason, mode, milliseconds FROM rerun_row;

CREATE VIEW flag AS
SELECT rollout_id, CASE flag ${FLAGS.map((flag, bit) => `WHEN ${bit} THEN '${flag}'`).join(' ')} END AS flag, segment, start, "end"
FROM flag_row;

CREATE VIEW ingest_issue AS
SELECT f.path, i.line, i.severity, i.code, i.message, f.unit FROM issue_row i JOIN file_row f USING (file_id)
UNION ALL
SELECT f.path, p.line, 'warning', 'unmatched_' || p.kind,
  ${unmatchedMessage('p')}, f.unit
FROM pending_row p JOIN file_row f USING (file_id);

CREATE VIEW unread_file AS
SELECT u.path, rf.run_id, f.format, coalesce(f.lines, 0) AS records,
  CASE WHEN f.file_id IS NULL THEN 0 WHEN f.container = 'plain' THEN f.offset_bytes END AS bytes_read, u.bytes,
  u.has_adapter
FROM unread_row u LEFT JOIN file_row f ON f.path = u.path LEFT JOIN run_file_row rf ON rf.file_id = f.file_id;

CREATE VIEW step AS
SELECT run_id, iif(n.has_steps, step, NULL) AS step, group_count AS groups, rollouts,
  iif(correct_known > 0, correct, NULL) AS correct,
  iif(reward_known > 0, reward_sum / reward_known, NULL) AS mean_reward,
  iif(decided > 0, kept, NULL) AS kept,
  iif(with_text > 0, tool_calls, NULL) AS tool_calls, iif(with_text > 0, tool_errors, NULL) AS tool_errors,
  iif(with_text > 0, without_calls, NULL) AS rollouts_without_tool_calls,
  iif(stops_logged > 0, truncated, NULL) AS truncated,
  CAST(turns AS REAL) / nullif(turns_known, 0) AS mean_turns,
  CAST(response_chars AS REAL) / nullif(with_text, 0) AS mean_response_chars,
  iif(tokens_known > 0, CAST(tokens AS REAL) / tokens_known, NULL) AS mean_policy_tokens,
  iif(entropy_tokens > 0, entropy_sum / entropy_tokens, NULL) AS mean_entropy,
  iif(groups_all_wrong + groups_mixed + groups_all_right > 0, groups_all_wrong, NULL) AS groups_all_wrong,
  iif(groups_all_wrong + groups_mixed + groups_all_right > 0, groups_mixed, NULL) AS groups_mixed,
  iif(groups_all_wrong + groups_mixed + groups_all_right > 0, groups_all_right, NULL) AS groups_all_right
FROM step_row JOIN run_row n USING (run_id);

CREATE VIEW stage AS
SELECT r.run_id, s.from_step, s.name, iif(${isObject('s.changes')}, s.changes, '{}') AS changes FROM stage_row s JOIN run_row r ON r.scope = s.logged_id;

-- Metric lines name no split. They belong to the training run, unless only an evaluation was logged. Metrics files
-- without a run belong to the run of their directory. If two files have the same metric, the higher rank wins.
CREATE VIEW metric AS
SELECT r.run_id, m.step, m.name, m.value FROM metric_row m JOIN run_row r ON r.scope = m.logged_id
WHERE r.kind = 'train'
  OR NOT EXISTS (SELECT 1 FROM run_row t WHERE t.scope = r.scope AND t.kind = 'train')
UNION ALL
SELECT l.run_id, m.step, m.name, m.value FROM metric_run_row l JOIN metric_row m USING (logged_id)
WHERE NOT EXISTS (SELECT 1 FROM metric_run_row o JOIN metric_row n USING (logged_id)
  WHERE o.run_id = l.run_id AND o.rank > l.rank AND n.name = m.name AND n.step = m.step);

-- Without changes by the user: the built-in labels.
CREATE VIEW label AS
SELECT label_id AS label, name, key, colour, description, position FROM label_row
UNION ALL
SELECT column1, column2, column3, column4, column5, column6 FROM (VALUES
  ${DEFAULT_LABELS})
WHERE NOT EXISTS (SELECT 1 FROM taxonomy_row);

-- An annotation of a rollout outside this library has no rollout_id. Its quote is still there.
CREATE VIEW annotation AS
SELECT a.annotation_id, p.rollout_id, a.label, (SELECT l.name FROM label l WHERE l.label = a.label) AS label_name, a.note,
  a.severity, a.correction, a.flag, a.author, ${fieldOf('a.target', '$.kind')} AS target,
  ${fieldOf('a.target', '$.turn')} AS turn, ${fieldOf('a.target', '$.segment')} AS segment,
  ${fieldOf('a.target', '$.anchor.text')} AS anchored_in, s.start, s.end AS "end",
  ${fieldOf('a.target', '$.anchor.quote')} AS quote,
  iif(p.rollout_id IS NULL, 'unattached', coalesce(s.state, 'orphaned')) AS state,
  k.run_key, k.step, k.group_key, k.problem_id, k.ordinal,
  a.created_at / 1000.0 AS created_at, a.updated_at / 1000.0 AS updated_at
FROM annotation_row a JOIN annotated_row k ON k.annotated_no = a.annotated_no
LEFT JOIN annotated_place_row p ON p.annotated_no = a.annotated_no
LEFT JOIN annotation_place_row s ON s.annotation_no = a.annotation_no AND p.rollout_id IS NOT NULL;

-- Reviews of rollouts. A label counts as a review.
CREATE VIEW reading AS
SELECT p.rollout_id, d.author, d.verdict, k.run_key, k.step, k.group_key, k.problem_id, k.ordinal,
  d.at / 1000.0 AS read_at
FROM reading_row d JOIN annotated_row k ON k.annotated_no = d.annotated_no
LEFT JOIN annotated_place_row p ON p.annotated_no = d.annotated_no
UNION ALL
SELECT p.rollout_id, a.author, 'labelled', k.run_key, k.step, k.group_key, k.problem_id, k.ordinal,
  max(a.updated_at) / 1000.0
FROM annotation_row a JOIN annotated_row k ON k.annotated_no = a.annotated_no
LEFT JOIN annotated_place_row p ON p.annotated_no = a.annotated_no
WHERE a.label IS NOT NULL GROUP BY a.annotated_no, a.author;
`;
