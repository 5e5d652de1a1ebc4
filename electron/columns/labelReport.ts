/** Label statistics: how often each occurs, and on which rollouts. */
import type { AnnotationReport, LabelReport, LabelTally } from '../../shared/api/annotationRows.ts';
import type { ParsedParams } from '../../shared/api/contract.ts';
import { SEVERITIES } from '../../shared/domain/annotate/annotation.ts';
import { TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type AnnotatedFacts,
  annotatedFacts,
  countUnattached,
  type PlacedAnnotation,
  placedAnnotations,
} from '../storage/queries/annotations.ts';
import { readTaxonomy } from '../storage/taxonomies.ts';
import type { Checkpoint } from '../threads/task.ts';
import { annotatedScope, type MatchRun } from './annotatedScope.ts';

type Question = Omit<ParsedParams<'annotation.report'>, 'progressKey'>;

interface Fact {
  readonly annotation: PlacedAnnotation;
  readonly of: AnnotatedFacts;
}

export function labelReport(
  db: ReadableLibrary,
  question: Question,
  columns: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): AnnotationReport {
  const { runId, filter, labels, authors } = question;
  const annotations = placedAnnotations(db).filter(
    ({ label, author }) =>
      (labels === undefined || (label !== null && labels.includes(label))) &&
      (authors === undefined || authors.includes(author)),
  );
  const annotated = new Map(annotations.map((each) => [each.rolloutId, each]));
  const { ids, rollouts } = annotatedScope(db, question, annotated, columns);
  const facts = annotatedFacts(db, [...ids]);
  const inScope = annotations.flatMap((each): Fact[] => {
    const of = facts.get(each.rolloutId);
    return of === undefined ? [] : [{ annotation: each, of }];
  });
  const isEverything =
    runId === undefined && filter.trim() === '' && labels === undefined && authors === undefined;
  return {
    ...tally(inScope),
    of: rollouts,
    unattached: isEverything ? countUnattached(db) : 0,
    labels: orderOf(db, inScope).map((label) => reportOf(label, inScope)),
  };
}

/** Labels of the taxonomy in its order, then other labels by name, then notes without a label. */
function orderOf(db: ReadableLibrary, facts: readonly Fact[]): readonly (string | null)[] {
  const given = new Set(facts.map(({ annotation }) => annotation.label));
  const known = readTaxonomy(db).taxonomy.labels.map(({ id }) => id);
  const others = [...given].filter((label) => label !== null && !known.includes(label)).sort();
  return [...known.filter((label) => given.has(label)), ...others, ...(given.has(null) ? [null] : [])];
}

function reportOf(label: string | null, all: readonly Fact[]): LabelReport {
  const facts = all.filter(({ annotation }) => annotation.label === label);
  const where = (holds: (fact: Fact) => boolean): LabelTally => tally(facts.filter(holds));
  return {
    ...(label === null ? {} : { label }),
    ...tally(facts),
    byStep: grouped(facts, ({ of }) => `${of.runId} ${of.step}`)
      .map((part) => ({ runId: part[0].of.runId, step: part[0].of.step, ...tally(part) }))
      .sort((a, b) => a.runId - b.runId || a.step - b.step),
    byRun: grouped(facts, ({ of }) => String(of.runId))
      .map((part) => ({ runId: part[0].of.runId, runKey: part[0].of.runKey, ...tally(part) }))
      .sort((a, b) => a.runId - b.runId),
    byClass: {
      correct: where(({ of }) => of.isCorrect === 1),
      wrong: where(({ of }) => of.isCorrect === 0),
      unknown: where(({ of }) => of.isCorrect === null),
    },
    byKept: {
      kept: where(({ of }) => of.kept === 1),
      discarded: where(({ of }) => of.kept === 0),
      unknown: where(({ of }) => of.kept === null),
    },
    byOutcome: byOutcome(facts),
    bySeverity: [...SEVERITIES, null]
      .map((severity) => ({
        ...(severity === null ? {} : { severity }),
        ...where(({ annotation }) => annotation.severity === severity),
      }))
      .filter(({ annotations }) => annotations > 0),
  };
}

function byOutcome(facts: readonly Fact[]): LabelReport['byOutcome'] {
  const outcomesOf = new Map(
    facts.map(({ of }) => [of.rolloutId, new Set(JSON.parse(of.outcomes) as string[])]),
  );
  const withOutcome = (outcome: string): readonly Fact[] =>
    facts.filter(({ of }) => outcomesOf.get(of.rolloutId)?.has(outcome) === true);
  const without = facts.filter(({ of }) => outcomesOf.get(of.rolloutId)?.size === 0);
  return [
    ...TOOL_OUTCOMES.map((outcome) => ({ outcome, ...tally(withOutcome(outcome)) })),
    { outcome: 'none', ...tally(without) },
  ].filter(({ annotations }) => annotations > 0);
}

function tally(facts: readonly Fact[]): LabelTally {
  return { rollouts: new Set(facts.map(({ of }) => of.rolloutId)).size, annotations: facts.length };
}

function grouped(facts: readonly Fact[], keyOf: (fact: Fact) => string): readonly [Fact, ...Fact[]][] {
  const groups = new Map<string, [Fact, ...Fact[]]>();
  for (const fact of facts) {
    const group = groups.get(keyOf(fact));
    if (group === undefined) groups.set(keyOf(fact), [fact]);
    else group.push(fact);
  }
  return [...groups.values()];
}
