/** Hits of a query in one rollout, with the surrounding text. */
import type { HitList, RolloutHits, SearchHit } from '../../shared/api/contract.ts';
import type { TextNode } from '../../shared/domain/filter/node.ts';
import { looksIn, searchedText, textTest } from '../../shared/domain/filter/textTest.ts';
import type { WordSpan } from '../../shared/domain/filter/words.ts';
import type { SegmentText } from '../storage/queries/texts.ts';

/** Hits shown per rollout or prompt. */
const SHOWN = 3;
/** Limit of counted hits. A complete count of every `e` is useless. */
const MOST_COUNTED = 1000;
const MOST_HITS = 5000;
/** UTF-16 units before a hit, after it, and of the hit itself. Together they fill a line of a wide window. */
const BEFORE = 90;
const BEHIND = 200;
const LONGEST_SHOWN = 240;

interface Place extends WordSpan {
  readonly segment: SegmentText;
  readonly text: string;
}

/** @param nodes text nodes that a match may depend on */
function placesIn(
  segments: readonly SegmentText[],
  nodes: readonly TextNode[],
  most: number,
): { readonly places: readonly Place[]; readonly isAtLeast: boolean } {
  const tests = nodes.map((node) => ({ node, test: textTest(node) }));
  const places: Place[] = [];
  for (const segment of segments) {
    const isPrompt = segment.turn === 0;
    const wanted = tests.filter(({ node }) => looksIn(node.field, segment.kind, isPrompt));
    if (wanted.length === 0) continue;
    const text = searchedText(segment.kind, segment.inner);
    for (const span of withoutOverlaps(wanted.map(({ test }) => test.find(text)))) {
      if (places.length >= most) return { places, isAtLeast: true };
      places.push({ ...span, segment, text });
    }
  }
  return { places, isAtLeast: false };
}

/** The next match of a node, and the iterator of the matches after it. */
interface NextMatch {
  span: WordSpan | undefined;
  readonly rest: Iterator<WordSpan>;
}

/**
 * Merges the matches of several nodes. Lazy, because a text may have millions.
 *
 * @param finds matches of one node each, in order; at least one node
 * @returns matches in order; of overlapping ones the first and longest
 */
function* withoutOverlaps(finds: readonly Iterable<WordSpan>[]): Generator<WordSpan> {
  const matches = finds.map((find): NextMatch => {
    const rest = find[Symbol.iterator]();
    return { span: nextOf(rest), rest };
  });
  for (;;) {
    const { span } = matches.reduce(earlier);
    if (span === undefined) return;
    yield span;
    // All at once: a filter may have thousands of equal conditions.
    for (const match of matches)
      while (match.span !== undefined && match.span.start < span.end) match.span = nextOf(match.rest);
  }
}

/** If both start together, returns the longer one. A node without a match comes last. */
function earlier(a: NextMatch, b: NextMatch): NextMatch {
  if (a.span === undefined) return b;
  if (b.span === undefined) return a;
  return (b.span.start - a.span.start || a.span.end - b.span.end) < 0 ? b : a;
}

function nextOf(rest: Iterator<WordSpan>): WordSpan | undefined {
  const next = rest.next();
  return next.done === true ? undefined : next.value;
}

export function hitList(segments: readonly SegmentText[], nodes: readonly TextNode[]): HitList {
  const { places, isAtLeast } = placesIn(segments, nodes, MOST_COUNTED);
  return { hits: places.slice(0, SHOWN).map(snippetOf), total: places.length, isAtLeast };
}

export function allHits(segments: readonly SegmentText[], nodes: readonly TextNode[]): RolloutHits {
  const { places, isAtLeast } = placesIn(segments, nodes, MOST_HITS);
  return {
    hits: places.map(({ segment: { ordinal, kind, turn }, start, end }) => ({
      segment: ordinal,
      kind,
      turn,
      start,
      end,
    })),
    isAtLeast,
  };
}

function snippetOf({ segment: { ordinal, kind, turn }, text, start, end }: Place): SearchHit {
  const from = boundary(text, Math.max(0, start - BEFORE));
  const shownEnd = boundary(text, Math.min(end, start + LONGEST_SHOWN));
  const to = boundary(text, Math.min(text.length, end + BEHIND));
  const isTextCut = shownEnd < end;
  return {
    segment: ordinal,
    kind,
    turn,
    start,
    end,
    before: text.slice(from, start),
    text: text.slice(start, shownEnd),
    after: isTextCut ? '' : text.slice(end, to),
    isCut: { before: from > 0, text: isTextCut, after: !isTextCut && to < text.length },
  };
}

/** Moves an offset out of a surrogate pair. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
