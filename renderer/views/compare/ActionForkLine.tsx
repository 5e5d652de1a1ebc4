import type { ActionSide, RolloutDetail } from '../../../shared/api/contract.ts';
import { callName, THOUGHT_TOOL } from '../../../shared/domain/actions.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { TurnPlace } from './ForkPlace.tsx';
import type { RowContext } from './rowContext.ts';

interface ActionForkLineProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly letter: string;
}

/** Names the first action of a lane that differs from the baseline's, and links to the rows of both. */
export function ActionForkLine({ context, index, letter }: ActionForkLineProps) {
  const { compared } = context;
  const { comparison, base } = compared;
  const fork = comparison.lanes[index]?.actionFork;
  const baseline = compared.lanes[base]?.letter ?? '';
  if (fork === undefined) return null;
  const thoughts = [base, index].reduce((sum, of) => sum + thoughtsIn(compared.lanes[of]?.detail), 0);
  const left = thoughts > 0 && (
    <span className="dim">
      {' '}
      {counted(thoughts, 'call')} of <code>{THOUGHT_TOOL}</code> not counted
    </span>
  );
  if (fork.baseline === undefined && fork.lane === undefined)
    return (
      <p className="cmp-policy-fork dim" title={ACTIONS}>
        {letter} and {baseline} do the same: {counted(fork.shared, 'action')}.{left}
      </p>
    );
  return (
    <p className="cmp-policy-fork" title={ACTIONS}>
      {fork.shared === 0
        ? 'They act differently:'
        : `After ${counted(fork.shared, 'same action')}, they differ:`}
      {[
        { own: baseline, of: base, side: fork.baseline },
        { own: letter, of: index, side: fork.lane },
      ].map(({ own, of, side }, i) => (
        <span key={own} className="cmp-policy-side">
          {i > 0 && ','} <ActionText side={side} isFirst={fork.shared === 0} />{' '}
          {side === undefined ? `in ${own}` : <TurnPlace context={context} index={of} turn={side.turn} />}
        </span>
      ))}
      {left !== false && ';'}
      {left}
    </p>
  );
}

const ACTIONS = `Actions are calls, malformed ones included, and the answer. Calls of ${THOUGHT_TOOL} only write down a thought, and are no actions.`;

const thoughtsIn = (detail: RolloutDetail | undefined): number =>
  detail?.toolCalls.filter(({ name }) => name === THOUGHT_TOOL).length ?? 0;

/** Characters of an action on the line. */
const SHOWN = 80;

function ActionText({ side, isFirst }: { readonly side: ActionSide | undefined; readonly isFirst: boolean }) {
  if (side === undefined) return <>{isFirst ? 'no action' : 'no further action'}</>;
  const text = side.text.replace(/\s+/g, ' ');
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  return (
    <>
      {side.kind === 'answer' ? 'the answer' : plainLogText(callName(side))}{' '}
      <span className="mono" title={plainLogText(side.text)}>
        <SourceText text={shown} />
      </span>
    </>
  );
}
