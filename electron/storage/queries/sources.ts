/** The files of a run, and the user's rules about it. */
import type { RunSources, SourceFileRow } from '../../../shared/api/contract.ts';
import { DUPLICATE_FILE, RUN_KINDS } from '../../../shared/domain/model.ts';
import { tryParseJson } from '../../../shared/domain/parseJson.ts';
import { GROUP_RULES } from '../../../shared/format/format.ts';
import { readMapping } from '../../../shared/format/mapped.ts';
import type { Mapping } from '../../../shared/format/mapping.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, optional, query, queryValue, type RowSpec, text } from '../rows.ts';
import { runPlaceOf } from '../runPlace.ts';

const MOST_FILES = 500;

const RUN = `SELECT run_id AS runId, run_key AS runKey, scope, format, directory, home FROM run_row WHERE run_key = ?`;
const GIVEN_NAME = 'SELECT name FROM run_name_row WHERE directory = ?';
const DIRECTORIES = 'SELECT directory FROM run_name_row WHERE name = ? ORDER BY directory';
const GROUP_RULE = 'SELECT rule, size FROM group_rule_row WHERE run_key = ?';
const GROUPS_BY_RULE = `SELECT rule, count(*) AS groups, sum(rollouts) AS rollouts FROM group_row
  WHERE run_id = ? GROUP BY rule ORDER BY rule`;
/** Files with rollouts of the run, files whose records joined them or wait for them, and duplicates in its directory. */
const FILE_IDS = `SELECT file_id FROM run_file_row WHERE run_id = :runId
  UNION SELECT j.file_id FROM join_row j JOIN rollout_row r USING (rollout_id) WHERE r.run_id = :runId
  UNION SELECT p.file_id FROM pending_row p WHERE p.run_key IN ('join:' || :scope, 'join:directory:' || :home, :scope)
  UNION SELECT value FROM json_each(:duplicates)`;
const DUPLICATES = `SELECT f.file_id AS fileId, f.path FROM file_row f JOIN issue_row i USING (file_id)
  WHERE f.format IS NULL AND i.code = '${DUPLICATE_FILE}'`;
const FILES = `SELECT f.file_id AS fileId, f.path, f.format, f.container, f.unit, f.bytes, f.masked,
    (SELECT count(*) FROM rollout_row r WHERE r.file_id = f.file_id AND r.run_id = :runId) AS rollouts,
    (SELECT count(*) FROM join_row j WHERE j.file_id = f.file_id) AS joined,
    (SELECT count(*) FROM pending_row p WHERE p.file_id = f.file_id) AS waiting,
    (SELECT message FROM issue_row i WHERE i.file_id = f.file_id AND i.code = '${DUPLICATE_FILE}') AS notRead,
    iif(f.container = 'plain' AND f.unit IN ('line', 'text') AND f.status = 'read' AND f.offset_bytes < f.bytes,
      f.bytes - f.offset_bytes, NULL) AS halfLineBytes
  FROM file_row f WHERE f.file_id IN (${FILE_IDS}) ORDER BY f.path LIMIT :limit`;
const FILE_COUNT = `SELECT count(*) FROM (${FILE_IDS})`;
/** Groups whose problems are looked for in other runs. A problem is in one group per step, so a step has many. */
const MOST_GROUPS = 200;
/** A name given to a directory does not change a run whose log names it. */
const IS_NAMED_BY_LOG = `n.logged_id IS NOT NULL AND n.logged_id NOT IN (SELECT name FROM run_name_row)`;
/**
 * Runs of the same directory, of its parent, of its children or of its siblings that may be the same run: of the same
 * format, with the same name, a common problem, or the evaluation beside its training.
 */
const NEIGHBOURS = `
  WITH own AS MATERIALIZED (SELECT n.* FROM run_row n WHERE n.run_id = :runId AND NOT (${IS_NAMED_BY_LOG})),
  sharing AS MATERIALIZED (
    SELECT DISTINCT g.run_id
    FROM (SELECT problem_no FROM group_row WHERE run_id = :runId LIMIT ${MOST_GROUPS}) own_group
      JOIN problem_row p USING (problem_no) JOIN prompt_row q USING (prompt_id)
      CROSS JOIN prompt_row other ON substr(other.question_hash, 1, 8) = substr(q.question_hash, 1, 8)
        AND other.question_hash = q.question_hash
      CROSS JOIN problem_row o ON o.prompt_id = other.prompt_id
      CROSS JOIN group_row g ON g.problem_no = o.problem_no)
  SELECT n.run_key AS runKey, n.name, n.kind, n.format, n.directory,
    (SELECT coalesce(sum(s.rollouts), 0) FROM step_row s WHERE s.run_id = n.run_id) AS rollouts
  FROM own, run_row n
  WHERE n.run_id <> :runId AND n.scope <> own.scope AND n.format = own.format AND NOT (${IS_NAMED_BY_LOG})
    AND (n.directory = own.directory
      OR n.directory LIKE :below ESCAPE '\\' OR n.directory LIKE :beside ESCAPE '\\')
    AND (n.name = own.name OR n.kind <> own.kind OR n.run_id IN (SELECT run_id FROM sharing))
  ORDER BY n.directory, n.run_id LIMIT 50`;
const TOKENIZER = 'SELECT name, size FROM tokenizer_row WHERE run_key = ?';
/** Checks column types, which are in the row header. `IS NULL` would read all bytes. */
const ID_PLACES = `SELECT count(*) AS withTokens,
    coalesce(sum(typeof(t.ends) <> 'null' AND typeof(t.aligned_by) = 'null'), 0) AS logged,
    coalesce(sum(typeof(t.ends) <> 'null' AND typeof(t.aligned_by) <> 'null'), 0) AS byTokenizer,
    coalesce(sum(typeof(t.ends) = 'null' AND typeof(t.ids) <> 'null'), 0) AS unplaced
  FROM rollout_row r CROSS JOIN token_row t USING (rollout_id) WHERE r.run_id = ?`;
const POOL_JOINS = `
  SELECT j.pool_key AS poolKey, coalesce(p.name, j.pool_key) AS poolName, j.kept_key AS keptKey,
    coalesce(k.name, j.kept_key) AS keptName,
    (SELECT count(m.kept_id) FROM pool_match_row m JOIN rollout_row r USING (rollout_id)
      WHERE m.kept_key = j.kept_key AND r.run_id = p.run_id) AS matched,
    (SELECT count(*) FROM pool_match_row m JOIN rollout_row r USING (rollout_id)
      WHERE m.kept_key = j.kept_key AND r.run_id = p.run_id) AS decided
  FROM pool_join_row j LEFT JOIN run p ON p.run_key = j.pool_key LEFT JOIN run k ON k.run_key = j.kept_key
  WHERE :runKey IN (j.pool_key, j.kept_key) ORDER BY j.pool_key, j.kept_key`;
const MAPPINGS = 'SELECT mapping FROM mapping_row ORDER BY name';

interface RunRecord {
  runId: number;
  runKey: string;
  scope: string;
  format: string;
  directory: string;
  home: string;
}

const RUN_ROW: RowSpec<RunRecord> = {
  runId: number,
  runKey: text,
  scope: text,
  format: text,
  directory: text,
  home: text,
};
const RULE_ROW: RowSpec<NonNullable<RunSources['groupRule']>> = {
  rule: oneOf(['prompt', 'order']),
  size: optional(number),
};
const FILE_ROW: RowSpec<SourceFileRow> = {
  fileId: number,
  path: text,
  format: optional(text),
  container: text,
  unit: text,
  bytes: number,
  masked: number,
  rollouts: number,
  joined: number,
  waiting: number,
  notRead: optional(text),
  halfLineBytes: optional(number),
};
const NEIGHBOUR_ROW: RowSpec<RunSources['neighbours'][number]> = {
  runKey: text,
  name: text,
  kind: oneOf(RUN_KINDS),
  format: text,
  directory: text,
  rollouts: number,
};
const GROUPS_ROW: RowSpec<RunSources['groups'][number]> = {
  rule: oneOf(GROUP_RULES),
  groups: number,
  rollouts: number,
};
const JOIN_ROW: RowSpec<RunSources['poolJoins'][number]> = {
  poolKey: text,
  poolName: text,
  keptKey: text,
  keptName: text,
  matched: number,
  decided: number,
};
const PLACES_ROW: RowSpec<RunSources['idPlaces']> = {
  withTokens: number,
  logged: number,
  byTokenizer: number,
  unplaced: number,
};
const NO_IDS: RunSources['idPlaces'] = { withTokens: 0, logged: 0, byTokenizer: 0, unplaced: 0 };

/** Ids of files in a run's directories that were not read, because another file of the library has their content. */
export function duplicateFiles(
  db: ReadableLibrary,
  { directory, format }: { readonly directory: string; readonly format: string },
): readonly number[] {
  const duplicates = query(db, DUPLICATES, { fileId: number, path: text }).all();
  if (duplicates.length === 0) return [];
  const givenName = queryValue(db, GIVEN_NAME, text).get(directory);
  const directories = givenName === undefined ? [] : queryValue(db, DIRECTORIES, text).all(givenName);
  return duplicates
    .filter(({ path }) => [directory, ...directories].includes(runPlaceOf(path, format).place))
    .map(({ fileId }) => fileId);
}

export function getSources(db: ReadableLibrary, runKey: string): RunSources | undefined {
  const run = query(db, RUN, RUN_ROW).get(runKey);
  if (run === undefined) return undefined;
  const { runId, scope, directory, home } = run;
  const groupRule = query(db, GROUP_RULE, RULE_ROW).get(runKey);
  const givenName = queryValue(db, GIVEN_NAME, text).get(directory);
  const directories = givenName === undefined ? [] : queryValue(db, DIRECTORIES, text).all(givenName);
  const duplicates = JSON.stringify(duplicateFiles(db, run));
  const ofRun = { runId, scope, home, duplicates };
  const files = query(db, FILES, FILE_ROW).all({ ...ofRun, limit: MOST_FILES });
  const count = queryValue(db, FILE_COUNT, number).get(ofRun) ?? 0;
  const tokenizer = query(db, TOKENIZER, { name: text, size: number }).get(runKey);
  const parent = directory.replace(/[\\/][^\\/]*$/, '');
  const neighbours = query(db, NEIGHBOURS, NEIGHBOUR_ROW).all({
    runId,
    below: `${literal(directory)}/%`,
    beside: `${literal(parent)}/%`,
  });
  return {
    runKey: run.runKey,
    format: run.format,
    directory,
    ...(givenName === undefined ? {} : { givenName }),
    directories,
    ...(groupRule === undefined ? {} : { groupRule }),
    groups: query(db, GROUPS_BY_RULE, GROUPS_ROW).all(runId),
    files: files,
    moreFiles: Math.max(0, count - MOST_FILES),
    ...(tokenizer === undefined ? {} : { tokenizer }),
    idPlaces: query(db, ID_PLACES, PLACES_ROW).get(runId) ?? NO_IDS,
    poolJoins: query(db, POOL_JOINS, JOIN_ROW).all({ runKey }),
    neighbours,
  };
}

/** Escapes wildcards for a LIKE pattern. */
const literal = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`);

/** Skips entries that are not valid mappings, because the library may have been edited by hand. */
export function listMappings(db: ReadableLibrary): readonly Mapping[] {
  return queryValue(db, MAPPINGS, text)
    .all()
    .flatMap((text) => {
      const reading = readMapping(tryParseJson(text));
      return 'mapping' in reading ? [reading.mapping] : [];
    });
}
