import { count } from '../../ui/numbers.ts';
import { idSideWords } from './forkModel.ts';
import type { RowContext } from './rowContext.ts';

interface IdForkLineProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly letter: string;
}

/** Where the ids part: exact, though nobody knows which characters they are. */
export function IdForkLine({ context, index, letter }: IdForkLineProps) {
  const { compared } = context;
  const fork = compared.comparison.lanes[index]?.idFork;
  const baseline = compared.lanes[compared.base];
  if (fork === undefined || baseline === undefined) return null;
  const sides = [
    { letter: baseline.letter, words: idSideWords(fork.baseline) },
    { letter, words: idSideWords(fork.lane) },
  ];
  return (
    <p className="cmp-policy-fork">
      By ids, which are exact where their text is not known: the first that differs is token{' '}
      {count(fork.token)},
      {sides.map(({ letter: own, words }, i) => (
        <span key={own}>
          {i > 0 && ','} <span className="mono">{words.id}</span> in {own}
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
