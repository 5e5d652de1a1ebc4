/** One segment in its lane: its kind, its relation to the baseline's segment, and its text. */

import { type ReactNode, useContext, useMemo } from 'react';
import type { ComparedBlock } from '../../../shared/api/contract.ts';
import { costOfChanges, endOfCost } from '../../../shared/domain/drawingCost.ts';
import { errorType } from '../../../shared/domain/errorType.ts';
import { outcomeMark, problemOf, type SegmentView } from '../../data/segmentViews.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { AnsiText } from '../../ui/AnsiText.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { SourceText, withLongWord } from '../../ui/SourceText.tsx';
import { CodeCellButtons } from '../../widgets/CodeState.tsx';
import { RerunResult } from '../../widgets/rerun/RerunResult.tsx';
import { RerunButtons } from '../../widgets/rerun/Reruns.tsx';
import { MarkdownText } from '../replay/text/MarkdownText.tsx';
import { COSTS, MostCost } from './blockCost.ts';
import {
  forkMark,
  KIND_LABELS,
  type Pair,
  pairOf,
  pathText,
  type Shown,
  shownOf,
  showsIndented,
} from './blockModel.ts';
import '../replay/transcript.css';
import type { Compared } from './lanes/laneModel.ts';
import type { RowContext } from './rowContext.ts';
import { SideLines, SideProse } from './Texts.tsx';

interface CellProps {
  readonly context: RowContext;
  readonly block: ComparedBlock;
  /** Index into `compared.lanes`. */
  readonly lane: number;
  readonly stretch: string;
  readonly onDiff: (() => void) | undefined;
}

/** The segment that the baseline's text is marked against: the chosen lane's, else the first that differs. */
function counterpart({ compared, on }: RowContext, block: ComparedBlock): number | undefined {
  const differs = (lane: number) => block.edits[lane] !== null && block.edits[lane] !== undefined;
  if (on !== compared.base && differs(on)) return on;
  const found = compared.lanes.findIndex((_, lane) => differs(lane));
  return found < 0 ? undefined : found;
}

export function viewIn({ lanes }: Compared, block: ComparedBlock, lane: number): SegmentView | undefined {
  return lanes[lane]?.segments[block.segments[lane] ?? -1];
}

export function pairIn(compared: Compared, block: ComparedBlock, lane: number): Pair | undefined {
  const [a, b] = [viewIn(compared, block, compared.base), viewIn(compared, block, lane)];
  const edits = block.edits[lane];
  return a === undefined || b === undefined || edits === null || edits === undefined
    ? undefined
    : pairOf(a, b, edits);
}

export function Cell({ context, block, lane, stretch, onDiff }: CellProps) {
  const { compared, on } = context;
  const { lanes, base, comparison } = compared;
  const flipStretch = useInterface((state) => state.flipStretch);
  const isOpened = useInterface((state) => state.flippedStretches.has(`${stretch} same`));
  const view = viewIn(compared, block, lane);
  const own = lanes[lane];
  const isBase = lane === base;
  const other = isBase ? counterpart(context, block) : lane;
  const pair = useMemo(
    () => (other === undefined ? undefined : pairIn(compared, block, other)),
    [compared, block, other],
  );
  if (view === undefined || own === undefined) return <Gap />;
  const relation = block.relations[lane];
  const baseline = lanes[base]?.letter ?? '';
  const isMissingThere =
    isBase && on !== base && ((block.segments[on] ?? null) === null || block.relations[on] === 'only');
  const fork = comparison.lanes[isBase ? on : lane]?.fork;
  const side = isBase ? fork?.baseline : fork?.lane;
  const shown = shownOf(view);
  const mark = side?.segment === view.index ? forkMark(shown, side) : undefined;
  const isSame = !isBase && relation === 'equal' && context.isElided && shown.text.length > 60;
  const tag = isMissingThere
    ? `− not in ${lanes[on]?.letter ?? ''}`
    : relation === 'only' && !isBase
      ? `+ not in ${baseline}`
      : isBase || relation !== 'equal'
        ? ''
        : `= as in ${baseline}`;
  const names = ['cmp-cell'];
  if (relation === 'only' && !isBase) names.push('is-added');
  if (isMissingThere) names.push('is-removed');
  return (
    <div className={withLongWord(names.join(' '), view.inner)}>
      <CellHead
        view={view}
        tag={tag}
        shown={shown}
        isIndented={showsIndented(shown, pair, isBase ? 'a' : 'b')}
        isMarked={pair?.diff !== undefined || mark !== undefined}
      >
        {view.call !== undefined && (
          <>
            <RerunButtons rolloutId={own.detail.row.rolloutId} segment={view.index} />
            <CodeCellButtons segment={view.index} detail={own.detail} />
          </>
        )}
        {onDiff !== undefined && (
          <button
            type="button"
            className="is-link"
            title={keyed('In the diff editor', 'block.diff')}
            onClick={onDiff}
          >
            diff
          </button>
        )}
        {isSame && (
          <button
            type="button"
            className="is-link"
            aria-expanded={isOpened}
            onClick={() => flipStretch(`${stretch} same`)}
          >
            {isOpened ? 'fold' : 'show'}
          </button>
        )}
      </CellHead>
      {(!isSame || isOpened) && (
        <CellText
          view={view}
          shown={shown}
          pair={pair}
          side={isBase ? 'a' : 'b'}
          fork={mark}
          stretch={`${stretch} ${lane}`}
          isElided={context.isElided}
        />
      )}
      {view.call !== undefined && (
        <RerunResult rolloutId={own.detail.row.rolloutId} segment={view.index} lane={own.letter} />
      )}
    </div>
  );
}

function Gap() {
  return (
    <div className="cmp-gap">
      <span className="visually-hidden">not in this lane</span>
    </div>
  );
}

/** Formulas and emphasis, which a replay draws. */
const DRAWN_ELSEWHERE = /\$|\\[([]|\*\*/;

interface CellHeadProps {
  readonly view: SegmentView;
  readonly tag: string;
  readonly shown: Shown;
  readonly isIndented: boolean;
  /** Differences are marked in the text, so it is shown as written. */
  readonly isMarked: boolean;
  readonly children?: ReactNode;
}

export function CellHead({ view, tag, shown, isIndented, isMarked, children }: CellHeadProps) {
  const call = view.call ?? view.answeredCall;
  const mark = call === undefined ? undefined : outcomeMark(call.outcome);
  const exception =
    mark?.isError === true && view.answeredCall !== undefined ? errorType(view.inner) : undefined;
  const problem = problemOf(view);
  return (
    <>
      <header className="cmp-cell-head">
        <b>{KIND_LABELS[view.segment.kind]}</b>
        {view.call !== undefined && (
          <span className="mono cmp-call" title={plainLogText(view.call.name ?? '')}>
            {plainLogText(view.call.name ?? 'name unreadable')}
          </span>
        )}
        {mark !== undefined && (
          <span className={mark.isError ? 'is-wrong' : 'muted'} title={mark.title ?? mark.label}>
            {mark.glyph}{' '}
            <span className={exception === undefined ? 'cmp-outcome' : ''}>{exception ?? mark.label}</span>
          </span>
        )}
        {tag !== '' && <span className="cmp-tag">{tag}</span>}
        {isIndented && (
          <span className="dim" title="One line in the log. Raw in the replay shows it as logged.">
            JSON, indented
          </span>
        )}
        {isMarked && shown.form === 'prose' && DRAWN_ELSEWHERE.test(shown.text) && (
          <span
            className="dim"
            title="The marks of differences are on its characters, so formulas and Markdown are not drawn. The replay draws them."
          >
            as written
          </span>
        )}
        <span className="end">
          {children}
          <span className="dim">
            {count(shown.form === 'output' ? view.inner.length : shown.text.length)} chars
          </span>
        </span>
      </header>
      {problem !== undefined && <p className="muted segment-problem">{plainLogText(problem)}</p>}
    </>
  );
}

/**
 * Longer prose is shown as written, and cut until it is opened. A row has all its texts at once, and 24,000 characters
 * of nothing but emphasis block the page for 5 s.
 */
const LONGEST_DRAWN = 3_000;

/** Whether prose is drawn as Markdown. */
export const isDrawn = (text: string, mostCost = LONGEST_DRAWN): boolean =>
  text.length <= LONGEST_DRAWN && costOfChanges(text) <= Math.min(mostCost, LONGEST_DRAWN);

interface CellTextProps {
  readonly view: SegmentView;
  readonly shown: Shown;
  readonly pair: Pair | undefined;
  readonly side: 'a' | 'b';
  readonly fork: ReturnType<typeof forkMark>;
  readonly stretch: string;
  readonly isElided: boolean;
}

export function CellText({ view, shown, pair, side, fork, stretch, isElided }: CellTextProps) {
  const diff = pair?.diff;
  const at = { stretch, isElided };
  const mostCost = useContext(MostCost);
  // The fork's offset refers to the segment's own text. In a raw pair another text is shown, so the mark is dropped.
  const isOwnText = diff === undefined || diff[side] === shown.text;
  const text = isOwnText ? shown.text : (diff?.[side] ?? '');
  const mark = isOwnText ? fork : undefined;
  if (text === '' && pair?.changes === undefined) return <p className="muted cmp-empty">empty</p>;
  const isError = view.answeredCall !== undefined && outcomeMark(view.answeredCall.outcome).isError;
  switch (pair?.form ?? shown.form) {
    case 'code':
      return (
        <>
          <div className="cmp-code">
            <SideLines text={text} diff={diff} side={side} fork={mark} isPython {...at} />
          </div>
          {shown.others !== undefined && pair?.changes === undefined && (
            <div className="cmp-arguments">
              <SideProse text={shown.others} stretch={`${stretch} others`} isElided={false} />
            </div>
          )}
          {pair?.changes !== undefined && <Changes pair={pair} side={side} />}
        </>
      );
    case 'arguments':
      return (
        <div className="cmp-code">
          {pair?.changes !== undefined && <Changes pair={pair} side={side} />}
          <SideLines text={shown.text} isPython={false} {...at} />
        </div>
      );
    case 'output':
      return (
        <div className={isError ? 'cmp-output is-error' : 'cmp-output'}>
          {diff === undefined &&
          mark === undefined &&
          text.includes('\u001b[') &&
          endOfCost(text, mostCost, COSTS).end === text.length ? (
            <pre className="cmp-ansi">
              <AnsiText text={text} start={view.segment.inner.start} source={view.source} />
            </pre>
          ) : (
            <SideLines
              {...{ text, diff, side, ...at }}
              fork={mark}
              isPython={false}
              isIndented={shown.isIndented === true && mark === undefined}
            />
          )}
        </div>
      );
    case 'prose':
      // A text with a mark is shown as written, because the mark is on its characters.
      return diff === undefined && mark === undefined && isDrawn(text, mostCost) ? (
        <div className="prose">
          <MarkdownText text={text} start={view.segment.inner.start} source={view.source} />
        </div>
      ) : (
        <SideProse text={text} diff={diff} side={side} fork={mark} {...at} />
      );
  }
}

/** The differences between two calls' arguments, by JSON path: this side's value and the other side's. */
export function Changes({ pair, side }: { readonly pair: Pair; readonly side: 'a' | 'b' | 'both' }) {
  const changes = pair.changes ?? [];
  if (changes.length === 0) return <p className="muted cmp-empty">equal as JSON, written differently</p>;
  return (
    <ul className="cmp-changes" aria-label={`${counted(changes.length, 'argument')} differ`}>
      {changes.map((change) => {
        const path = pathText(change.path);
        return (
          <li key={`${change.kind} ${path}`}>
            <span className="dim">
              <SourceText text={path === '' ? 'all' : path} />
            </span>
            {side !== 'b' && change.kind !== 'added' && (
              <span className="is-removed-text">
                − <SourceText text={change.a} />
              </span>
            )}
            {side !== 'a' && change.kind !== 'removed' && (
              <span className="is-added-text">
                + <SourceText text={change.b} />
              </span>
            )}
            {((side === 'a' && change.kind === 'added') || (side === 'b' && change.kind === 'removed')) && (
              <span className="dim">absent</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
