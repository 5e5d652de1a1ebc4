/**
 * Writes a pack as JSON Lines with all data, which `shared/format/pack.ts` reads back. The first line is
 * the manifest, with the checksum of the lines after it.
 */
import type { Annotation, AnnotationRow } from '../../../shared/api/contract.ts';
import { canonical } from '../../../shared/domain/annotate/identity.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { PACK_VERSION } from '../../../shared/format/pack.ts';
import { keyOfLogged } from '../../storage/runRegistry.ts';
import { rowOf } from '../dataSetRows.ts';
import type { Manifest } from './manifest.ts';
import type { PackCase, PackRun } from './packCase.ts';
import { stepOf, textFact } from './packCase.ts';
import { becameOf, type PackPair, type PairRow } from './pairs.ts';

/** Fields specific to this library or its log paths, which would make packs of equal rollouts differ. */
const OF_THIS_LIBRARY = new Set(['rollout', 'path', 'line']);

const line = (type: string, fields: object): string =>
  `${JSON.stringify({ pack: PACK_VERSION, type, ...fields })}\n`;

export function taxonomyLine(taxonomy: Taxonomy): string {
  return line('taxonomy', { taxonomy });
}

/** Keys are sorted, because their order depends on which log line came first. */
export function runLines(run: PackRun): string {
  const stages = run.stages.map(({ fromStep, name, changes }) =>
    line('stage', { run: run.id, from_step: fromStep, name, changes: sorted(changes) }),
  );
  return line('run', { run: run.id, config: sorted({ ...run.config, name: run.name }) }) + stages.join('');
}

export function caseLines(one: PackCase): string {
  return line('rollout', rolloutFields(one)) + annotationLines(one);
}

/** One line with both rollouts and their links, then their annotations. */
export function pairLines(pair: PackPair): string {
  const { from, to, rows } = pair;
  const became = becameOf(pair);
  const problem = { id: textFact(from, 'problem_id'), ground_truth: textFact(from, 'ground_truth') };
  const link = ([a, b]: PairRow['turns']): readonly (number | null)[] => [a ?? null, b ?? null];
  const written = line('pair', {
    problem,
    ...(became === undefined ? {} : { became }),
    from: rolloutFields(from),
    to: rolloutFields(to),
    turns: rows.map(({ turns }) => link(turns)),
    segments: rows.flatMap(({ segments }) => segments.map(link)),
  });
  return written + annotationLines(from) + annotationLines(to);
}

/** Leaves out flags, because the reading library computes its own. */
function rolloutFields(one: PackCase): object {
  const { run, rollout, raw } = one;
  const step = stepOf(one);
  const columns = Object.entries(rowOf(rollout, run.kind)).filter(
    ([name, value]) => value !== null && !OF_THIS_LIBRARY.has(name),
  );
  return {
    run: run.id,
    ...(keyOfLogged(run.id, run.kind) === run.key ? {} : { key: run.key }),
    ...(step === undefined ? {} : { step }),
    ...(one.isSibling ? { sibling: true } : {}),
    ...Object.fromEntries(columns),
    ...(raw === undefined ? {} : { raw }),
  };
}

const annotationLines = ({ annotations, readings }: PackCase): string =>
  [
    ...annotations.map((row) => line('annotation', { annotation: annotationOf(row) })),
    ...readings.map((reading) => line('reading', { reading })),
  ].join('');

/** The annotation without its position in this library, with keys in a fixed order. */
export function annotationOf(row: AnnotationRow): Annotation {
  const { annotationNo: _, place: __, conflicts: ___, ...annotation } = row;
  return JSON.parse(canonical(annotation)) as Annotation;
}

export function manifestLine(manifest: Manifest, sha256: string): string {
  return `${JSON.stringify({ ...manifest, sha256 })}\n`;
}

function sorted(value: object): unknown {
  return JSON.parse(canonical(value));
}
