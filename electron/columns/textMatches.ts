/** Which rollouts hold the words of a filter: by reading their texts. */
import { type FilterNode, type TextNode, textNodesOf } from '../../shared/domain/filter/node.ts';
import { looksIn, searchedText, type TextTest, textTest } from '../../shared/domain/filter/textTest.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { stepRevisions } from '../storage/queries/columns.ts';
import { type RolloutTexts, type SegmentText, stepTexts } from '../storage/queries/texts.ts';
import type { TextMatches } from './matching.ts';
import type { Breathe } from './runOrder.ts';

interface TextScope {
  readonly runId: number;
  readonly step?: number | undefined;
  readonly node: FilterNode;
  readonly breathe: Breathe;
}

/** Rollouts between two looks at whether the answer is still wanted. */
const BREATH = 64;

export function textMatches(
  db: ReadableLibrary,
  { runId, step: only, node, breathe }: TextScope,
): TextMatches {
  const wanted = textNodesOf(node).map((each) => ({
    node: each,
    test: textTest(each),
    found: new Set<number>(),
  }));
  if (wanted.length > 0) {
    const steps = stepRevisions(db, runId).filter(({ step }) => only === undefined || step === only);
    steps.forEach(({ step }, i) => {
      let read = 0;
      for (const texts of stepTexts(db, runId, step)) {
        if (read++ % BREATH === 0) breathe(i, steps.length);
        for (const { node: each, test, found } of wanted)
          if (hasText(texts, each, test)) found.add(texts.rolloutId);
      }
    });
  }
  const byNode = new Map(wanted.map(({ node: each, found }) => [each, found]));
  return (each) => byNode.get(each) ?? new Set();
}

function hasText(texts: RolloutTexts, node: TextNode, test: TextTest): boolean {
  const holds = (segment: SegmentText, isPrompt: boolean): boolean =>
    looksIn(node.field, segment.kind, isPrompt) && test.holds(searchedText(segment.kind, segment.inner));
  if (node.field === 'text' || node.field === 'prompt') {
    if (texts.prompt().some((segment) => holds(segment, true))) return true;
    if (node.field === 'prompt') return false;
  }
  return texts.response().some((segment) => holds(segment, false));
}
