/**
 * Turnwise's own packs: annotated rollouts, one JSON object per line. Every line carries the `pack` version,
 * so that packs can be split and joined. A file of annotations alone is a pack, too:
 *
 *   {"pack":1,"type":"manifest",…}                                   what was exported; not read
 *   {"pack":1,"type":"taxonomy","taxonomy":{"name":…,"choice":"many","labels":[…]}}
 *   {"pack":1,"type":"rollout","run":"r1","step":12,"split":"train","group":"g7","index":3,…}
 *   {"pack":1,"type":"pair","became":"incorrect","from":{rollout},"to":{rollout},"turns":[[1,1],[2,null]],…}
 *   {"pack":1,"type":"annotation","annotation":{"id":…,"rollout":{…},"target":{…},"label":"loops",…}}
 *   {"pack":1,"type":"reading","reading":{"rollout":{…},"author":…,"verdict":"read","at":…}}
 *   {"pack":1,"type":"run","run":"r1","config":{"name":…,…}}
 *   {"pack":1,"type":"stage","run":"r1","from_step":300,"name":…,"changes":{…}}
 *
 * Rollouts have `run` (and `key`, if the run's key does not follow from it), `step` if the log has steps, and
 * the columns of `dataSetColumns.ts`. `sibling` marks rollouts packed beside a case. Other lines: see
 * `shared/domain/annotate`. An annotation may be JSON as text, as in a table column. The full schema is
 * `pack.schema.json`.
 */
import { parseJson } from '../domain/parseJson.ts';
import { readDataSetRow } from './dataSet.ts';
import { indexOf, insteadOfIndex, isObject, type JsonObject, jsonText, stringOf } from './fields.ts';
import type { LogFormat, ParsedLine } from './format.ts';
import { parseAnnotation, parseReviewMark } from './packAnnotations.ts';
import { parseTaxonomy } from './taxonomy.ts';

/** Readers reject a larger version and name both numbers. */
export const PACK_VERSION = 1;

export const pack: LogFormat = {
  name: 'turnwise-pack',
  title: 'Turnwise pack: rollouts with annotations (JSON Lines)',
  source: 'shared/format/pack.ts of this repository',
  rule: 'a whole number from 1 in "pack", and a text in "type"',
  reads: 'rollouts, alone or in pairs, with everything a data set has of them, annotations, readings, labels',
  ignores: 'the manifest, the links of a pair',
  detect: ({ records }) => records.some(isPackLine),
  open: () => ({ read: (record) => (record['type'] === 'pair' ? pairLines(record) : readPackLine(record)) }),
};

function isPackLine(record: JsonObject): boolean {
  return (indexOf(record['pack']) ?? 0) >= 1 && stringOf(record['type']) !== undefined;
}

export function readPackLine(record: JsonObject): ParsedLine {
  const version = indexOf(record['pack']);
  if (version === undefined || version < 1)
    return refused('no_pack_line', `"pack" must be a whole number from 1${insteadOfIndex(record['pack'])}`);
  if (version > PACK_VERSION) {
    const message = `a pack of version ${version}; this Turnwise reads up to ${PACK_VERSION}`;
    return refused('newer_version', message);
  }
  switch (record['type']) {
    case 'annotation': {
      const read = parseAnnotation(objectIn(record['annotation']));
      return read.ok ? { kind: 'annotation', annotation: read.value } : refused('unfit_line', read.message);
    }
    case 'reading': {
      const read = parseReviewMark(record['reading']);
      return read.ok ? { kind: 'reading', reading: read.value } : refused('unfit_line', read.message);
    }
    case 'taxonomy': {
      const read = parseTaxonomy(record['taxonomy']);
      return read.ok ? { kind: 'taxonomy', taxonomy: read.value } : refused('unfit_line', read.message);
    }
    case 'rollout':
      return rolloutLine(record);
    case 'run':
    case 'stage':
      return runLine(record);
    case 'manifest':
      return { kind: 'skip' };
    default: {
      const found = jsonText(record['type']).slice(0, 60);
      const message = `"type" must be one of manifest, run, stage, taxonomy, rollout, pair, annotation or reading; it is ${found}`;
      return refused('unknown_line', message);
    }
  }
}

/** Properties of the run, or a stage at which its recipe changed. */
function runLine(record: JsonObject): ParsedLine {
  const run = stringOf(record['run']);
  if (run === undefined) return refused('unfit_line', `the ${String(record['type'])} has no text in "run"`);
  const said = record[record['type'] === 'run' ? 'config' : 'changes'];
  const fields = isObject(said) ? said : {};
  if (record['type'] === 'run') return { kind: 'run', run: { run, config: fields }, warnings: [] };
  const fromStep = indexOf(record['from_step']);
  if (fromStep === undefined)
    return refused('unfit_line', `"from_step" must be a whole number${insteadOfIndex(record['from_step'])}`);
  const name = stringOf(record['name']) ?? `from step ${fromStep}`;
  return { kind: 'stage', stage: { run, fromStep, name, changes: fields } };
}

function objectIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** A data set gives run and step once per file, a pack on every line. */
function rolloutLine(record: JsonObject): ParsedLine {
  if (stringOf(record['run']) === undefined) return refused('unfit_row', 'the rollout names no run in "run"');
  return readDataSetRow(record, record);
}

/** Both rollouts of a pair. Their links are not read, because Turnwise aligns rollouts itself. */
function pairLines(record: JsonObject): readonly ParsedLine[] {
  return (['from', 'to'] as const).map((side) => {
    const rollout = record[side];
    if (!isObject(rollout)) return refused('unfit_line', `the pair has no rollout in "${side}"`);
    return readPackLine({ ...rollout, pack: record['pack'], type: 'rollout' });
  });
}

function refused(code: string, message: string): ParsedLine {
  return { kind: 'issue', issue: { severity: 'refused', code, message } };
}
