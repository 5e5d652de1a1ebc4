/** The summary of a pack, counted while its cases are written: labels, runs and steps. */
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { type RunKind, TOOL_OUTCOMES } from '../../../shared/domain/model.ts';
import { outcomeName } from '../../../shared/domain/words.ts';
import {
  booleanFact,
  isDerived,
  labelName,
  type Outcome,
  outcomeOf,
  type PackCase,
  stepOf,
} from './packCase.ts';

/** Annotations, and the distinct cases they belong to. */
interface Tally {
  readonly cases: number;
  readonly annotations: number;
}

type Kept = 'kept' | 'discarded' | 'unknown';

export interface LabelSummary extends Tally {
  /** Absent: notes without a label. */
  readonly label?: string;
  readonly name: string;
  readonly byClass: Readonly<Record<Outcome, number>>;
  readonly byKept: Readonly<Record<Kept, number>>;
  /** Cases by outcome of their tool calls. A case with two outcomes counts for both; `none`: no calls. */
  readonly byOutcome: Readonly<Record<string, number>>;
  readonly byRun: Readonly<Record<string, number>>;
  /** Cases by run and step, in that order. Without a step if the log has none. */
  readonly bySteps: readonly { readonly run: string; readonly step?: number; readonly cases: number }[];
}

export interface PackSummary extends Tally {
  readonly siblings: number;
  readonly readings: number;
  readonly byClass: Readonly<Record<Outcome, number>>;
  /** Cases whose correctness was derived by comparing answer and ground truth. */
  readonly derived: number;
  readonly byKept: Readonly<Record<Kept, number>>;
  /** In taxonomy order, then other labels, then notes without a label. */
  readonly labels: readonly LabelSummary[];
  readonly runs: readonly {
    readonly key: string;
    readonly name: string;
    readonly kind: RunKind;
    readonly steps: readonly number[];
    readonly cases: number;
  }[];
}

/** The label of a key of `byOutcome`. */
export const tallyName = (outcome: string): string =>
  outcome === 'none' ? 'no calls' : outcomeName(outcome);

/** ` (derived)` where Turnwise derived every verdict of the pack, ` (3 derived)` where some. */
export const derivedVerdicts = ({ derived, byClass }: PackSummary): string =>
  derived === 0
    ? ''
    : derived === byClass.correct + byClass.incorrect
      ? ' (derived)'
      : ` (${derived} derived)`;

/** Whether any case has a logged decision. Most trainers drop nothing, so a column of zeros would mislead. */
export const hasDecisions = ({ byKept }: PackSummary): boolean => byKept.kept + byKept.discarded > 0;

interface Counts {
  cases: number;
  annotations: number;
  derived: number;
  readonly byClass: Map<string, number>;
  readonly byKept: Map<string, number>;
  readonly byOutcome: Map<string, number>;
  readonly byRun: Map<string, number>;
  readonly bySteps: Map<string, { run: string; step?: number; cases: number }>;
}

const NO_LABEL = '';

export class SummaryBuilder {
  private readonly labels = new Map<string, Counts>();
  private readonly all = counts();
  private readonly runs = new Map<
    string,
    { name: string; kind: RunKind; steps: Set<number>; cases: number }
  >();
  private siblings = 0;
  private readings = 0;

  get cases(): number {
    return this.all.cases;
  }

  get annotations(): number {
    return this.all.annotations;
  }

  get siblingCount(): number {
    return this.siblings;
  }

  add(one: PackCase): void {
    if (one.isSibling) {
      this.siblings++;
      return;
    }
    this.readings += one.readings.length;
    const step = stepOf(one);
    const { key, name, kind } = one.run;
    const run = this.runs.get(key) ?? { name, kind, steps: new Set<number>(), cases: 0 };
    this.runs.set(key, run);
    run.cases++;
    if (step !== undefined) run.steps.add(step);
    count(this.all, one, one.annotations.length);
    const given = Map.groupBy(one.annotations, ({ label }) => label ?? NO_LABEL);
    for (const [label, annotations] of given) {
      const of = this.labels.get(label) ?? counts();
      this.labels.set(label, of);
      count(of, one, annotations.length);
    }
  }

  finish(taxonomy: Taxonomy): PackSummary {
    const known = taxonomy.labels.map(({ id }) => id).filter((id) => this.labels.has(id));
    const others = [...this.labels.keys()].filter((id) => id !== NO_LABEL && !known.includes(id)).sort();
    const order = [...known, ...others, ...(this.labels.has(NO_LABEL) ? [NO_LABEL] : [])];
    return {
      cases: this.all.cases,
      annotations: this.all.annotations,
      siblings: this.siblings,
      readings: this.readings,
      byClass: classes(this.all),
      derived: this.all.derived,
      byKept: keeping(this.all),
      labels: order.map((label) => labelSummary(label, this.labels.get(label) ?? counts(), taxonomy)),
      runs: [...this.runs].map(([key, { steps, ...run }]) => ({
        key,
        ...run,
        steps: [...steps].sort((a, b) => a - b),
      })),
    };
  }
}

function counts(): Counts {
  return {
    cases: 0,
    annotations: 0,
    derived: 0,
    byClass: new Map(),
    byKept: new Map(),
    byOutcome: new Map(),
    byRun: new Map(),
    bySteps: new Map(),
  };
}

function count(into: Counts, one: PackCase, annotations: number): void {
  const up = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  into.cases++;
  into.annotations += annotations;
  if (isDerived(one, 'correct_source')) into.derived++;
  up(into.byClass, outcomeOf(one));
  const kept = booleanFact(one, 'kept');
  up(into.byKept, kept === undefined ? 'unknown' : kept ? 'kept' : 'discarded');
  const outcomes = new Set(one.rollout.calls.map(({ outcome }) => outcome));
  for (const outcome of outcomes.size === 0 ? ['none'] : outcomes) up(into.byOutcome, outcome);
  up(into.byRun, one.run.key);
  const step = stepOf(one);
  const at = JSON.stringify([one.run.key, step ?? null]);
  const place = into.bySteps.get(at) ?? {
    run: one.run.key,
    ...(step === undefined ? {} : { step }),
    cases: 0,
  };
  into.bySteps.set(at, place);
  place.cases++;
}

function labelSummary(label: string, of: Counts, taxonomy: Taxonomy): LabelSummary {
  const outcomes = [...TOOL_OUTCOMES, 'none'].flatMap((outcome) => {
    const cases = of.byOutcome.get(outcome);
    return cases === undefined ? [] : [[outcome, cases] as const];
  });
  return {
    ...(label === NO_LABEL ? {} : { label }),
    name: label === NO_LABEL ? 'notes without a label' : labelName(taxonomy, label),
    cases: of.cases,
    annotations: of.annotations,
    byClass: classes(of),
    byKept: keeping(of),
    byOutcome: Object.fromEntries(outcomes),
    // Cases arrive ordered by run and step.
    byRun: Object.fromEntries(of.byRun),
    bySteps: [...of.bySteps.values()],
  };
}

function classes({ byClass }: Counts): PackSummary['byClass'] {
  const of = (name: Outcome): number => byClass.get(name) ?? 0;
  return { correct: of('correct'), incorrect: of('incorrect'), unknown: of('unknown') };
}

function keeping({ byKept }: Counts): PackSummary['byKept'] {
  const of = (name: Kept): number => byKept.get(name) ?? 0;
  return { kept: of('kept'), discarded: of('discarded'), unknown: of('unknown') };
}
