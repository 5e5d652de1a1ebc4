/** Reads the rollouts of a pack one by one, group by group: the cases of a group, then, when asked, its other rollouts. */
import type { AnnotationRow } from '../../../shared/api/contract.ts';
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
  /** Absent: records are not asked for. */
  readonly rawOf?: ReadRaw;
}

/** By the number of the run here. */
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
        config: JSON.parse(run.config) as Record<string, unknown>,
        stages: exportedStages(db, run.runId).map(({ fromStep, name, changes }) => ({
          fromStep,
          name,
          changes: JSON.parse(changes) as Record<string, unknown>,
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
    // One that came while this was written.
    if (run === undefined) continue;
    const isSibling = siblings.has(rolloutId);
    const said = isSibling ? NOTHING : annotationsOfRollout(db, rolloutId);
    yield {
      isSibling,
      run,
      rollout: tokens ? rollout : withoutTokens(rollout),
      flags: flagsOf(db, rolloutId, Number(rollout.row['flags'])),
      annotations: [...said.annotations].sort(byPlace),
      readings: said.readings.map(({ rolloutId: _, ...reading }) => reading),
      ...(rawOf === undefined ? {} : { raw: await rawOf(rolloutId) }),
    };
  }
}

const NOTHING = { annotations: [], readings: [] };

/** How many tokens there are stays known. */
function withoutTokens(rollout: ExportedRollout): ExportedRollout {
  return { ...rollout, tokens: undefined };
}

/** Of the whole rollout first, then in the order of the text; the same in every library. */
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

/** One rollout, for a text of it. */
export async function readCase(db: ReadableLibrary, rolloutId: number): Promise<PackCase | undefined> {
  const all = casesOf(db, packRuns(db), [rolloutId], new Set(), { siblings: false, tokens: false });
  const { value } = await all.next();
  return value === undefined ? undefined : (value as PackCase);
}
