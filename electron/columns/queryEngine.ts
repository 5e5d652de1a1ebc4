import { LRUCache } from 'lru-cache';
import {
  FIRST_ROWS,
  type GroupOrder,
  type MethodsOn,
  type ParsedParams,
  type ProblemMap,
  type ResultOf,
  type StepFacts,
} from '../../shared/api/contract.ts';
import { ApiError, notFound } from '../../shared/api/errors.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { characterOf, readFilter } from '../../shared/domain/filter/parse.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { filterCountSql, filterSql } from '../storage/filterSql.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { groupRows, rolloutRows } from '../storage/queries/lists.ts';
import { countWithTokens } from '../storage/queries/packed.ts';
import { runIdOf } from '../storage/queries/places.ts';
import { questionBeginnings } from '../storage/queries/questions.ts';
import type { Task } from '../threads/task.ts';
import { agreement } from './agreement.ts';
import { orderedAnnotations } from './annotatedScope.ts';
import type { ColumnMemory } from './columnMemory.ts';
import { ColumnStore } from './columnStore.ts';
import { detectorReport, rolloutFindings } from './detectorReport.ts';
import { disputedAnswers } from './disputedAnswers.ts';
import { evaluationPanels } from './evaluation.ts';
import { failureClusters } from './failureClusters.ts';
import { frequentValues } from './frequentValues.ts';
import { labelQueue } from './labelQueue.ts';
import { labelReport } from './labelReport.ts';
import { type CountedStep, latencyDistribution } from './latencies.ts';
import { type PackIds, packIds } from './packChoice.ts';
import { problemMap, suspiciousGroundTruths } from './problemMap.ts';
import { problemRewards } from './problemRewards.ts';
import { matchedSteps, orderGroups, orderMatched } from './runOrder.ts';
import { stepSchedule } from './schedule.ts';
import { stepFacts } from './series.ts';
import { textMatches } from './textMatches.ts';
import { wholeProblems } from './wholeProblems.ts';

type ColumnMethod = MethodsOn<'lists' | 'charts'>;
type Params<M extends ColumnMethod> = Omit<ParsedParams<M>, 'progressKey'>;
type ColumnHandlers = { readonly [M in ColumnMethod]: (params: Params<M>, task: Task) => ResultOf<M> };

/** Answers lists and charts from columns. Each thread has its own engine, because it caches columns. */
export class ColumnQueryEngine {
  readonly store: ColumnStore;
  /** The handlers of the methods that run on `lists` and `charts`. */
  readonly handlers: ColumnHandlers;
  private readonly db: ReadableLibrary;
  /** Recently used maps. Sorting and paging a map request it repeatedly. */
  private readonly maps = new LRUCache<string, ProblemMap>({ max: 4 });

  constructor(db: ReadableLibrary, memory?: ColumnMemory) {
    this.db = db;
    this.store = new ColumnStore(db, memory);
    this.handlers = this.makeHandlers();
  }

  /**
   * Runs in one transaction, so that the result reflects one state of the library.
   *
   * @throws ApiError when the filter is invalid, something is not in the library, or the task is cancelled
   */
  answer<M extends ColumnMethod>(method: M, params: Params<M>, task: Task): ResultOf<M> {
    return this.store.transaction(() => this.handlers[method](params, task));
  }

  /** The rollouts of a pack. Call inside a transaction, or through `answer('pack.preview')`. */
  packIds(params: Params<'pack.preview'>, task: Task): PackIds {
    return this.store.transaction(() => packIds(this.db, params, this.columns(params.filter, task)));
  }

  private makeHandlers(): ColumnHandlers {
    const { db } = this;
    return {
      'rollout.order': (params, task) => {
        const runId = runIdOf(db, params);
        const { run, matched } = this.match({ ...params, runId }, task);
        const ids = orderMatched(run, matched, params.sort);
        if (params.withRows !== true) return { runId, ids };
        const rows = rolloutRows(db, [...ids.subarray(0, FIRST_ROWS)]);
        return { runId, ids, rows, groups: groupRows(db, [...new Set(rows.map(({ groupId }) => groupId))]) };
      },
      'group.order': (params, task) => {
        const scope = { ...params, runId: runIdOf(db, params) };
        const order =
          params.filter.trim() === ''
            ? orderGroups(this.store.run(scope.runId), params)
            : this.matchingGroups(scope, task);
        if (params.withRows !== true) return order;
        return { ...order, rows: groupRows(db, [...order.ids.subarray(0, FIRST_ROWS)]) };
      },
      'step.series': (params, task) => ({ steps: this.series(params, task) }),
      'step.problemRewards': (params, task) => {
        const { run, matched } = this.match(params, task);
        const table = run.steps.find(({ step }) => step === params.step);
        if (table === undefined)
          throw new ApiError({
            code: 'not_found',
            message: `run ${params.runId} has no step ${params.step}`,
          });
        const mask = matched.find((each) => each.table === table)?.mask ?? new Uint8Array(table.count);
        return problemRewards(table, mask, run.groups());
      },
      'eval.summary': (params, task) => {
        const { run, texts, node, matched } = this.match(params, task);
        const whole = wholeProblems({ run, texts }, node, matched, task.checkpoint);
        return { panels: evaluationPanels(run, whole, task.checkpoint) };
      },
      'problem.map': (params, task) => {
        const { runId, filter } = params;
        // Annotations change without a change of rollouts.
        const revision = this.store.annotations().revision;
        const key = `${runId} ${this.store.run(runId).state} ${revision} ${filter.trim()}`;
        const known = this.maps.get(key);
        if (known !== undefined) return known;
        const { run, matched } = this.match(params, task);
        const map = problemMap(run, matched, questionBeginnings(db), task.checkpoint);
        this.maps.set(key, map);
        return map;
      },
      'problem.suspects': (params, task) => {
        const { run, matched } = this.match(params, task);
        return { suspects: suspiciousGroundTruths(run, matched, questionBeginnings(db), task.checkpoint) };
      },
      'problem.disputed': (params, task) => {
        const { run, matched } = this.match(params, task);
        return { answers: disputedAnswers(run, matched, questionBeginnings(db), task.checkpoint) };
      },
      'problem.failures': ({ from = 0, to = Number.POSITIVE_INFINITY, ...params }, task) => {
        const { run, matched } = this.match(params, task);
        const inRange = matched.filter(({ table }) => table.step >= from && table.step <= to);
        return failureClusters(db, run, inRange, task.checkpoint);
      },
      'detector.report': ({ step, ...params }, task) => {
        const { run, matched } = this.match({ ...params, step }, task);
        return detectorReport(db, run, matched, params, task.checkpoint);
      },
      'detector.rollout': ({ rolloutId, thresholds }) => ({
        findings: rolloutFindings(db, (runId) => this.store.run(runId), rolloutId, thresholds),
      }),
      'step.schedule': (params, task) => this.schedule(params, task),
      'run.latencies': (params, task) => latencyDistribution(this.steps(params, task), task.checkpoint),
      'filter.parse': ({ filter, runId }) => {
        const node = nodeOf(filter);
        return { text: filterText(node), sql: filterSql(node, runId), countSql: filterCountSql(node, runId) };
      },
      'filter.values': (params, task) => ({
        values: frequentValues(this.store.run(params.runId), params, task.checkpoint),
      }),
      'annotation.order': (params, task) => ({
        ids: orderedAnnotations(db, params, this.columns(params.filter, task)),
      }),
      'label.queue': (params, task) => labelQueue(db, params, this.columns(params.filter, task)),
      'annotation.agreement': (params, task) => agreement(db, params, this.columns(params.filter, task)),
      'annotation.report': (params, task) => labelReport(db, params, this.columns(params.filter, task)),
      'pack.preview': (params, task) => {
        const { ids, annotations, siblings, pairs } = packIds(db, params, this.columns(params.filter, task));
        const counts = { cases: ids.length, annotations, siblings, withTokens: countWithTokens(db, ids) };
        return pairs === undefined ? counts : { ...counts, pairs: pairs.length };
      },
    };
  }

  private matchingGroups(params: Params<'group.order'> & { readonly runId: number }, task: Task): GroupOrder {
    const { run, matched } = this.match(params, task);
    return orderGroups(run, params, matched);
  }

  private schedule({ runId, step, filter }: Params<'step.schedule'>, task: Task): ResultOf<'step.schedule'> {
    const run = this.store.run(runId);
    const table = run.steps.find((each) => each.step === step);
    if (table === undefined) throw notFound(`this run has no step ${step}`);
    if (nodeOf(filter).kind === 'all') return stepSchedule(this.db, { run, table });
    const { matched } = this.match({ runId, step, filter }, task);
    const mask = matched.find((each) => each.table === table)?.mask ?? new Uint8Array(table.count);
    return stepSchedule(this.db, { run, table, mask });
  }

  private columns(filter: string, task: Task) {
    // An invalid filter is refused even if there is no run.
    nodeOf(filter);
    return {
      checkpoint: task.checkpoint,
      match: (runId: number) => this.match({ runId, filter }, task),
    };
  }

  private match(
    scope: {
      readonly runId: number;
      readonly step?: number | undefined;
      readonly groupId?: number | undefined;
      readonly filter: string;
    },
    task: Task,
  ) {
    const node = nodeOf(scope.filter);
    const run = this.store.run(scope.runId);
    const { step, groupId } = scope;
    const texts = textMatches(this.db, { run, step, groupId, node, task });
    return { run, texts, node, matched: matchedSteps({ run, texts }, node, scope, task.checkpoint) };
  }

  /** The steps of the range, each with the matching rows. */
  private steps(question: Params<'run.latencies'>, task: Task): readonly CountedStep[] {
    const { from = 0, to = Number.POSITIVE_INFINITY } = question;
    const node = nodeOf(question.filter);
    const whole = this.store.run(question.runId);
    const run = { ...whole, steps: whole.steps.filter(({ step }) => step >= from && step <= to) };
    if (node.kind === 'all') return run.steps.map((table) => ({ table }));
    const texts = textMatches(this.db, { run, step: undefined, node, task });
    return matchedSteps({ run, texts }, node, {}, task.checkpoint);
  }

  private series(question: Params<'step.series'>, task: Task): readonly StepFacts[] {
    const { step: only } = question;
    const node = nodeOf(question.filter);
    const run = this.store.run(question.runId);
    const tables = run.steps.filter(({ step }) => only === undefined || step === only);
    if (node.kind === 'all') {
      return tables.map((table, i) => {
        task.checkpoint(i, tables.length);
        return table.facts();
      });
    }
    const texts = textMatches(this.db, { run, step: question.step, node, task });
    return matchedSteps({ run, texts }, node, question, task.checkpoint).map(({ table, mask }) =>
      stepFacts(table, mask),
    );
  }
}

function nodeOf(filter: string): FilterNode {
  const read = readFilter(filter);
  if (read.ok) return read.node;
  const message = `filter, character ${characterOf(filter, read.fault)}: ${read.fault.message}`;
  throw new ApiError({ code: 'bad_request', message });
}
