/**
 * Reads the rollouts of a pack one by one, group by group: first the cases of a group, then its other
 * rollouts if requested.
 */

import type { AnnotationRow } from '../../../shared/api/contract.ts';
import { parseJson } from '../../../shared/domain/parseJson.ts';
import type { ReadableLibrary } from '../../storage/open.ts';
import { annotationsOfRollout } from '../../storage/queries/annotations.ts';
import {
  type ExportedRollout,
  exportedById,
  exportedRuns,
  exportedStages,
} from '../../storage/queries/exported.ts';
import { membersOf, packedGroups } from '../../storage/queries/packed.ts';
import { flagsOf } from '../../storage/queries/rollout.ts';
import type { PackCase, PackRun, RawRecord } from './packCase.ts';
import type { PackOptions } from './packOptions.ts';

export type ReadRaw = (rolloutId: number) => Promise<RawRecord>;

export interface CaseReaderOptions extends Pick<PackOptions, 'siblings' | 'tokens'> {
  /** Absent: raw records are not included. */
  readonly rawOf?: ReadRaw;
}

/** By run id of this library. */
export function packRuns(db: ReadableLibrary): ReadonlyMap<number, PackRun> {
  return new Map(
    exportedRuns(db).map((run) => [
      run.runId,
      {
        id: run.loggedId ?? run.runKey,
        key: run.runKey,
        name: run.name,
        kind: run.kind,
        hasSteps: run.hasSteps === 1,
        config: parseJson(run.config) as Record<string, unknown>,
        stages: exportedStages(db, run.runId).map(({ fromStep, name, changes }) => ({
          fromStep,
          name,
          changes: parseJson(changes) as Record<string, unknown>,
        })),
      },
    ]),
  );
}

/** @param ids in pack order */
export async function* readCases(
  db: ReadableLibrary,
  ids: Uint32Array,
  options: CaseReaderOptions,
): AsyncGenerator<PackCase> {
  const runs = packRuns(db);
  if (!options.siblings) {
    yield* casesOf(db, runs, [...ids], new Set(), options);
    return;
  }
  for (const { groupId, ids: cases } of packedGroups(db, ids)) {
    const siblings = new Set(membersOf(db, groupId).filter((id) => !cases.includes(id)));
    yield* casesOf(db, runs, [...cases, ...siblings], siblings, options);
  }
}

async function* casesOf(
  db: ReadableLibrary,
  runs: ReadonlyMap<number, PackRun>,
  ids: readonly number[],
  siblings: ReadonlySet<number>,
  { tokens, rawOf }: CaseReaderOptions,
): AsyncGenerator<PackCase> {
  for (const rollout of exportedById(db, ids)) {
    const rolloutId = Number(rollout.row['rollout_id']);
    const run = runs.get(Number(rollout.row['run_id']));
    // The run was added while the pack was being written.
    if (run === undefined) continue;
    const isSibling = siblings.has(rolloutId);
    const stored = isSibling ? NOTHING : annotationsOfRollout(db, rolloutId, -1);
    yield {
      isSibling,
      run,
      rollout: tokens ? rollout : withoutTokens(rollout),
      flags: flagsOf(db, rolloutId, Number(rollout.row['flag_bits'])),
      annotations: [...stored.annotations].sort(byPlace),
      readings: stored.readings.map(({ rolloutId: _, ...reading }) => reading),
      ...(rawOf === undefined ? {} : { raw: await rawOf(rolloutId) }),
    };
  }
}

const NOTHING = { annotations: [], readings: [] };

/** Removes the token data but keeps the token count. */
function withoutTokens(rollout: ExportedRollout): ExportedRollout {
  return { ...rollout, tokens: undefined };
}

/** Annotations of the whole rollout first, then in text order. The same in every library. */
function byPlace(a: AnnotationRow, b: AnnotationRow): number {
  const [first, second] = [placeOf(a), placeOf(b)];
  for (const [i, each] of first.entries()) {
    const difference = each - (second[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function placeOf({ target }: AnnotationRow): readonly number[] {
  if (target.kind === 'rollout') return [0, 0, 0];
  const { text, start, end } = target.anchor;
  return [text === 'prompt' ? 1 : 2, start, end];
}

/** Reads one rollout, for its text form. */
export async function readCase(db: ReadableLibrary, rolloutId: number): Promise<PackCase | undefined> {
  const all = casesOf(db, packRuns(db), [rolloutId], new Set(), { siblings: false, tokens: false });
  const { value } = await all.next();
  return value === undefined ? undefined : (value as PackCase);
}
