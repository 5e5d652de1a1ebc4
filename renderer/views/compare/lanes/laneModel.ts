/** The lanes of a comparison: their names, what is known about them, and their limitations. */
import type { ComparedRow, Comparison, RolloutDetail, RunSummary } from '../../../../shared/api/contract.ts';
import { problemName } from '../../../../shared/domain/question.ts';
import { redactedByTurn } from '../../../../shared/format/loggedContext.ts';
import type { RolloutRoute } from '../../../data/route.ts';
import { type SegmentView, turnsOf } from '../../../data/segmentViews.ts';
import { counted } from '../../../ui/numbers.ts';

/** `A`, `B`, `C`, `D`, by position. */
export const letterOf = (lane: number): string => 'ABCD'.charAt(lane);

/** A lane whose rollout was found. */
export interface Lane {
  /** Position in the URL. */
  readonly index: number;
  readonly letter: string;
  readonly path: string;
  readonly route: RolloutRoute;
  readonly detail: RolloutDetail;
  /** Turns with reasoning that a provider withheld. */
  readonly redacted: ReadonlySet<number>;
  /** Indexed by segment. */
  readonly segments: readonly SegmentView[];
}

/** A lane of the URL: found, waiting or missing. */
export type LaneSlot =
  | { readonly state: 'found'; readonly index: number; readonly path: string; readonly lane: Lane }
  | {
      readonly state: 'waiting';
      readonly index: number;
      readonly path: string;
      readonly route: RolloutRoute;
    }
  | { readonly state: 'missing'; readonly index: number; readonly path: string; readonly why: string }
  | {
      readonly state: 'failed';
      readonly index: number;
      readonly path: string;
      readonly error: Error;
      readonly retry: () => void;
    };

export function laneOf(index: number, path: string, route: RolloutRoute, detail: RolloutDetail): Lane {
  const segments: SegmentView[] = [];
  for (const turn of turnsOf(detail)) for (const view of turn.segments) segments[view.index] = view;
  const redacted = new Set(redactedByTurn(detail.extra).keys());
  return { index, letter: letterOf(index), path, route, detail, redacted, segments };
}

/** The lanes that were found, in the order of the lists in the response, and their alignment. */
export interface Compared {
  readonly lanes: readonly Lane[];
  /** Index into `lanes`. */
  readonly base: number;
  readonly comparison: Comparison;
  /** Identifies the comparison, so that what is expanded in one is not expanded in another. */
  readonly key: string;
}

export interface LaneNote {
  readonly text: string;
  readonly hint: string;
  readonly isWarning?: true;
}

/** Notes that a reader needs before comparing this lane with the baseline. */
export function laneNotes(
  lane: Lane,
  lanes: readonly Lane[],
  base: Lane,
  runs: readonly RunSummary[],
): readonly LaneNote[] {
  const notes: LaneNote[] = [];
  const { detail } = lane;
  const twin = lanes.find((one) => one.index < lane.index && one.path === lane.path);
  if (twin !== undefined)
    notes.push({ text: `same rollout as ${twin.letter}`, hint: 'All text is equal, so there is no fork.' });
  if (detail.prompt !== base.detail.prompt)
    notes.push({
      text: 'prompt differs',
      hint: `Its prompt differs from ${base.letter}, the baseline: the aligned turns answer different questions.`,
      isWarning: true,
    });
  const modelOf = (one: Lane) => runs.find(({ runKey }) => runKey === one.route.runKey)?.model;
  const model = modelOf(lane);
  const isNamed = model === undefined || lane.detail.run.name.includes(model);
  if (!isNamed && lanes.some((one) => modelOf(one) !== model))
    notes.push({ text: model, hint: 'The model of this rollout’s run. The lanes have different ones.' });
  const formatOf = (one: Lane) => runs.find(({ runKey }) => runKey === one.route.runKey)?.format;
  const [own, other] = [formatOf(lane), formatOf(base)];
  if (own !== undefined && other !== undefined && own !== other)
    notes.push({
      text: `format ${own}`,
      hint: `${base.letter} has the format ${other}. Formats can write turns and calls differently.`,
    });
  if (detail.tokens === undefined)
    notes.push({
      text: 'no tokens',
      hint: 'No tokens were logged. The fork is exact to the character, without probabilities.',
    });
  else if (!detail.tokens.isAligned)
    notes.push({
      text: 'tokens not placed',
      hint: 'Its tokens are not placed on the text. The fork is exact to the character only.',
    });
  if (detail.response.trim() === '')
    notes.push({
      text: 'empty response',
      hint: 'The policy wrote nothing: every turn of the others is a gap here.',
    });
  else if (detail.toolCalls.length === 0 && lanes.some((one) => one.detail.toolCalls.length > 0))
    notes.push({ text: 'no tool calls', hint: 'No code and no tool output to compare.' });
  return notes;
}

/** Whether tokens are logged for either lane. */
export const haveTokens = (a: Lane, b: Lane): boolean =>
  a.detail.tokens !== undefined || b.detail.tokens !== undefined;

/** UTF-16 units of a question in a lane's name. */
const LONGEST_NAME = 40;

/** The last message before the response, which is the question. */
export function questionOf({ segments, detail }: Lane): string {
  const asked = segments.filter((view) => view?.segment.turn === 0 && view.segment.kind !== 'system').at(-1);
  return asked?.inner ?? detail.prompt;
}

/** The key of a lane's group, or the first words of its question if the key is a hash. */
const groupName = (lane: Lane): string =>
  problemName({ problemId: lane.route.groupKey, question: questionOf(lane) }, LONGEST_NAME);

/** `demo · step 50 · pairs-of-divisors · #3`, without the parts that all lanes share. */
export function laneName(
  lane: Lane,
  lanes: readonly Lane[],
): { readonly name: string; readonly full: string } {
  const parts = (one: Lane): readonly string[] => [
    one.detail.run.name,
    one.detail.run.hasSteps ? `step ${one.route.step}` : '',
    groupName(one),
  ];
  const own = parts(lane);
  const telling = own.filter((part, i) => part !== '' && lanes.some((one) => parts(one)[i] !== part));
  const number = `#${lane.route.ordinal}`;
  return {
    name: [...telling, number].join(' · '),
    full: [...own.filter((part) => part !== ''), number].join(' · '),
  };
}

/** The parts of the name that all lanes share. Empty if none exist. */
export function sharedName(lanes: readonly Lane[]): string {
  const [first] = lanes;
  if (first === undefined) return '';
  const { detail, route } = first;
  const isShared = (same: (one: Lane) => boolean) => lanes.every(same);
  return [
    isShared((one) => one.detail.run.name === detail.run.name) ? detail.run.name : '',
    detail.run.hasSteps && isShared((one) => one.detail.run.hasSteps && one.route.step === route.step)
      ? `step ${route.step}`
      : '',
    isShared((one) => one.route.groupKey === route.groupKey) ? groupName(first) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** `from A after 12 tokens`. */
export function partingText({ comparison, lanes, base }: Compared, lane: number): string {
  const baseline = lanes[base]?.letter ?? '';
  const { tokens, chars = 0 } = comparison.lanes[lane]?.prefix ?? {};
  const length = tokens === undefined ? counted(chars, 'character') : counted(tokens, 'token');
  return chars === 0 ? `from ${baseline} at the start` : `from ${baseline} after ${length}`;
}

/** A lane's relation to the baseline, as a sentence. */
export function prefixText(compared: Compared, lane: number): string {
  const found = compared.comparison.lanes[lane];
  if (found === null || found === undefined) return 'the baseline';
  if (found.fork === undefined) return `equal to ${compared.lanes[compared.base]?.letter ?? ''}`;
  return `differs ${partingText(compared, lane)}`;
}

/** State of the comparison for the panel and the transport. */
export interface PlayheadProps {
  /** The lanes that were found, in the order of the lists in `rows`. */
  readonly lanes: readonly Lane[];
  /** Index into `lanes`. */
  readonly base: number;
  readonly rows: readonly ComparedRow[];
  /** Absent with fewer than two lanes, and while it is loading. */
  readonly comparison: Comparison | undefined;
  /** Rows in which a lane forks from the baseline. */
  readonly forks: ReadonlyMap<number, readonly number[]>;
  /** Index into `rows`: the current row of all lanes. */
  readonly row: number;
  readonly onSelectRow: (row: number) => void;
}
