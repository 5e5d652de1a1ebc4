/** Agreement of two reviewers about the rollouts that both have reviewed. */
import type { AgreementReport } from '../../shared/api/annotationRows.ts';
import type { ParsedParams } from '../../shared/api/contract.ts';
import {
  differences,
  kappaOfCategories,
  kappaOfDecisions,
  kappaOfLabel,
} from '../../shared/domain/annotate/agreement.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { placedAnnotations, placedReadings } from '../storage/queries/annotations.ts';
import { readTaxonomy } from '../storage/taxonomies.ts';
import type { Checkpoint } from '../threads/task.ts';
import { annotatedScope, type MatchRun } from './annotatedScope.ts';

type Question = Omit<ParsedParams<'annotation.agreement'>, 'progressKey'>;

interface Read {
  readonly runId: number;
  /** Labels by author. An author without labels has reviewed the rollout. */
  readonly labels: Map<string, Set<string>>;
}

export function agreement(
  db: ReadableLibrary,
  question: Question,
  columns: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): AgreementReport {
  const [first, second] = question.authors;
  const looked = readBy(db, new Set(question.authors));
  const { ids } = annotatedScope(db, question, looked, columns);
  const inScope = [...looked].filter(([id]) => ids.has(id)).sort(([a], [b]) => a - b);
  const both = inScope.flatMap(([rolloutId, { labels }]) => {
    const one = labels.get(first);
    const other = labels.get(second);
    return one === undefined || other === undefined ? [] : [{ rolloutId, first: one, second: other }];
  });
  const { taxonomy } = readTaxonomy(db);
  const given = new Set(both.flatMap((each) => [...each.first, ...each.second]));
  const known = taxonomy.labels.map(({ id }) => id);
  const others = [...given].filter((label) => !known.includes(label)).sort();
  const all = [...known, ...others];
  const disagreements = both
    .map(({ rolloutId, ...labels }) => ({ rolloutId, ...differences(labels) }))
    .filter(({ onlyFirst, onlySecond }) => onlyFirst.length + onlySecond.length > 0)
    .sort((a, b) => count(b) - count(a));
  return {
    authors: [first, second],
    first: inScope.filter(([, { labels }]) => labels.has(first)).length,
    second: inScope.filter(([, { labels }]) => labels.has(second)).length,
    both: both.length,
    labels: all.filter((label) => given.has(label)).map((label) => ({ label, ...kappaOfLabel(both, label) })),
    overall: taxonomy.choice === 'one' ? kappaOfCategories(both) : kappaOfDecisions(both, all),
    disagreements,
  };
}

function count(each: {
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
}): number {
  return each.onlyFirst.length + each.onlySecond.length;
}

/** Rollouts that each author has reviewed. Review marks and labels both count. */
function readBy(db: ReadableLibrary, authors: ReadonlySet<string>): ReadonlyMap<number, Read> {
  const read = new Map<number, Read>();
  const labelsOf = (rolloutId: number, runId: number, author: string): Set<string> => {
    const of = read.get(rolloutId) ?? { runId, labels: new Map<string, Set<string>>() };
    read.set(rolloutId, of);
    const labels = of.labels.get(author) ?? new Set<string>();
    of.labels.set(author, labels);
    return labels;
  };
  for (const { rolloutId, runId, author, verdict } of placedReadings(db))
    if (verdict === 'read' && authors.has(author)) labelsOf(rolloutId, runId, author);
  for (const { rolloutId, runId, author, label } of placedAnnotations(db))
    if (label !== null && authors.has(author)) labelsOf(rolloutId, runId, author).add(label);
  return read;
}
