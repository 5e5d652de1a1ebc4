import type { FilterReading, ParsedParams, ProblemMap, StepFacts } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { characterOf, readFilter } from '../../shared/domain/filter/parse.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { filterSql } from '../storage/filterSql.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { questionBeginnings } from '../storage/queries/questions.ts';
import { agreement } from './agreement.ts';
import { orderedAnnotations } from './annotationOrder.ts';
import { ColumnStore } from './columnStore.ts';
import { disputedAnswers } from './disputedAnswers.ts';
import { evaluationPanels } from './evaluation.ts';
import { frequentValues } from './frequentValues.ts';
import { labelQueue } from './labelQueue.ts';
import { labelReport } from './labelReport.ts';
import { LastFew } from './lastFew.ts';
import { type CountedStep, latencyDistribution } from './latencies.ts';
import { packIds } from './packChoice.ts';
import { problemMap, suspiciousTruths } from './problemMap.ts';
import { type Breathe, matchedSteps, orderMatched, orderMatchedGroups } from './runOrder.ts';
import { stepSchedule } from './schedule.ts';
import { stepFacts } from './series.ts';
import { textMatches } from './textMatches.ts';
import { wholeProblems } from './wholeProblems.ts';

export type BrowseQuestion =
  | ({ readonly about: 'rollouts' } & Omit<ParsedParams<'rollout.order'>, 'progressKey'>)
  | ({ readonly about: 'groups' } & Omit<ParsedParams<'group.order'>, 'progressKey'>)
  | ({ readonly about: 'series' } & Omit<ParsedParams<'step.series'>, 'progressKey'>)
  | ({ readonly about: 'evaluation' } & Omit<ParsedParams<'eval.summary'>, 'progressKey'>)
  | ({ readonly about: 'filter' } & ParsedParams<'filter.read'>)
  | ({ readonly about: 'problems' } & Omit<ParsedParams<'problem.map'>, 'progressKey'>)
  | ({ readonly about: 'suspects' } & Omit<ParsedParams<'problem.suspects'>, 'progressKey'>)
  | ({ readonly about: 'disputed' } & Omit<ParsedParams<'problem.disputed'>, 'progressKey'>)
  | ({ readonly about: 'schedule' } & Omit<ParsedParams<'step.schedule'>, 'progressKey'>)
  | ({ readonly about: 'latencies' } & Omit<ParsedParams<'run.latencies'>, 'progressKey'>)
  | ({ readonly about: 'values' } & ParsedParams<'filter.values'>)
  | ({ readonly about: 'annotations' } & Omit<ParsedParams<'annotation.order'>, 'progressKey'>)
  | ({ readonly about: 'queue' } & Omit<ParsedParams<'label.queue'>, 'progressKey'>)
  | ({ readonly about: 'agreement' } & Omit<ParsedParams<'annotation.agreement'>, 'progressKey'>)
  | ({ readonly about: 'labels' } & Omit<ParsedParams<'annotation.report'>, 'progressKey'>)
  | ({ readonly about: 'pack' } & Omit<ParsedParams<'pack.preview'>, 'progressKey'>);

export interface BrowseOptions {
  readonly isCancelled: () => boolean;
  readonly onProgress: (stepsDone: number, steps: number) => void;
  /** Before and behind each text that is looked through: a regular expression may never come back from one. */
  readonly onText?: () => void;
}

class Stopped extends Error {}

class BadFilter extends Error {}

class NotThere extends Error {}

/** Questions over columns. One for each thread: it keeps what it has read. */
export class Browser {
  private readonly db: ReadableLibrary;
  private readonly store: ColumnStore;
  /** The one on the screen and the ones before it: sorted and walked, they are asked for again and again. */
  private readonly maps = new LastFew<ProblemMap>(4);
  /** Of the question that is being answered. */
  private onText: () => void = () => undefined;

  constructor(db: ReadableLibrary) {
    this.db = db;
    this.store = new ColumnStore(db);
  }

  /** Failures are values. */
  answer(question: BrowseQuestion, options: BrowseOptions): Result<unknown> {
    this.onText = options.onText ?? (() => undefined);
    try {
      // One state of the library, whatever is written meanwhile.
      const value = this.db.transaction(() => this.answerTo(question, breatheWith(options)))();
      return { ok: true, value };
    } catch (error) {
      if (error instanceof Stopped) return { ok: false, failure: CANCELLED };
      if (error instanceof BadFilter)
        return { ok: false, failure: { code: 'bad_request', message: error.message } };
      if (error instanceof NotThere)
        return { ok: false, failure: { code: 'not_found', message: error.message } };
      throw error;
    }
  }

  private answerTo(question: BrowseQuestion, breathe: Breathe): unknown {
    switch (question.about) {
      case 'rollouts': {
        const { run, matched } = this.match(question, breathe);
        return { ids: orderMatched(run, matched, question.sort) };
      }
      case 'groups':
        return orderMatchedGroups(this.db, this.match(question, breathe).matched, question);
      case 'series':
        return { steps: this.series(question, breathe) };
      case 'evaluation': {
        const { run, texts, node, matched } = this.match(question, breathe);
        const whole = wholeProblems({ run, texts }, node, matched, breathe);
        return { panels: evaluationPanels(run, whole, breathe) };
      }
      case 'problems': {
        const { runId, filter } = question;
        // What is said of rollouts changes without them.
        const said = this.store.annotations().revision;
        const key = `${runId} ${this.store.run(runId).state} ${said} ${filter.trim()}`;
        return this.maps.of(key, () => {
          const { run, matched } = this.match(question, breathe);
          return problemMap(run, matched, questionBeginnings(this.db), breathe);
        });
      }
      case 'suspects': {
        const { run, matched } = this.match(question, breathe);
        return { suspects: suspiciousTruths(run, matched, breathe) };
      }
      case 'disputed': {
        const { run, matched } = this.match(question, breathe);
        return { answers: disputedAnswers(run, matched, questionBeginnings(this.db), breathe) };
      }
      case 'schedule': {
        const run = this.store.run(question.runId);
        const isAll = nodeOf(question.filter).kind === 'all';
        const table = run.steps.find(({ step }) => step === question.step);
        if (table === undefined) throw new NotThere(`the library has no step ${question.step} of this run`);
        const matched = isAll ? undefined : this.match(question, breathe).matched;
        const mask = matched?.find((each) => each.table === table)?.mask;
        return stepSchedule(this.db, {
          run,
          table,
          ...(isAll ? {} : { mask: mask ?? new Uint8Array(table.count) }),
        });
      }
      case 'latencies':
        return latencyDistribution(this.steps(question, breathe), breathe);
      case 'filter':
        return this.reading(question);
      case 'values':
        return { values: frequentValues(this.store.run(question.runId), question, breathe) };
      case 'annotations':
        return { ids: orderedAnnotations(this.db, question, this.columns(question.filter, breathe)) };
      case 'queue':
        return labelQueue(this.db, question, this.columns(question.filter, breathe));
      case 'agreement':
        return agreement(this.db, question, this.columns(question.filter, breathe));
      case 'labels':
        return labelReport(this.db, question, this.columns(question.filter, breathe));
      case 'pack':
        return packIds(this.db, question, this.columns(question.filter, breathe));
    }
  }

  private columns(filter: string, breathe: Breathe) {
    // A filter that cannot be read is refused, whether or not there is a run to ask it of.
    nodeOf(filter);
    return { breathe, match: (runId: number) => this.match({ runId, filter }, breathe) };
  }

  private match(
    question: Pick<ParsedParams<'rollout.order'>, 'runId' | 'step' | 'groupId' | 'filter'>,
    breathe: Breathe,
  ) {
    const node = nodeOf(question.filter);
    const run = this.store.run(question.runId);
    const texts = textMatches(this.db, { run, step: question.step, node, breathe, onText: this.onText });
    return { run, texts, node, matched: matchedSteps({ run, texts }, node, question, breathe) };
  }

  /** In the range, with what matches in each. */
  private steps(question: ParsedParams<'run.latencies'>, breathe: Breathe): readonly CountedStep[] {
    const { from = 0, to = Number.POSITIVE_INFINITY } = question;
    const node = nodeOf(question.filter);
    const whole = this.store.run(question.runId);
    const run = { ...whole, steps: whole.steps.filter(({ step }) => step >= from && step <= to) };
    if (node.kind === 'all') return run.steps.map((table) => ({ table }));
    const texts = textMatches(this.db, { run, step: undefined, node, breathe, onText: this.onText });
    return matchedSteps({ run, texts }, node, {}, breathe);
  }

  private series(question: Omit<ParsedParams<'step.series'>, 'progressKey'>, breathe: Breathe): StepFacts[] {
    const { step: only } = question;
    const node = nodeOf(question.filter);
    const run = this.store.run(question.runId);
    const tables = run.steps.filter(({ step }) => only === undefined || step === only);
    if (node.kind === 'all') {
      return tables.map((table, i) => {
        breathe(i, tables.length);
        return table.facts();
      });
    }
    const texts = textMatches(this.db, { run, step: question.step, node, breathe, onText: this.onText });
    return matchedSteps({ run, texts }, node, question, breathe).map(({ table, mask }) =>
      stepFacts(table, mask),
    );
  }

  private reading({ filter, runId }: ParsedParams<'filter.read'>): FilterReading {
    const node = nodeOf(filter);
    return { text: filterText(node), sql: filterSql(node, runId) };
  }
}

function nodeOf(filter: string): FilterNode {
  const read = readFilter(filter);
  if (read.ok) return read.node;
  throw new BadFilter(`filter, character ${characterOf(filter, read.fault)}: ${read.fault.message}`);
}

function breatheWith({ isCancelled, onProgress }: BrowseOptions): Breathe {
  return (stepsDone, steps) => {
    if (isCancelled()) throw new Stopped();
    onProgress(stepsDone, steps);
  };
}
