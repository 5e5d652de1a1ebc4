/** Ids, text and the vocabulary that joins them, in words. */
import type { AlignmentRow, RunSources, UnplacedRow } from '../../../../shared/api/contract.ts';
import { count, counted } from '../../../ui/numbers.ts';

/** Whether the tokens of a run have places on its text, and where these come from. */
export function idPlacesText({ withTokens, logged, byTokenizer, unplaced }: RunSources['idPlaces']): string {
  if (withTokens === 0) return 'Nothing is logged per token in this run, so there are no ids to place.';
  if (unplaced === 0 && byTokenizer === 0)
    return logged === 0
      ? `${counted(withTokens, 'rollout')} with values per token, but neither ids nor texts of the tokens.`
      : `The log itself says where the tokens stand: in ${counted(logged, 'rollout')}. No tokenizer is needed.`;
  const parts = [
    logged > 0 ? `${count(logged)} placed on the text by the log itself` : '',
    byTokenizer > 0 ? `${count(byTokenizer)} placed on the text by the tokenizer` : '',
    unplaced > 0 ? `${count(unplaced)} with ids and no text` : '',
  ].filter((part) => part !== '');
  return `Of ${counted(withTokens, 'rollout')} with tokens: ${parts.join(', ')}.`;
}

/** What a tokenizer came to. */
export function alignmentText({ size, rollouts, aligned, runs, placed }: AlignmentRow): string {
  if (rollouts === 0)
    return `${count(size)} ids. No rollout of this run has ids without text, so there was nothing to place; what is read later will be.`;
  const missed = runs - placed;
  const rest = missed > 0 ? `; ${counted(missed, 'stretch', 'stretches')} of them could not be placed` : '';
  return `${count(size)} ids. ${count(aligned)} of ${counted(rollouts, 'rollout')} placed on the text, ${counted(placed, 'stretch', 'stretches')} of sampled tokens${rest}.`;
}

export function misfitText(why: UnplacedRow['why']): string {
  switch (why.kind) {
    case 'nothing':
      return 'its sampled tokens spell no text';
    case 'unknown-ids':
      return `${counted(why.tokens, 'token')} with ids this vocabulary does not have: ${why.ids.join(', ')}`;
    case 'other-text':
      return why.written === ''
        ? `from token ${why.token} on the ids spell “${why.spelled}”, where the text ends`
        : `from token ${why.token} on the ids spell “${why.spelled}”, the text has “${why.written}”`;
  }
}

/** What the reasons together suggest. */
export function misfitAdvice({ firstUnplaced }: AlignmentRow): string | undefined {
  const kinds = new Set(firstUnplaced.map(({ why }) => why.kind));
  if (kinds.has('unknown-ids'))
    return 'Ids without an entry mean another model’s tokenizer, or an older version of it: take the tokenizer.json that lies beside the weights.';
  if (kinds.has('other-text'))
    return 'Only what agrees with the logged text gets a place, white space aside. Where the very first tokens differ it is another tokenizer; where it is one place, the log has changed the text.';
  return undefined;
}
