import { SourceText } from '../../ui/SourceText.tsx';
import { ForkPlace } from './ForkPlace.tsx';
import { forkLabels, shownFork } from './forkModel.ts';
import { haveTokens } from './lanes/laneModel.ts';
import type { RowContext } from './rowContext.ts';

interface PolicyForkProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly letter: string;
}

/** Shown under a fork that a tool or a user caused: the policy's own first fork, and a link to it. */
export function PolicyFork({ context, index, letter }: PolicyForkProps) {
  const { compared } = context;
  const { comparison, base } = compared;
  const logged = comparison.lanes[index]?.policyFork;
  const [baseline, lane] = [compared.lanes[base], compared.lanes[index]];
  if (baseline === undefined || lane === undefined) return null;
  const isOfOthers = ['tool-response', 'user', 'system'].includes(
    comparison.lanes[index]?.fork?.baseline.kind ?? '',
  );
  if (logged === undefined)
    return isOfOthers ? (
      <p className="cmp-policy-fork dim">
        The policy’s own text is equal in {letter} and {baseline.letter}.
      </p>
    ) : null;
  const fork = shownFork(logged, { baseline: baseline.detail.response, lane: lane.detail.response });
  const words = forkLabels(fork, { baseline: baseline.letter, lane: letter }, haveTokens(baseline, lane));
  const sides = [
    { letter: baseline.letter, words: words.baseline },
    { letter, words: words.lane },
  ];
  return (
    <p className="cmp-policy-fork">
      The policy’s own text first differs <ForkPlace {...{ context, index, fork }} />:
      {sides.map(({ letter: own, words }, i) => (
        <span key={own} className="cmp-policy-side">
          {i > 0 && ', '} <Quoted text={words.text} /> in {own}
          {words.text !== undefined && !words.isQuoted && <span className="dim"> ({words.what})</span>}
          {words.value !== undefined && (
            <>
              {' '}
              <b title={words.source}>{words.value}</b>
            </>
          )}
        </span>
      ))}
    </p>
  );
}

function Quoted({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <>the end</>;
  return (
    <span className="mono">
      “<SourceText text={text} />”
    </span>
  );
}
