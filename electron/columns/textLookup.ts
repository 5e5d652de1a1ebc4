/** Evaluates text nodes of a filter for a rollout: by the index if possible, else by reading the text. */
import type { TextNode } from '../../shared/domain/filter/node.ts';
import { looksIn, searchedText, type TextTest, textTest } from '../../shared/domain/filter/textTest.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  groupsBeyondIndex,
  type IndexedMatches,
  type IndexState,
  indexedMatches,
  indexedRun,
  indexState,
  isIndexed,
} from '../storage/queries/search.ts';
import type { RolloutTexts, SegmentText } from '../storage/queries/texts.ts';
import type { Ternary } from './rowPredicate.ts';

interface Wanted {
  readonly test: TextTest;
  /** undefined: the index cannot answer the node. */
  readonly indexed: IndexedMatches | undefined;
}

/** Valid for one run in one state of the library. */
export class TextLookup {
  readonly state: IndexState;
  private readonly wanted: ReadonlyMap<TextNode, Wanted>;
  private readonly newGroups: ReadonlySet<number>;
  private readonly isWhole: boolean;

  constructor(db: ReadableLibrary, runId: number, nodes: readonly TextNode[]) {
    this.state = indexState(db);
    const run = indexedRun(db, runId);
    this.wanted = new Map(
      nodes.map((node) => [node, { test: textTest(node), indexed: indexedMatches(db, run, node) }]),
    );
    this.newGroups = groupsBeyondIndex(db, runId, this.state.promptsTo);
    this.isWhole = isIndexed(db, run, this.state);
  }

  /** The index result for the whole run; undefined if the index does not cover each rollout. */
  whole(node: TextNode): { has(rolloutId: number): boolean } | undefined {
    return this.isWhole ? this.of(node).indexed?.all() : undefined;
  }

  /** The result if it is known without reading the text. */
  known(node: TextNode, rolloutId: number, groupId: number): Ternary {
    const indexed = this.of(node).indexed;
    if (indexed === undefined) return undefined;
    const { field } = node;
    const isRolloutKnown = field === 'prompt' || rolloutId <= this.state.rolloutsTo;
    const looksInPrompt = field === 'prompt' || field === 'text';
    const isPromptKnown = !looksInPrompt || !this.newGroups.has(groupId);
    if (isRolloutKnown && indexed.hasRollout(rolloutId)) return true;
    if (looksInPrompt && isPromptKnown && indexed.hasGroup(groupId)) return true;
    return isRolloutKnown && isPromptKnown ? false : undefined;
  }

  read(node: TextNode, texts: RolloutTexts): boolean {
    const { test } = this.of(node);
    const holds = (segment: SegmentText, isPrompt: boolean): boolean =>
      looksIn(node.field, segment.kind, isPrompt) && test.holds(searchedText(segment.kind, segment.inner));
    if (node.field === 'text' || node.field === 'prompt') {
      if (texts.prompt().some((segment) => holds(segment, true))) return true;
      if (node.field === 'prompt') return false;
    }
    return texts.response().some((segment) => holds(segment, false));
  }

  private of(node: TextNode): Wanted {
    const wanted = this.wanted.get(node);
    if (wanted === undefined) throw new Error('a text that the filter does not ask for');
    return wanted;
  }
}
