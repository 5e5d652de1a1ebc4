// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
/** The context that a turn was sampled from: its parts in order, with their sizes, marks and text. */
import { X } from 'lucide-react';
import { useLayoutEffect, useMemo, useState } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { contextLimit } from '../../../shared/domain/outcome.ts';
import {
  CONTEXT_MARKS,
  type ContextMark,
  type ContextOfTurn,
  type ContextPart,
  PolicyContexts,
} from '../../../shared/domain/policyContext.ts';
import { contextIn } from '../../../shared/format/loggedContext.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { useVirtualRows } from '../../ui/useVirtualRows.ts';
import { VirtualText } from '../../ui/VirtualText.tsx';
import type { Hit } from './text/findModel.ts';
import type { Heat } from './text/tokenHeat.ts';
import './contextPane.css';

const ROW_HEIGHT = 44;
const OVERSCAN = 6;
/** Rows that an opened text covers. It scrolls inside. */
const TEXT_ROWS = 7;

interface ContextPaneProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  readonly turn: number;
  readonly onShow: (hit: Hit) => void;
  readonly onClose: () => void;
}

export function ContextPane({ detail, heat, turn, onShow, onClose }: ContextPaneProps) {
  const contexts = useMemo(
    () =>
      new PolicyContexts({
        ...detail,
        ...contextIn(detail.extra),
        ends: heat?.ends,
        mask: heat?.ends === undefined ? undefined : heat.mask,
      }),
    [detail, heat?.ends, heat?.mask],
  );
  const context = useMemo(() => contexts.at(turn), [contexts, turn]);
  return (
    <aside className="context-pane" aria-label="Context">
      <header className="context-head">
        <h2>{turn === 0 ? 'Context' : `Context of turn ${turn}`}</h2>
        <IconButton label="Close the context" keys={keyOf('context.flip')} onClick={onClose}>
          <X size={15} />
        </IconButton>
      </header>
      {turn === 0 ? (
        <p className="context-note">
          The prompt has no context before it. Go to a turn to see what it was sampled from.
        </p>
      ) : (
        <>
          <ContextTotal detail={detail} context={context} />
          <PartList
            key={detail.row.rolloutId}
            detail={detail}
            parts={context.parts}
            turn={turn}
            onShow={onShow}
          />
        </>
      )}
    </aside>
  );
}

interface ContextTotalProps {
  readonly detail: RolloutDetail;
  readonly context: ContextOfTurn;
}

function ContextTotal({ detail, context }: ContextTotalProps) {
  const { parts, characters, tokens, request } = context;
  const limit = contextLimit(detail.limits);
  const length = request?.tokens;
  const share = limit === undefined || length === undefined ? undefined : length / limit.value;
  return (
    <section className="context-total" aria-label="Length of the context">
      <p>
        <b>{counted(characters, 'character')}</b> in {counted(parts.length, 'part')}
        {length !== undefined && (
          <>
            {' · '}
            <b>{counted(length, 'token')}</b> <Source source="logged" by={request?.field ?? ''} />
          </>
        )}
        {length === undefined && tokens !== undefined && ` · ${counted(tokens, 'token')}`}
      </p>
      {limit !== undefined && (
        <p className="dim">
          Limit: {counted(limit.value, 'token')} ({plainLogText(limit.field)})
          {share === undefined
            ? '. The log does not have the length of this request in tokens.'
            : `, ${percent(share)} % used`}
        </p>
      )}
      {share !== undefined && (
        <div
          className={share >= 1 ? 'context-bar is-full' : 'context-bar'}
          role="img"
          aria-label={`${percent(share)} % of the limit used`}
        >
          <span style={{ width: `${Math.min(100, share * 100)}%` }} />
        </div>
      )}
      {notesOf(detail, context, limit !== undefined).map((note) => (
        <p key={note} className="context-note">
          {note}
        </p>
      ))}
    </section>
  );
}

/** Notes on facts that the log lacks, and on differences from the text. */
function notesOf(
  detail: RolloutDetail,
  { parts, request }: ContextOfTurn,
  hasLimit: boolean,
): readonly string[] {
  const has = (kind: ContextPart['kind']) => parts.some((part) => part.kind === kind);
  const compacted = parts.flatMap(({ marks }) => marks).find(({ what }) => what === 'compacted');
  return [
    ...(detail.prompt === ''
      ? ['The log has no prompt.']
      : has('system')
        ? []
        : ['The log has no system message.']),
    ...(has('tools') ? [] : ['The log has no tool definitions.']),
    ...(hasLimit ? [] : ['The configuration of the run has no limit of the context.']),
    ...(request?.tokens === undefined && hasLimit === false
      ? ['The log does not have the length of this request in tokens.']
      : []),
    ...(compacted === undefined
      ? []
      : compacted.source === 'logged'
        ? [`History before this turn was replaced, as logged (${compacted.by}).`]
        : [`History may be missing: ${compacted.by} The log does not say which part.`]),
  ];
}

interface PartListProps {
  readonly detail: RolloutDetail;
  readonly parts: readonly ContextPart[];
  readonly turn: number;
  readonly onShow: (hit: Hit) => void;
}

function PartList({ detail, parts, turn, onShow }: PartListProps) {
  /** Index of the part whose text is open. */
  const [open, setOpen] = useState<number>();
  const shownOpen = open !== undefined && open < parts.length ? open : undefined;
  const rows = parts.length + (shownOpen === undefined ? 0 : TEXT_ROWS);
  const list = useVirtualRows<HTMLElement>({ count: rows, rowHeight: ROW_HEIGHT, overscan: OVERSCAN });
  // The end of a context is what the turn answers to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the turn changes
  useLayoutEffect(() => {
    if (shownOpen === undefined) list.show(rows - 1);
  }, [turn]);
  const items: { readonly row: number; readonly part: number }[] = [];
  for (let row = list.shown.first; row < list.shown.end; row++) {
    const isAfter = shownOpen !== undefined && row > shownOpen + TEXT_ROWS;
    const isText = shownOpen !== undefined && row > shownOpen && !isAfter;
    if (!isText) items.push({ row, part: isAfter ? row - TEXT_ROWS : row });
  }
  const isTextShown =
    shownOpen !== undefined && shownOpen + TEXT_ROWS >= list.shown.first && shownOpen < list.shown.end;
  const opened = shownOpen === undefined ? undefined : parts[shownOpen];
  const topOf = (row: number) => list.shown.top + (row - list.shown.first) * ROW_HEIGHT;
  return (
    <section
      ref={list.scroller}
      className="context-parts"
      aria-label="Parts of the context"
      tabIndex={0}
      onScroll={list.onScroll}
    >
      <div style={{ height: list.space.spacer, position: 'relative' }}>
        <ol>
          {items.map(({ row, part: index }) => {
            const part = parts[index];
            return part === undefined ? null : (
              <li key={index} style={{ top: topOf(row), height: ROW_HEIGHT }}>
                <PartRow
                  detail={detail}
                  part={part}
                  isOpen={index === shownOpen}
                  onFlip={() => setOpen(index === shownOpen ? undefined : index)}
                  onShow={onShow}
                />
              </li>
            );
          })}
        </ol>
        {isTextShown && opened !== undefined && (
          <div
            className="context-text"
            style={{ top: topOf((shownOpen ?? 0) + 1), height: TEXT_ROWS * ROW_HEIGHT }}
          >
            <VirtualText
              key={shownOpen}
              label={`Text of ${nameOf(opened, detail)}`}
              text={textOf(opened, detail)}
            />
          </div>
        )}
      </div>
    </section>
  );
}

function textOf({ from, range }: ContextPart, detail: RolloutDetail): string {
  return typeof from === 'object' ? from.text : detail[from].slice(range.start, range.end);
}

const NAMES: Readonly<Record<ContextPart['kind'], string>> = {
  system: 'system',
  tools: 'tool definitions',
  user: 'user',
  reasoning: 'reasoning',
  text: 'text',
  'tool-call': 'tool call',
  'tool-response': 'tool response',
  answer: 'answer',
  redacted: 'reasoning, redacted',
  replacement: 'prompt in place of the history',
};

/** After the prompt, messages come from a simulated user where the task has one, else from the environment. */
function nameOf({ kind, turn }: ContextPart, { userScenario }: RolloutDetail): string {
  if (turn === 0 && kind === 'text') return 'assistant, in the prompt';
  if (turn === 0) return NAMES[kind];
  if (kind === 'user') return userScenario === undefined ? 'user, injected' : 'simulated user';
  return kind === 'system' ? 'system, injected' : NAMES[kind];
}

interface PartRowProps {
  readonly detail: RolloutDetail;
  readonly part: ContextPart;
  readonly isOpen: boolean;
  readonly onFlip: () => void;
  readonly onShow: (hit: Hit) => void;
}

/** Characters of the beginning that a row shows. */
const PREVIEW = 120;

function PartRow({ detail, part, isOpen, onFlip, onShow }: PartRowProps) {
  const { kind, turn, from, segment, characters, tokens, marks, range } = part;
  const name = nameOf(part, detail);
  const hasText = range.end > range.start;
  const text = textOf(part, detail);
  return (
    <div className={`context-part is-${kind}${part.isReplaced ? ' is-replaced' : ''}`}>
      <button
        type="button"
        className="context-part-open"
        aria-expanded={isOpen}
        disabled={!hasText}
        onClick={onFlip}
      >
        <span className="context-part-name">
          <b>{name}</b>
          <span className="dim">
            {kind === 'redacted' ? 'length unknown' : `${count(characters)} chars`}
            {tokens !== undefined && ` · ${counted(tokens, 'token')}`}
          </span>
        </span>
        <span className="context-part-text dim">
          {kind === 'redacted' && hasText && 'summary of the provider: '}
          {plainLogText(text.slice(0, PREVIEW).replace(/\s+/g, ' ').trim())}
        </span>
      </button>
      <span className="context-part-end">
        {segment === undefined || typeof from === 'object' ? (
          <span className="dim">
            {typeof from === 'object' && kind !== 'redacted'
              ? 'beside the text'
              : turn === 0
                ? 'prompt'
                : `turn ${turn}`}
          </span>
        ) : (
          <button
            type="button"
            className="is-link"
            title="Show it in the transcript"
            onClick={() => onShow({ source: from, turn, segment, start: range.start, end: range.end })}
          >
            {turn === 0 ? 'prompt' : `turn ${turn}`}
          </button>
        )}
        <Marks marks={marks} />
      </span>
    </div>
  );
}

const MARK_NAMES: Readonly<Record<ContextMark['what'], string>> = {
  truncated: 'truncated',
  compacted: 'compacted',
  redacted: 'redacted',
  masked: 'no loss',
};

function Marks({ marks }: { readonly marks: readonly ContextMark[] }) {
  const sorted = [...marks].sort((a, b) => CONTEXT_MARKS.indexOf(a.what) - CONTEXT_MARKS.indexOf(b.what));
  return (
    <span className="context-marks">
      {sorted.map(({ what, source, by }) => (
        <span
          key={what}
          className={`context-mark is-${what} is-${source}`}
          title={`${source}: ${plainLogText(by)}`}
        >
          {MARK_NAMES[what]}
          <small>{source}</small>
        </span>
      ))}
    </span>
  );
}

/** `logged` with its field, or `derived` with its rule, in the tooltip. */
export function Source({ source, by }: { readonly source: 'logged' | 'derived'; readonly by: string }) {
  return (
    <small className="replay-basis" title={plainLogText(by)}>
      {source}
    </small>
  );
}
