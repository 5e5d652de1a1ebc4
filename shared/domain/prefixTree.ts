/**
 * Where many responses to one problem part: their radix tree.
 *
 *   Let me compute ─┬─ this by hand …            3 rollouts, 1 correct
 *                   └─ with Python ─┬─ . N = …   5, 4
 *                                   └─ , then …  2, 0
 *
 * Laws (property-tested): the leaves partition the members; a node's members are those of its children
 * together; its text from the root on begins every member's response, and no whole token (or word) more is
 * common to all of them.
 *
 * Every character is looked at once per node it is shared in, so time is linear in the texts: 2,000 members of
 * 100,000 characters take as long as comparing them once.
 */
import { sharedLength } from './divergence.ts';
import type { Utf16Offset } from './model.ts';
import { isHighSurrogate, isInsidePair, isLowSurrogate, isSpace, isWordChar } from './textUnits.ts';

export interface TreeMember {
  readonly id: number;
  readonly response: string;
  /** UTF-16 end of each token; absent: not aligned. */
  readonly tokenEnds?: Uint32Array;
  /** Absent: unknown. */
  readonly isCorrect?: boolean;
}

export interface PrefixNode {
  /** Index of the node it branches off; absent for the root. Parents come before their children. */
  readonly parent?: number;
  readonly depth: number;
  /** The node's own text: this range of the first member's response, and as much of every other's. */
  readonly start: Utf16Offset;
  readonly end: Utf16Offset;
  /** Ids, in the order given. */
  readonly members: readonly number[];
  readonly correct: number;
  /** Members whose correctness is known. */
  readonly correctKnown: number;
  /** Indices of nodes, most members first. Either none, or two and more. */
  readonly children: readonly number[];
  /** First token or word of the node's text; absent for the root and where the responses end with the parent. */
  readonly nextToken?: string;
  /** What `end` is a boundary of. `token` needs tokens of every member of the node; `end` for leaves: of the responses. */
  readonly boundary: 'token' | 'word' | 'end';
}

export interface TreeOptions {
  /** Asked once per node; the tree is then returned as far as it got, with `isCut`. */
  readonly isCancelled?: () => boolean;
  /** Nodes at most, 10,000 unless told. */
  readonly maxNodes?: number;
}

export interface PrefixTree {
  /** The root is the first; empty without members. */
  readonly nodes: readonly PrefixNode[];
  /** True where nodes that would branch were left as they are: too many of them, or cancelled. */
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
    // A node has two children at least, and each of those waiting will be one node.
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
    // Off the stack comes the last first: children are numbered by size, greatest first.
    for (const branch of branches.reverse())
      waiting.push({ parent: place, depth: open.depth + 1, start: end, ...branch });
  }
  return { nodes, isCut };
}

interface SharedEnd {
  readonly end: Utf16Offset;
  readonly boundary: PrefixNode['boundary'];
}

/** How far the text of a node goes: as far as all members agree, back to where a token or word ends. */
function sharedEnd({ start, members }: OpenNode): SharedEnd {
  const first = members[0];
  if (first === undefined) return { end: start, boundary: 'end' };
  let shared = first.response.length;
  for (const { response } of members) {
    // From here on only, or a chain of branches would read the beginning once per node.
    shared = Math.min(shared, start + sharedLength(first.response, response, start));
  }
  const isAllText = members.every(({ response }) => response.length === shared);
  if (members.every(({ tokenEnds }) => tokenEnds !== undefined)) {
    const end = sharedTokenEnd(members, start, shared);
    if (isAllText && end === shared) return { end, boundary: 'end' };
    // No token in common, though a branch over words led here: words again, lest the node be empty.
    if (end > start || start === 0) return { end, boundary: 'token' };
  }
  if (isAllText) return { end: shared, boundary: 'end' };
  let end = shared;
  while (end > start && !members.every(({ response }) => isBoundary(response, end))) end--;
  return { end, boundary: 'word' };
}

/** End of the last token that all members have in common, token after token from `start` on. */
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

/** A word begins with the white space before it, as tokens do. */
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

/** Members by their next token or word, most first, then in the order of their first member. */
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
 * Tokens one can branch at: each has text, none ends inside a surrogate pair (byte-level tokens may: they count
 * as one with the next), the last ends with the response. Ends that go back are of another text: no tokens.
 */
function withWholeTokens({ tokenEnds, ...member }: TreeMember): TreeMember {
  if (tokenEnds === undefined) return member;
  const { response } = member;
  if (areWhole(tokenEnds, response)) return { ...member, tokenEnds }; // nearly always: not copied
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
