/**
 * A list of problems that became correct or incorrect between two steps, as part of URLs: of its page,
 * `/run/r/problems?tab=changes&from=0&to=60&with=other&became=correct`, and of the comparison of one of them,
 * `/compare?lane=…&changes={…}&change=3`.
 */
import { z } from 'zod';
import {
  type ChangedProblem,
  type ChangeSide,
  DIRECTIONS,
  type Direction,
  type ProblemChanges,
  type RunSummary,
} from '../../shared/api/contract.ts';
import { compareSearch, readCompare } from './compareLink.ts';
import { pathOfRoute } from './route.ts';
import { namesWithModels } from './runNames.ts';

const PLACE = z.object({ run: z.string(), step: z.number().int().min(0) });
const LINK = z.object({ from: PLACE, to: PLACE, became: z.enum(DIRECTIONS) });
export type ChangesLink = z.infer<typeof LINK>;

export const changesPath = ({ from, to, became }: ChangesLink): string => {
  const query = new URLSearchParams({ tab: 'changes', from: String(from.step), to: String(to.step) });
  if (to.run !== from.run) query.set('with', to.run);
  if (became !== 'incorrect') query.set('became', became);
  return `${pathOfRoute({ view: 'problems', runKey: from.run })}?${query}`;
};

/**
 * The comparison of a changed problem: a rollout from before as the baseline, one from after beside it.
 *
 * @param query of the comparison that is left; all but its lanes and its row is kept
 */
export function changePath(
  link: ChangesLink,
  index: number,
  { from, to }: ChangedProblem,
  query?: URLSearchParams,
): string {
  const lane = ({ run, step }: ChangesLink['from'], { groupKey, ordinal }: ChangeSide): string =>
    pathOfRoute({ view: 'rollout', runKey: run, step, groupKey, ordinal });
  const list = new URLSearchParams(query);
  list.set('changes', JSON.stringify(link));
  list.set('change', String(index));
  const lanes = [lane(link.from, from), lane(link.to, to)];
  if (query === undefined) return pathOfRoute({ view: 'compare' }) + compareSearch({ lanes }, list);
  const { base, on, layout, equal, show, lanes: left } = readCompare(query);
  const kept = left.length === lanes.length ? { base, on } : {};
  return pathOfRoute({ view: 'compare' }) + compareSearch({ lanes, ...kept, layout, equal, show }, list);
}

/** @returns undefined if no list is named, or it is invalid */
export function readChange(query: URLSearchParams): { link: ChangesLink; index: number } | undefined {
  const index = query.get('change') ?? '';
  if (!/^\d{1,9}$/.test(index)) return undefined;
  try {
    const parsed = LINK.safeParse(JSON.parse(query.get('changes') ?? ''));
    return parsed.success ? { link: parsed.data, index: Number(index) } : undefined;
  } catch {
    // The user edited the URL: there is no list.
    return undefined;
  }
}

interface ChangePlace {
  readonly run: RunSummary;
  readonly step: number;
}

/** `from step 0 to step 60`, with names of runs where steps do not tell. */
export function changeSpan(from: ChangePlace, to: ChangePlace): string {
  const place = ({ run, step }: ChangePlace): string =>
    run.hasSteps ? `step ${step}` : (namesWithModels([run])[0] ?? '');
  const other =
    from.run.runId === to.run.runId || !to.run.hasSteps ? '' : ` of ${namesWithModels([to.run])[0]}`;
  return `from ${place(from)} to ${place(to)}${other}`;
}

/** The scope of the dialog that exports all pairs of a list. */
export function changesPack(became: Direction, from: ChangePlace, to: ChangePlace) {
  const idOf = ({ run, step }: ChangePlace) => ({ runId: run.runId, step });
  return {
    ...{ filter: '', runKey: from.run.runKey },
    pairs: {
      name: `Problems that became ${became} ${changeSpan(from, to)}`,
      of: { from: idOf(from), to: idOf(to), became },
    },
  };
}

export const changedTo = (changes: ProblemChanges, became: Direction): readonly ChangedProblem[] =>
  became === 'incorrect' ? changes.becameIncorrect : changes.becameCorrect;
