/**
 * Finds the rollouts that match the text nodes of a filter: by the index, and by reading the texts that it
 * lacks.
 */
import { type FilterNode, type TextNode, textNodesOf } from '../../shared/domain/filter/node.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { TextReader } from '../storage/queries/texts.ts';
import type { Task } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import { matching, type TextMatches } from './matching.ts';
import { rowPredicate } from './rowPredicate.ts';
import type { StepTable } from './stepTable.ts';
import { TextBatch } from './textBatch.ts';
import { TextLookup } from './textLookup.ts';

interface TextScope {
  readonly run: RunTable;
  readonly step?: number | undefined;
  readonly groupId?: number | undefined;
  readonly node: FilterNode;
  readonly task: Task;
}

/**
 * @returns sets that are correct for every rollout in scope whose match depends on them; other conditions of
 * the filter may make reading a text unnecessary
 */
export function textMatches(
  db: ReadableLibrary,
  { run, step: only, groupId, node, task }: TextScope,
): TextMatches {
  const nodes = textNodesOf(node);
  const found = new Map(nodes.map((each) => [each, new Set<number>()]));
  if (nodes.length === 0) return () => NONE;
  const truth = new TextLookup(db, run.runId, nodes);
  const whole = nodes.map((each) => [each, truth.whole(each)] as const);
  if (whole.every(([, matches]) => matches !== undefined)) {
    const byNode = new Map(whole);
    return (each) => byNode.get(each) ?? NONE;
  }
  const tables = run.steps.filter(({ step }) => only === undefined || step === only);
  const texts = new TextReader(db);
  tables.forEach((table, i) => {
    task.checkpoint(i, tables.length);
    readWhereNeeded(table, () => task.checkpoint(i, tables.length));
  });
  return (each) => found.get(each) ?? NONE;

  function readWhereNeeded(table: StepTable, checkpointHere: () => void): void {
    const ids = table.column('rolloutId');
    const groups = table.column('groupId');
    const test = rowPredicate(node, (part) => matching({ run, texts: () => NONE }, table, part));
    const batch = new TextBatch(truth, nodes);
    const search = (): void => {
      checkpointHere();
      for (const { texts: read, holds } of batch.search()) {
        for (const [each, doesHold] of holds ?? []) if (doesHold) found.get(each)?.add(read.rolloutId);
      }
    };
    for (let row = 0; row < ids.length; row++) {
      if (groupId !== undefined && groups[row] !== groupId) continue;
      const id = ids[row] ?? 0;
      const known = (each: TextNode) => truth.known(each, id, groups[row] ?? 0);
      for (const each of nodes) if (known(each) === true) found.get(each)?.add(id);
      if (test(row, known) !== undefined) continue;
      const rollout = texts.rollout(id);
      if (rollout !== undefined && batch.add(rollout)) search();
    }
    search();
  }
}

const NONE: ReadonlySet<number> = new Set();
