/** A fork between a lane and the baseline: both tokens, the policy's uncertainty, and its alternatives. */
import { GitFork } from 'lucide-react';
import { Fragment } from 'react';
import type { Fork, ForkSide } from '../../../shared/api/contract.ts';
import { isEnvironment, passagesOf, type Writer } from '../../../shared/domain/divergence.ts';
import { WriterLabel } from '../../ui/Marks.tsx';
import { count, decimal } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { ActionForkLine } from './ActionForkLine.tsx';
import {
  type ForkLabels,
  type ForkSideLabels,
  forkContext,
  forkLabels,
  idSideLabels,
  pText,
  shownFork,
} from './forkModel.ts';
import { haveTokens, type Lane, partingText } from './lanes/laneModel.ts';
import { PolicyFork } from './PolicyFork.tsx';
import type { RowContext } from './rowContext.ts';

interface ForkBandProps {
  readonly context: RowContext;
  /** Indices into `compared.lanes`: the lanes that fork from the baseline at this point. */
  readonly lanes: readonly number[];
}

interface Told {
  readonly index: number;
  readonly lane: Lane;
  readonly fork: Fork;
  readonly words: ForkLabels;
}

export function ForkBand({ context, lanes }: ForkBandProps) {
  const { compared, columns, isUnified } = context;
  const { base, comparison } = compared;
  const baseline = compared.lanes[base];
  const told = lanes.flatMap((index): readonly Told[] => {
    const [lane, logged] = [compared.lanes[index], comparison.lanes[index]?.fork];
    if (lane === undefined || logged === undefined || baseline === undefined) return [];
    const fork = shownFork(logged, { baseline: baseline.detail.response, lane: lane.detail.response });
    const letters = { baseline: baseline.letter, lane: lane.letter };
    return [{ index, lane, fork, words: forkLabels(fork, letters, haveTokens(baseline, lane)) }];
  });
  const [first] = told;
  if (first === undefined || baseline === undefined) return null;
  const letters = lettersLabel(told.map(({ lane }) => lane.letter));
  const sides = new Map([
    [
      base,
      <Side
        key="baseline"
        lane={baseline}
        side={first.fork.baseline}
        words={first.words.baseline}
        others={[...new Set(told.map(({ words }) => words.baseline.other))]}
      />,
    ],
    ...told.map(
      ({ index, lane, fork, words }) =>
        [
          index,
          <Side key={index} lane={lane} side={fork.lane} words={words.lane} others={[words.lane.other]} />,
        ] as const,
    ),
  ]);
  const ofPolicy = told.map(({ index, lane }) => (
    <Fragment key={index}>
      <PolicyFork context={context} index={index} letter={lane.letter} />
      <IdForkLine context={context} index={index} letter={lane.letter} />
      <ActionForkLine context={context} index={index} letter={lane.letter} />
    </Fragment>
  ));
  // If a user's or a tool's text differs first, the policy's first difference is shown before it.
  const isOfOthers = told.every(
    ({ fork }) => isEnvironment(fork.baseline.kind) || isEnvironment(fork.lane.kind),
  );
  return (
    <section className="cmp-fork" aria-label={`The fork of ${letters}`}>
      <div className="cmp-fork-head">
        <span className="cmp-gutter">
          <GitFork size={13} aria-hidden="true" />
        </span>
        <b>
          {letters} {told.length > 1 ? 'differ' : 'differs'} {partingText(compared, first.index)}
        </b>
      </div>
      {isOfOthers && ofPolicy}
      {isUnified ? (
        <div className="cmp-fork-sides">
          <span className="cmp-gutter" />
          {[...sides.values()]}
        </div>
      ) : (
        <div className="cmp-grid">
          <span className="cmp-gutter" />
          {columns.map((own, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
            <Fragment key={column}>{sides.get(own ?? -1) ?? <span />}</Fragment>
          ))}
        </div>
      )}
      {!isOfOthers && ofPolicy}
    </section>
  );
}

/** `B`, `B and C`, `B, C and D`. */
function lettersLabel(letters: readonly string[]): string {
  const last = letters.at(-1) ?? '';
  return letters.length < 2 ? last : `${letters.slice(0, -1).join(', ')} and ${last}`;
}

/** Draws spaces and line ends, since they are often the only difference. */
const visible = (text: string): string => text.replaceAll('\n', '↵').replaceAll('\t', '⇥').replace(/^ /, '·');

interface PassagesProps {
  readonly of: Lane;
  /** Offset of `text` in the response. */
  readonly start: number;
  readonly text: string;
  /** Who wrote what is before it. */
  readonly former: Writer | undefined;
}

/** A stretch of a response. Wherever someone else goes on, a new line begins with a label. */
function Passages({ of: { detail }, start, text, former }: PassagesProps) {
  const passages = passagesOf(detail.segments, { start, end: start + text.length });
  return passages.map((passage, i) => {
    const own = text.slice(passage.start - start, passage.end - start);
    const before = passages[i - 1]?.writer ?? former;
    if (passage.writer === before) return <SourceText key={passage.start} text={own} />;
    return (
      <Fragment key={passage.start}>
        {before !== undefined && <br />}
        <WriterLabel writer={passage.writer} />
        <SourceText text={own.trimStart()} />
      </Fragment>
    );
  });
}

interface SideProps {
  readonly lane: Lane;
  readonly side: ForkSide;
  readonly words: ForkSideLabels;
  /** Whether the other lanes' tokens were among the alternatives here. */
  readonly others: readonly string[];
}

function Side({ lane, side, words, others }: SideProps) {
  const { isCut, isCutBehind, before, after } = forkContext(lane.detail.response, side);
  const { text, alternatives, tail } = words;
  const { segments } = lane.detail;
  const [start, end] = [side.offset - before.length, side.offset + (text ?? '').length + after.length];
  const passages = passagesOf(segments, { start, end });
  const writer = passages.findLast((passage) => passage.start <= side.offset)?.writer;
  // If all of it is of one writer, the line below says whose it is.
  const none = passages.length > 1 ? undefined : writer;
  const former = passages.findLast((passage) => passage.start < side.offset)?.writer ?? none;
  return (
    <div className="cmp-fork-side">
      <p className="cmp-fork-context mono">
        <b className="cmp-letter">{lane.letter}</b> {isCut && '…'}
        <Passages of={lane} start={side.offset - before.length} text={before} former={none} />
        {text !== undefined && writer !== undefined && writer !== former && (
          <>
            {former !== undefined && <br />}
            <WriterLabel writer={writer} />
          </>
        )}
        <mark>{text === undefined ? '∎' : <SourceText text={visible(text)} />}</mark>
        <Passages of={lane} start={side.offset + (text ?? '').length} text={after} former={writer} />
        {isCutBehind && '…'}
      </p>
      <p>
        <span className="dim">{words.what}</span>
        {text !== undefined && words.isQuoted && (
          <span className="mono">
            “<SourceText text={visible(text)} />”
          </span>
        )}
        {words.value !== undefined && (
          <b title={words.source} className="cmp-fork-value">
            {words.value}
          </b>
        )}
        {words.percentile !== undefined && <span>{words.percentile}</span>}
      </p>
      {words.source !== undefined && <p className="dim">{words.source}</p>}
      {others
        .filter((other) => other !== '')
        .map((other) => (
          <p key={other} className="cmp-fork-other">
            {other}
          </p>
        ))}
      {alternatives.length > 0 && (
        <ol className="cmp-alternatives" aria-label={`Alternatives in ${lane.letter}, most likely first`}>
          {alternatives.map((row) => (
            <li key={`${row.text} ${row.p}`} className={row.is === undefined ? undefined : `is-${row.is}`}>
              <span className="mono">
                <SourceText text={visible(row.text)} />
              </span>
              <i>
                <span style={{ width: `${decimal(row.p * 100, 1)}%` }} />
              </i>
              <span className="cmp-p">{pText(row.p)}</span>
              <span className="dim">
                {row.is === 'own' ? 'sampled here' : row.is === 'other' ? 'sampled there' : ''}
              </span>
            </li>
          ))}
          {tail !== undefined && (
            <li className="is-tail">
              <span className="dim">all others</span>
              <i>
                <span style={{ width: `${decimal(tail * 100, 1)}%` }} />
              </i>
              <span className="cmp-p">{pText(tail)}</span>
              <span />
            </li>
          )}
        </ol>
      )}
    </div>
  );
}

interface IdForkLineProps {
  readonly context: RowContext;
  /** Index into `compared.lanes`. */
  readonly index: number;
  readonly letter: string;
}

/** A fork by token ids. The position is exact, but the log has no text for the ids. */
function IdForkLine({ context, index, letter }: IdForkLineProps) {
  const { compared } = context;
  const fork = compared.comparison.lanes[index]?.idFork;
  const baseline = compared.lanes[compared.base];
  if (fork === undefined || baseline === undefined) return null;
  const sides = [
    { letter: baseline.letter, words: idSideLabels(fork.baseline) },
    { letter, words: idSideLabels(fork.lane) },
  ];
  return (
    <p className="cmp-policy-fork">
      By token ids, the first difference is token {count(fork.token)},
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
