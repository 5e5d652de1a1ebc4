/**
 * Radix tree of many responses to one problem.
 *
 *   Let me compute ─┬─ this by hand …            3 rollouts, 1 correct
 *                   └─ with Python ─┬─ . N = …   5, 4
 *                                   └─ , then …  2, 0
 *
 * Invariants (property-tested): the leaves partition the members. A node's members are those of its children.
 * Its text from the root begins every member's response, and they share no further whole token (or word).
 *
 * Every character is read once per node that shares it, so time is linear in the texts: 2,000 members of
 * 100,000 characters take as long as one comparison of each.
 */
import { sharedLength } from './divergence.ts';
import type { Utf16Offset } from './model.ts';
import { isHighSurrogate, isInsidePair, isLowSurrogate, isSpace, isWordChar } from './textUnits.ts';

export interface TreeMember {
  readonly id: number;
  readonly response: string;
  /** UTF-16 end of each token. Absent: not aligned. */
  readonly tokenEnds?: Uint32Array;
  /** Absent: unknown. */
  readonly isCorrect?: boolean;
}

export interface PrefixNode {
  /** Index of the parent; absent for the root. Parents precede their children. */
  readonly parent?: number;
  readonly depth: number;
  /** The node's own text: this range of the first member's response. All other members share it. */
  readonly start: Utf16Offset;
  readonly end: Utf16Offset;
  /** Ids in input order. */
  readonly members: readonly number[];
  readonly correct: number;
  /** Members whose correctness is known. */
  readonly correctKnown: number;
  /** Indices of nodes, most members first. Either empty, or at least two. */
  readonly children: readonly number[];
  /**
   * First token or word of the node's text. Absent for the root, and if the responses end with the parent.
   */
  readonly nextToken?: string;
  /**
   * The kind of boundary at `end`. `token` requires tokens of every member of the node. `end` is the end of
   * the responses, for leaves.
   */
  readonly boundary: 'token' | 'word' | 'end';
}

export interface TreeOptions {
  /** Polled once per node. On true, the tree is returned as far as it was built, with `isCut`. */
  readonly isCancelled?: () => boolean;
  /** Maximum number of nodes, default 10,000. */
  readonly maxNodes?: number;
}

export interface PrefixTree {
  /** The root is first. Empty without members. */
  readonly nodes: readonly PrefixNode[];
  /** True if nodes were not split because there were too many or the request was cancelled. */
  readonly isCut: boolean;
}

interface OpenNode {
  readonly parent?: number;
  readonly depth: number;
  readonly start: Utf16Offset;
  readonly members: readonly TreeMember[];
  readonly nextToken?: string;
}

export function prefixTree(members: readonly TreeMember[], options: TreeOptions = {}): PrefixTree {
  const { isCancelled, maxNodes = 10_000 } = options;
  const nodes: (PrefixNode & { readonly children: number[] })[] = [];
  const waiting: OpenNode[] =
    members.length === 0 ? [] : [{ depth: 0, start: 0, members: members.map(withWholeTokens) }];
  let isCut = false;
  for (let open = waiting.pop(); open !== undefined; open = waiting.pop()) {
    const { end, boundary } = sharedEnd(open);
    const branches = boundary === 'end' ? [] : branchesOf(open.members, end, boundary);
    // A split adds at least two children, and each waiting entry becomes one node.
    const isTooMany = nodes.length + 1 + waiting.length + branches.length > maxNodes;
    const isLeft = branches.length > 0 && (isTooMany || isCancelled?.() === true);
    isCut ||= isLeft;
    const place = nodes.length;
    if (open.parent !== undefined) nodes[open.parent]?.children.push(place);
    const known = open.members.filter(({ isCorrect }) => isCorrect !== undefined);
    nodes.push({
      ...(open.parent === undefined ? {} : { parent: open.parent }),
      depth: open.depth,
      start: open.start,
      end,
      members: open.members.map(({ id }) => id),
      correct: known.filter(({ isCorrect }) => isCorrect === true).length,
      correctKnown: known.length,
      children: [],
      ...(open.nextToken === undefined ? {} : { nextToken: open.nextToken }),
      boundary,
    });
    if (isLeft) continue;
    // The stack pops the last entry first; children are numbered by size, largest first.
    for (const branch of branches.reverse())
      waiting.push({ parent: place, depth: open.depth + 1, start: end, ...branch });
  }
  return { nodes, isCut };
}

interface SharedEnd {
  readonly end: Utf16Offset;
  readonly boundary: PrefixNode['boundary'];
}

/** Extends a node's text as far as all members agree, then back to the end of a token or word. */
function sharedEnd({ start, members }: OpenNode): SharedEnd {
  const first = members[0];
  if (first === undefined) return { end: start, boundary: 'end' };
  let shared = first.response.length;
  for (const { response } of members) {
    // Starts here, because a chain of branches would otherwise reread the beginning once per node.
    shared = Math.min(shared, start + sharedLength(first.response, response, start));
  }
  const isAllText = members.every(({ response }) => response.length === shared);
  if (members.every(({ tokenEnds }) => tokenEnds !== undefined)) {
    const end = sharedTokenEnd(members, start, shared);
    if (isAllText && end === shared) return { end, boundary: 'end' };
    // No common token, although a word branch led here. Falls back to words, so that the node is not empty.
    if (end > start || start === 0) return { end, boundary: 'token' };
  }
  if (isAllText) return { end: shared, boundary: 'end' };
  let end = shared;
  while (end > start && !members.every(({ response }) => isBoundary(response, end))) end--;
  return { end, boundary: 'word' };
}

/** End of the last token that all members share, token by token from `start` on. */
function sharedTokenEnd(
  members: readonly TreeMember[],
  start: Utf16Offset,
  shared: Utf16Offset,
): Utf16Offset {
  const [first] = members;
  const own = first?.tokenEnds ?? new Uint32Array(0);
  const from = firstTokenBeyond(own, start);
  let count = 0;
  while (from + count < own.length && (own[from + count] ?? 0) <= shared) count++;
  for (const { tokenEnds = own } of members) {
    if (tokenEnds === own) continue;
    const offset = firstTokenBeyond(tokenEnds, start);
    let same = 0;
    while (same < count && own[from + same] === tokenEnds[offset + same]) same++;
    count = same;
  }
  return count === 0 ? start : (own[from + count - 1] ?? start);
}

function firstTokenBeyond(ends: Uint32Array, offset: Utf16Offset): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A word includes the white space before it, as tokens do. */
function isBoundary(text: string, at: Utf16Offset): boolean {
  if (at <= 0 || at >= text.length) return true;
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (isHighSurrogate(before) && isLowSurrogate(after)) return false;
  if (isSpace(before)) return false;
  return isSpace(after) || !isWordChar(before) || !isWordChar(after);
}

interface Branch {
  readonly members: readonly TreeMember[];
  readonly nextToken?: string;
}

/**
 * Groups members by their next token or word: most members first, then in the order of their first member.
 */
function branchesOf(members: readonly TreeMember[], at: Utf16Offset, boundary: 'token' | 'word'): Branch[] {
  const groups = new Map<string, TreeMember[]>();
  for (const member of members) {
    const end = boundary === 'token' ? tokenEndBeyond(member, at) : wordEnd(member.response, at);
    const next = member.response.slice(at, end);
    const others = groups.get(next);
    if (others === undefined) groups.set(next, [member]);
    else others.push(member);
  }
  return [...groups]
    .map(([next, group]) => ({ members: group, ...(next === '' ? {} : { nextToken: next }) }))
    .sort((one, other) => other.members.length - one.members.length);
}

function tokenEndBeyond({ tokenEnds, response }: TreeMember, at: Utf16Offset): Utf16Offset {
  return tokenEnds?.[firstTokenBeyond(tokenEnds, at)] ?? response.length;
}

/**
 * Tokens that a tree can branch at: each has text, none ends inside a surrogate pair, and the last ends with
 * the response. Byte-level tokens that split a pair are merged with the next. Decreasing ends belong to
 * another text, so the tokens are dropped.
 */
function withWholeTokens({ tokenEnds, ...member }: TreeMember): TreeMember {
  if (tokenEnds === undefined) return member;
  const { response } = member;
  if (areWhole(tokenEnds, response)) return { ...member, tokenEnds }; // the common case, without a copy
  const whole = new Uint32Array(tokenEnds.length + 1);
  let count = 0;
  let last = 0;
  for (const end of tokenEnds) {
    if (end < last || end > response.length) return member;
    if (end > last && !isInsidePair(response, end)) whole[count++] = end;
    last = end;
  }
  if ((whole[count - 1] ?? 0) < response.length) whole[count++] = response.length;
  return { ...member, tokenEnds: whole.subarray(0, count) };
}

function areWhole(tokenEnds: Uint32Array, response: string): boolean {
  let last = 0;
  for (const end of tokenEnds) {
    if (end <= last || isInsidePair(response, end)) return false;
    last = end;
  }
  return last === response.length;
}

function wordEnd(text: string, at: Utf16Offset): Utf16Offset {
  if (at >= text.length) return text.length;
  let end = at + 1;
  while (!isBoundary(text, end)) end++;
  return end;
}
