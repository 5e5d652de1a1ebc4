/** The current token and the selected range, which the URL holds, and the ways to move them. */
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { useInterface } from '../../../state/interface.ts';
import { tokenAt, tokenRange } from '../text/heatModel.ts';
import { segmentAt } from '../text/replayModel.ts';
import { type Heat, neighbour, type TokenScope, tokenScope, tokensIn } from '../text/tokenHeat.ts';
import { SCOPE_NAMES } from './classLabels.ts';
import type { SegmentMeans } from './segmentMeans.ts';
import { parseSpan, spanOf, spanText, type TokenSpan } from './tokenListModel.ts';

type SetQuery = (changes: Readonly<Record<string, string | undefined>>) => void;

interface TokenCursorInput {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  /** For tokens without offsets in the text: the segment each belongs to, if known. */
  readonly means: SegmentMeans | undefined;
  readonly turn: number;
  readonly query: URLSearchParams;
  readonly setQuery: SetQuery;
  /** Scrolls to a position in the response once the URL has it. */
  readonly onShow: (segment: number, start: number) => void;
}

export function useTokenCursor({ detail, heat, means, turn, query, setQuery, onShow }: TokenCursorInput) {
  const ends = heat?.ends;
  const count = heat?.count ?? 0;
  const asked = query.get('token');
  const token = asked !== null && /^\d+$/.test(asked) && Number(asked) < count ? Number(asked) : undefined;
  const askedSpan = query.get('tokens');
  const span = useMemo(() => parseSpan(askedSpan, count), [askedSpan, count]);
  const range = useMemo(
    () => (token === undefined || ends === undefined ? undefined : tokenRange(ends, token)),
    [token, ends],
  );

  /** The range of the selected tokens, if they have offsets in the text. */
  const spanRange = useMemo(
    () =>
      span === undefined || ends === undefined
        ? undefined
        : { start: span.from === 0 ? 0 : (ends[span.from - 1] ?? 0), end: ends[span.to] ?? 0 },
    [span, ends],
  );

  const placeOf = useCallback(
    (at: { readonly start: number; readonly end: number }) =>
      // A token belongs to the segment of its last character.
      segmentAt(detail.segments, Math.max(at.start, at.end - 1)),
    [detail],
  );

  const { rolloutId } = detail.row;
  /** The rollout whose linked token has been shown. Opening a link scrolls to its token; after that only `go` scrolls. */
  const shownOf = useRef<number>(undefined);
  useEffect(() => {
    if (range === undefined || shownOf.current === rolloutId) return;
    shownOf.current = rolloutId;
    const segment = placeOf(range);
    if (segment === undefined) return;
    if (query.get('turn') === null) setQuery({ turn: String(detail.segments[segment]?.turn ?? 0) });
    onShow(segment, range.start);
  }, [range, placeOf, onShow, query, setQuery, detail, rolloutId]);

  const go = useCallback(
    (next: number) => {
      shownOf.current = rolloutId;
      if (ends === undefined) {
        // An id without text has no offset, so go to its segment. That may be unknown as well.
        const segment = means?.segmentOf[next] ?? -1;
        const at = detail.segments[segment];
        setQuery({ token: String(next), ...(at === undefined ? {} : { turn: String(at.turn) }) });
        if (at !== undefined) onShow(segment, at.outer.start);
        return;
      }
      const { start, end } = tokenRange(ends, next);
      const segment = placeOf({ start, end });
      if (segment === undefined) return;
      setQuery({ token: String(next), turn: String(detail.segments[segment]?.turn ?? 0) });
      onShow(segment, start);
    },
    [ends, means, detail, rolloutId, placeOf, setQuery, onShow],
  );
  const choose = useCallback(
    (next: number) => {
      shownOf.current = rolloutId;
      setQuery({ token: String(next) });
    },
    [setQuery, rolloutId],
  );

  /** Without a current token, start at the current turn. */
  const origin = (direction: 1 | -1): number => {
    if (token !== undefined) return token;
    const first = detail.segments.find((segment) => segment.turn === turn && turn > 0)?.outer.start ?? 0;
    if (ends !== undefined) return tokenAt(ends, first) - (direction === 1 ? 1 : 0);
    return direction === 1 ? -1 : count;
  };
  // Ids without text have no classes, and no text that follows an error.
  const scope = ends === undefined ? 'everywhere' : tokenScope(query.get('only'));
  const step = (kind: 'high' | 'reflections', direction: 1 | -1) => {
    const next =
      heat === undefined ? undefined : neighbour(tokensIn(heat, scope)[kind], origin(direction), direction);
    if (next !== undefined) return go(next);
    const what = kind === 'high' ? 'high token' : 'reflection token';
    const where = scope === 'everywhere' ? '' : ` ${SCOPE_NAMES[scope]}`;
    useInterface
      .getState()
      .setNotice(`No ${what}${where} ${direction === 1 ? 'after' : 'before'} this position`);
  };
  return {
    token,
    range,
    span,
    spanRange,
    go,
    choose,
    clear: () => setQuery({ token: undefined }),
    stepToken: (direction: 1 | -1) => {
      const next = origin(direction) + direction;
      if (next >= 0 && next < count) go(next);
    },
    stepHigh: (direction: 1 | -1) => step('high', direction),
    stepReflection: (direction: 1 | -1) => step('reflections', direction),
    scope,
    setScope: (next: TokenScope) => setQuery({ only: next === 'everywhere' ? undefined : next }),
    setSpan: (next: TokenSpan | undefined) =>
      setQuery({ tokens: next === undefined ? undefined : spanText(next) }),
    brush: (from: number, to: number) => {
      const next = ends === undefined ? undefined : spanOf(ends, detail.response.length, from, to);
      if (next !== undefined) setQuery({ tokens: spanText(next) });
    },
  };
}

export type TokenCursor = ReturnType<typeof useTokenCursor>;
