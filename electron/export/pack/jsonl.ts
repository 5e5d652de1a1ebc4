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
import { stepOf } from './packCase.ts';

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

/** Leaves out flags, because the reading library computes its own. */
export function caseLines(one: PackCase): string {
  const { run, rollout, raw } = one;
  const step = stepOf(one);
  const columns = Object.entries(rowOf(rollout, run.kind)).filter(
    ([name, value]) => value !== null && !OF_THIS_LIBRARY.has(name),
  );
  return [
    line('rollout', {
      run: run.id,
      ...(keyOfLogged(run.id, run.kind) === run.key ? {} : { key: run.key }),
      ...(step === undefined ? {} : { step }),
      ...(one.isSibling ? { sibling: true } : {}),
      ...Object.fromEntries(columns),
      ...(raw === undefined ? {} : { raw }),
    }),
    ...one.annotations.map((row) => line('annotation', { annotation: annotationOf(row) })),
    ...one.readings.map((reading) => line('reading', { reading })),
  ].join('');
}

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
