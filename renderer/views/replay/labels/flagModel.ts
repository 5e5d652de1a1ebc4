/** Automatic flags of a rollout, their places, and the labels they suggest. */
import {
  type AnnotationRow,
  LABEL_OF_FLAG,
  type RolloutDetail,
  type RolloutFlag,
} from '../../../../shared/api/contract.ts';
import type { Hit } from '../findModel.ts';

/** Flags that suggest a label and that nobody has confirmed yet. */
export function openFlags(
  { flags }: RolloutDetail,
  annotations: readonly AnnotationRow[],
): readonly RolloutFlag[] {
  return flags.filter(
    ({ flag }) => LABEL_OF_FLAG[flag] !== undefined && annotations.every((one) => one.flag !== flag),
  );
}

/** Evidence counts segments of the response; the transcript counts those of the prompt with them. */
export function flagPlace(
  { segment, start, end }: RolloutFlag['evidence'][number],
  { segments }: RolloutDetail,
): Hit | undefined {
  const index = segments.findIndex(({ turn }) => turn > 0) + segment;
  const found = segments[index];
  return found === undefined
    ? undefined
    : { source: 'response', segment: index, turn: found.turn, start, end };
}
