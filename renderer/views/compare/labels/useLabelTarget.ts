/** The lanes that labels and notes apply to: the chosen lane, or all. */
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { useLabelling as useStore } from '../../../state/labelling.ts';
import type { ComparedLanes } from '../../replay/labels/useLabelling.ts';
import { useSide } from '../debugger/useSide.ts';
import type { Lane } from '../lanes/laneModel.ts';

export const LABELS_TAB = 'labels';

/** An index into the URL's lanes, or all of them. */
type Choice = number | 'all';

export interface LabelTarget {
  readonly detail: RolloutDetail;
  /** Position of its lane in the URL. */
  readonly lane: number;
  readonly compared: ComparedLanes;
  readonly choices: readonly { readonly id: Choice; readonly name: string }[];
  readonly chosen: Choice;
  readonly choose: (choice: Choice) => void;
}

/** `A`, `A and B`, `A, B and C`. */
function listed(letters: readonly string[]): string {
  const last = letters.at(-1) ?? '';
  return letters.length < 2 ? last : `${letters.slice(0, -1).join(', ')} and ${last}`;
}

/**
 * @param on position of the chosen lane in the URL; if it was not found, the first one that was
 * @returns undefined if no lane was found
 */
export function useLabelTarget(
  lanes: readonly Lane[],
  on: number,
  onChoose: (lane: number) => void,
): LabelTarget | undefined {
  const isForAllLanes = useStore((state) => state.isForAllLanes);
  const { setForAllLanes } = useStore.getState();
  const side = useSide();
  const lane = lanes.find(({ index }) => index === on) ?? lanes[0];
  if (lane === undefined) return undefined;
  const isAll = isForAllLanes && lanes.length > 1;
  const labelled = isAll ? lanes : [lane];
  const choices = [
    ...lanes.map(({ index, letter }) => ({ id: index, name: letter })),
    ...(lanes.length < 2 ? [] : [{ id: 'all' as const, name: lanes.length === 2 ? 'both' : 'all' }]),
  ];
  const chosen = isAll ? 'all' : lane.index;
  const choose = (choice: Choice) => {
    setForAllLanes(choice === 'all');
    if (choice !== 'all') onChoose(choice);
  };
  return {
    detail: lane.detail,
    lane: lane.index,
    compared: {
      others: labelled.filter((one) => one !== lane).map(({ detail }) => detail),
      shownIds: lanes.map(({ detail }) => detail.row.rolloutId),
      names: listed(labelled.map(({ letter }) => letter)),
      flipScope: () => {
        const next = choices[(choices.findIndex(({ id }) => id === chosen) + 1) % choices.length];
        if (next !== undefined) choose(next.id);
      },
      showPanel: () => side.choose(LABELS_TAB),
    },
    choices,
    chosen,
    choose,
  };
}
