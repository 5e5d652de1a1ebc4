/** High tokens with their context, filtered by class, text and range. The list may have any length. */
import { Copy, X } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useState } from 'react';
import { TOKEN_CLASSES, type TokenClass } from '../../../../shared/domain/reflection.ts';
import { useInterface } from '../../../state/interface.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { copyText } from '../../../ui/exportText.ts';
import { count, counted } from '../../../ui/numbers.ts';
import { leaveField } from '../../../ui/useAutoFocus.ts';
import { useVirtualRows } from '../../../ui/useVirtualRows.ts';
import type { Heat } from '../text/tokenHeat.ts';
import type { SegmentMeans } from './segmentMeans.ts';
import { TokenListRow } from './TokenListRow.tsx';
import { type ListFilter, listedTokens, type TokenSpan, tokensCsv } from './tokenListModel.ts';
import type { TokenCursor } from './useTokenCursor.ts';
import './tokenList.css';

interface TokenListProps {
  readonly heat: Heat;
  readonly cursor: TokenCursor;
  /** For ids without text: the segments that the tokens belong to, if known. */
  readonly means: SegmentMeans | undefined;
}

const ROW_HEIGHT = 42;
const OVERSCAN = 6;
const CLASS_CHOICES: readonly (TokenClass | 'all')[] = ['all', ...TOKEN_CLASSES.slice(1)];

export function TokenList({ heat, cursor, means }: TokenListProps) {
  const [text, setText] = useState('');
  const [tokenClass, setClass] = useState<ListFilter['tokenClass']>('all');
  const [order, setOrder] = useState<ListFilter['order']>('place');
  const wantedText = useDeferredValue(text);
  const { span } = cursor;
  const tokens = useMemo(
    () => listedTokens(heat, { text: wantedText, tokenClass, span, order }),
    [heat, wantedText, tokenClass, span, order],
  );
  const id = useId();
  const list = useVirtualRows({
    count: tokens.length,
    rowHeight: ROW_HEIGHT,
    overscan: OVERSCAN,
    isThere: tokens.length > 0,
  });
  const { space, shown } = list;
  const at = cursor.token === undefined ? -1 : tokens.indexOf(cursor.token);

  const show = (index: number) => {
    const token = tokens[index];
    if (token === undefined) return;
    cursor.go(token);
  };

  // The list follows n and r, as the outline follows the turn.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the current row changes
  useEffect(() => {
    if (at >= 0) list.show(at);
  }, [at]);

  const onKeyDown = (event: KeyboardEvent) => {
    const last = tokens.length - 1;
    const next = {
      ArrowDown: Math.min(last, at + 1),
      ArrowUp: Math.max(0, at - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(next);
  };
  const copy = () =>
    void copyText(tokensCsv(heat, tokens)).then((isCopied) =>
      useInterface
        .getState()
        .setNotice(
          isCopied
            ? `${counted(tokens.length, 'token')} copied as CSV`
            : 'The clipboard is not available here',
        ),
    );

  return (
    <section className="token-list" aria-label="High tokens">
      <div className="token-list-filters">
        <input
          type="search"
          className="token-list-search"
          aria-label="Search in tokens"
          placeholder={heat.ends === undefined ? 'Search in ids' : 'Search in tokens'}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="token-list-row">
          {heat.ends !== undefined && (
            <select
              aria-label="Class"
              value={tokenClass}
              onChange={(event) => setClass(CLASS_CHOICES.find((one) => one === event.target.value) ?? 'all')}
            >
              {CLASS_CHOICES.map((one) => (
                <option key={one} value={one}>
                  {one === 'all' ? 'all high' : `${one} (${count(heat.classCounts[one])})`}
                </option>
              ))}
            </select>
          )}
          <select
            aria-label="Order"
            value={order}
            onChange={(event) => setOrder(event.target.value === 'value' ? 'value' : 'place')}
          >
            <option value="place">by position</option>
            <option value="value">by {heat.words.name}</option>
          </select>
        </div>
        {heat.ends === undefined && (
          <p className="dim token-list-note">
            ids without text:{' '}
            {means === undefined ? 'positions unknown' : 'positions known to the segment only'}
          </p>
        )}
        <SpanFields span={span} last={heat.count - 1} onSpan={cursor.setSpan} />
        <div className="token-list-row">
          <span className="dim">
            {count(tokens.length)} of {count(heat.high.length)} high
          </span>
          <IconButton label="Copy this list as CSV" disabled={tokens.length === 0} onClick={copy}>
            <Copy size={13} />
          </IconButton>
        </div>
      </div>
      {tokens.length === 0 ? (
        <p className="dim token-list-empty">
          {heat.high.length === 0
            ? 'No token is high at this threshold.'
            : 'No high token matches these filters.'}
        </p>
      ) : (
        <div
          ref={list.scroller}
          className="token-list-rows"
          role="listbox"
          tabIndex={0}
          aria-label="High tokens, with context"
          aria-activedescendant={at >= shown.first && at < shown.end ? `${id}-${at}` : undefined}
          onScroll={list.onScroll}
          onKeyDown={onKeyDown}
        >
          <div style={{ height: space.spacer, position: 'relative' }}>
            <div style={{ transform: `translateY(${shown.top}px)` }}>
              {Array.from(tokens.slice(shown.first, shown.end), (token, i) => (
                <TokenListRow
                  key={token}
                  id={`${id}-${shown.first + i}`}
                  heat={heat}
                  token={token}
                  place={means?.placeOf(token)}
                  isCurrent={token === cursor.token}
                  onGo={cursor.go}
                />
              ))}
            </div>
          </div>
        </div>
      )}
    </section>
  );
}

interface SpanFieldsProps {
  readonly span: TokenSpan | undefined;
  readonly last: number;
  readonly onSpan: (span: TokenSpan | undefined) => void;
}

/** Fields for the range of tokens that the scrubber's brush selects too. */
function SpanFields({ span, last, onSpan }: SpanFieldsProps) {
  const change = (from: number, to: number) => {
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || to > last) return;
    onSpan(from === 0 && to === last ? undefined : from <= to ? { from, to } : { from: to, to: from });
  };
  return (
    <div className="token-list-row">
      <span className="dim">tokens</span>
      <input
        // Uncontrolled while the user types, because half a number is not a range.
        key={`from ${span?.from ?? 0}`}
        type="number"
        className="token-number"
        aria-label="First token"
        min={0}
        max={last}
        defaultValue={span?.from ?? 0}
        onBlur={(event) => change(Number(event.target.value), span?.to ?? last)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') leaveField(event.currentTarget);
        }}
      />
      <span className="dim">to</span>
      <input
        key={`to ${span?.to ?? last}`}
        type="number"
        className="token-number"
        aria-label="Last token"
        min={0}
        max={last}
        defaultValue={span?.to ?? last}
        onBlur={(event) => change(span?.from ?? 0, Number(event.target.value))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') leaveField(event.currentTarget);
        }}
      />
      {span !== undefined && (
        <IconButton label={`All ${count(last + 1)} tokens`} onClick={() => onSpan(undefined)}>
          <X size={13} />
        </IconButton>
      )}
    </div>
  );
}
