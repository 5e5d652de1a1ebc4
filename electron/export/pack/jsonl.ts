/**
 * A pack as JSON Lines, everything that is known: what `shared/format/pack.ts` reads again, so that it opens in another
 * library as it was. Its first line is the manifest, with the checksum of all that follows.
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

/** Of its library alone, and of where its logs lay: other ones would make another file of the same rollouts. */
const OF_THIS_LIBRARY = new Set(['rollout', 'path', 'line']);

const line = (type: string, fields: object): string =>
  `${JSON.stringify({ pack: PACK_VERSION, type, ...fields })}\n`;

export function taxonomyLine(taxonomy: Taxonomy): string {
  return line('taxonomy', { taxonomy });
}

/** Sorted keys: which of two lines of a log said something first makes no difference. */
export function runLines(run: PackRun): string {
  const stages = run.stages.map(({ fromStep, name, changes }) =>
    line('stage', { run: run.id, from_step: fromStep, name, changes: sorted(changes) }),
  );
  return line('run', { run: run.id, config: sorted({ ...run.config, name: run.name }) }) + stages.join('');
}

/** Without flags: they are worked out anew where it is read, and may be others there. */
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

/** What was said, without where it stands in this library; keys always in one order. */
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
