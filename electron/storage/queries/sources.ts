/** What a run is made of, and the user's rules about it. */
import type { RunSources, SourceFileRow } from '../../../shared/api/contract.ts';
import { readMapping } from '../../../shared/format/mapped.ts';
import type { Mapping } from '../../../shared/format/mapping.ts';
import type { ReadableLibrary } from '../open.ts';
import { present } from '../rows.ts';

const MOST_FILES = 500;

const RUN = `SELECT run_id AS runId, run_key AS runKey, scope, format, directory, home FROM run_row WHERE run_key = ?`;
const GIVEN_NAME = 'SELECT name FROM run_name_row WHERE directory = ?';
const DIRECTORIES = 'SELECT directory FROM run_name_row WHERE name = ? ORDER BY directory';
const GROUP_RULE = 'SELECT rule, size FROM group_rule_row WHERE run_key = ?';
const GROUPS_BY_RULE = `SELECT rule, count(*) AS groups, sum(rollouts) AS rollouts FROM group_row
  WHERE run_id = ? GROUP BY rule ORDER BY rule`;
/** Files with rollouts of the run, and files whose records joined them or wait to. */
const FILE_IDS = `SELECT file_id FROM run_file_row WHERE run_id = :runId
  UNION SELECT j.file_id FROM join_row j JOIN rollout_row r USING (rollout_id) WHERE r.run_id = :runId
  UNION SELECT p.file_id FROM pending_row p WHERE p.run_key IN ('join:' || :scope, 'join:directory:' || :home, :scope)`;
const FILES = `SELECT f.file_id AS fileId, f.path, f.format, f.container, f.unit, f.bytes, f.masked,
    (SELECT count(*) FROM rollout_row r WHERE r.file_id = f.file_id AND r.run_id = :runId) AS rollouts,
    (SELECT count(*) FROM join_row j WHERE j.file_id = f.file_id) AS joined,
    (SELECT count(*) FROM pending_row p WHERE p.file_id = f.file_id) AS waiting
  FROM file_row f WHERE f.file_id IN (${FILE_IDS}) ORDER BY f.path LIMIT :limit`;
const FILE_COUNT = `SELECT count(*) FROM (${FILE_IDS})`;
/** Runs of the same directory, or of one right above, below or beside it. */
const NEIGHBOURS = `SELECT run_key AS runKey, coalesce(json_extract(c.config, '$.name'), name) AS name, kind, format, directory,
    (SELECT coalesce(sum(s.rollouts), 0) FROM step_row s WHERE s.run_id = n.run_id) AS rollouts
  FROM run_row n LEFT JOIN run_config_row c ON c.logged_id = n.scope
  WHERE n.run_key <> :runKey AND n.scope <> :scope AND (n.directory = :directory
    OR n.directory LIKE :below ESCAPE '\\' OR n.directory LIKE :beside ESCAPE '\\')
  ORDER BY n.directory, n.run_id LIMIT 50`;
const TOKENIZER = 'SELECT name, size FROM tokenizer_row WHERE run_key = ?';
/** By the types of columns, which stand in the head of a row: `IS NULL` would read all their bytes. */
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

export function getSources(db: ReadableLibrary, runKey: string): RunSources | undefined {
  const run = db.prepare(RUN).get(runKey) as RunRecord | undefined;
  if (run === undefined) return undefined;
  const { runId, scope, directory, home } = run;
  const rule = db.prepare(GROUP_RULE).get(runKey) as
    | { rule: 'prompt' | 'order'; size: number | null }
    | undefined;
  const givenName = db.prepare(GIVEN_NAME).pluck().get(directory) as string | undefined;
  const files = db.prepare(FILES).all({ runId, scope, home, limit: MOST_FILES });
  const count = Number(db.prepare(FILE_COUNT).pluck().get({ runId, scope, home }));
  const tokenizer = db.prepare(TOKENIZER).get(runKey) as RunSources['tokenizer'];
  const parent = directory.replace(/[\\/][^\\/]*$/, '');
  const neighbours = db
    .prepare(NEIGHBOURS)
    .all({ runKey, scope, directory, below: `${literal(directory)}/%`, beside: `${literal(parent)}/%` });
  return {
    runKey: run.runKey,
    format: run.format,
    directory,
    ...(givenName === undefined ? {} : { givenName }),
    directories: givenName === undefined ? [] : (db.prepare(DIRECTORIES).pluck().all(givenName) as string[]),
    ...(rule === undefined ? {} : { groupRule: present(rule) }),
    groups: db.prepare(GROUPS_BY_RULE).all(runId) as RunSources['groups'],
    files: files.map((row) => present<SourceFileRow>(row)),
    moreFiles: Math.max(0, count - MOST_FILES),
    ...(tokenizer === undefined ? {} : { tokenizer }),
    idPlaces: db.prepare(ID_PLACES).get(runId) as RunSources['idPlaces'],
    poolJoins: db.prepare(POOL_JOINS).all({ runKey }) as RunSources['poolJoins'],
    neighbours: neighbours as RunSources['neighbours'],
  };
}

/** In a LIKE pattern these stand for themselves. */
const literal = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`);

/** What can no longer be read as a mapping is passed over: the library may have been edited by hand. */
export function listMappings(db: ReadableLibrary): readonly Mapping[] {
  return (db.prepare(MAPPINGS).pluck().all() as string[]).flatMap((text) => {
    const reading = readMapping(JSON.parse(text));
    return 'mapping' in reading ? [reading.mapping] : [];
  });
}
