/** Visits rollouts in search order for a limited time, and decides which of them match. */
import type { SearchCursor, UnsearchedRollout } from '../../shared/api/contract.ts';
import type { FilterNode, TextNode } from '../../shared/domain/filter/node.ts';
import type { ColumnStore, RunTable } from '../columns/columnStore.ts';
import { matching } from '../columns/matching.ts';
import { rowPredicate } from '../columns/rowPredicate.ts';
import type { StepTable } from '../columns/stepTable.ts';
import { MOST_ROLLOUTS, runawayRegex, type SearchedTexts, TextBatch } from '../columns/textBatch.ts';
import { TextLookup } from '../columns/textLookup.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { runsOfSearch } from '../storage/queries/search.ts';
import { type RolloutTexts, TextReader } from '../storage/queries/texts.ts';
import type { Task } from '../threads/task.ts';

/**
 * Milliseconds. A response then ends with the results so far. The next request follows at once, and a cancellation
 * takes effect in between.
 */
const ANSWER_TIME_MS = 150;
/** First number of rollouts read at once under one time limit. Doubled each time, because most responses are short. */
const FIRST_READ_AHEAD = 16;
/** Rollouts per response in which a regular expression may be stopped. They are listed as not searched. */
const MOST_RUNAWAY = 4;
/** Rows between two checks of the clock. */
const CHECK_EVERY_ROWS = 256;

/** A parsed query. */
export interface SearchScope {
  readonly node: FilterNode;
  readonly nodes: readonly TextNode[];
  readonly wanted: readonly TextNode[];
  readonly mayRunAway: boolean;
}

/** By run id. */
export type LookupsByRun = Map<number, TextLookup>;

export interface WalkScope {
  readonly store: ColumnStore;
  readonly lookups: LookupsByRun;
  readonly scope: SearchScope;
  readonly task: Task;
  /** @returns milliseconds */
  readonly now: () => number;
}

export interface Row {
  readonly run: RunTable;
  readonly table: StepTable;
  readonly row: number;
}

export interface WalkRange {
  readonly runId?: number | undefined;
  readonly step?: number | undefined;
  readonly after?: SearchCursor | undefined;
}

/** Receives the matching rollouts of a walk. */
export interface Visitor {
  /**
   * @param texts present if they were read to decide
   * @returns whether it read texts, which takes long enough to check the clock
   */
  match(row: Row, texts: RolloutTexts | undefined): boolean;
  /** Whether no more rollouts are needed. */
  isFull(): boolean;
}

export class SearchWalk {
  readonly unsearched: UnsearchedRollout[] = [];
  passed = 0;
  scanned = 0;
  private readonly db: ReadableLibrary;
  private readonly store: ColumnStore;
  private readonly lookups: LookupsByRun;
  private readonly scope: SearchScope;
  private readonly task: Task;
  private readonly now: () => number;
  private readonly texts: TextReader;
  private readonly startedAt: number;
  private runaways = 0;
  private readAheadRows = FIRST_READ_AHEAD;

  constructor(db: ReadableLibrary, { store, lookups, scope, task, now }: WalkScope) {
    this.db = db;
    this.store = store;
    this.lookups = lookups;
    this.scope = scope;
    this.task = task;
    this.now = now;
    this.texts = new TextReader(db);
    this.startedAt = now();
  }

  /**
   * @returns the rollouts in range, and the position at which the walk stopped
   * @throws ApiError when the task is cancelled, or a regular expression is stopped in too many rollouts
   */
  go(
    { runId, step, after }: WalkRange,
    visitor: Visitor,
  ): { readonly total: number; readonly next: SearchCursor | undefined } {
    const runs = runsOfSearch(this.db, { runId, step });
    const total = runs.reduce((sum, run) => sum + run.rollouts, 0);
    for (const run of runs) {
      if (after !== undefined && run.runId > after.runId) continue;
      const from = after?.runId === run.runId ? after : undefined;
      const next = this.run(this.store.run(run.runId), { step, after: from }, visitor);
      if (next !== undefined) return { total, next };
    }
    return { total, next: undefined };
  }

  private run(run: RunTable, { step, after }: WalkRange, visitor: Visitor): SearchCursor | undefined {
    const lookup = this.lookups.get(run.runId) ?? new TextLookup(this.db, run.runId, this.scope.nodes);
    this.lookups.set(run.runId, lookup);
    const tables = run.steps.filter((table) => step === undefined || table.step === step).toReversed();
    for (const table of tables) {
      if (after !== undefined && table.step > after.step) continue;
      const from = after?.step === table.step ? firstRowAfter(table, after) : 0;
      const next = this.step({ run, table, lookup }, from, visitor);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  private step(
    place: { readonly run: RunTable; readonly table: StepTable; readonly lookup: TextLookup },
    from: number,
    visitor: Visitor,
  ): SearchCursor | undefined {
    const { run, table, lookup } = place;
    this.task.checkpoint(0, 1);
    const ids = table.column('rolloutId');
    const groups = table.column('groupId');
    const test = rowPredicate(this.scope.node, (part) => matching({ run, texts: nothing }, table, part));
    let unused = new Map<number, SearchedTexts>();
    for (let row = from; row < ids.length; row++) {
      const id = ids[row] ?? 0;
      const groupId = groups[row] ?? 0;
      let holds = test(row, (node) => lookup.known(node, id, groupId));
      let texts: RolloutTexts | undefined;
      if (holds === undefined) {
        if (!unused.has(id)) unused = this.readAhead(row, place, test);
        const searched = unused.get(id);
        unused.delete(id);
        texts = searched?.texts;
        if (searched !== undefined) {
          const { holds: found } = searched;
          if (found === undefined) this.leaveOut({ run, table, row });
          else {
            this.scanned += 1;
            holds = test(row, (node) => found.get(node) ?? lookup.known(node, id, groupId));
          }
        }
      }
      this.passed += 1;
      const hasVisitorRead = holds === true && visitor.match({ run, table, row }, texts);
      const hasRead = texts !== undefined || hasVisitorRead;
      // Do not stop while results of `readAhead` are unused: the next response would search these texts again.
      const isTimeUp = unused.size === 0 && this.isTimeUp(row, hasRead);
      if (!visitor.isFull() && !isTimeUp) continue;
      return {
        runId: run.runId,
        step: table.step,
        groupId,
        ordinal: table.column('ordinal')[row] ?? 0,
        rolloutId: id,
      };
    }
    return undefined;
  }

  /**
   * Searches this row. Under a time limit, also searches the next rows whose text has to be read.
   *
   * @returns results by rollout id
   */
  private readAhead(
    from: number,
    { table, lookup }: { readonly table: StepTable; readonly lookup: TextLookup },
    test: ReturnType<typeof rowPredicate>,
  ): Map<number, SearchedTexts> {
    const ids = table.column('rolloutId');
    const groups = table.column('groupId');
    const batch = new TextBatch(lookup, this.scope.nodes);
    const to = Math.min(ids.length, from + CHECK_EVERY_ROWS);
    let wanted = this.scope.mayRunAway ? this.readAheadRows : 1;
    this.readAheadRows = Math.min(2 * this.readAheadRows, MOST_ROLLOUTS);
    for (let row = from; row < to && wanted > 0; row++) {
      const id = ids[row] ?? 0;
      if (test(row, (node) => lookup.known(node, id, groups[row] ?? 0)) !== undefined) continue;
      const texts = this.texts.rollout(id);
      if (texts === undefined) continue;
      wanted--;
      if (batch.add(texts)) break;
    }
    const searched = batch.search(this.onRunaway);
    return new Map(searched.map((each) => [each.texts.rolloutId, each]));
  }

  /** @throws ApiError `refused` when a regular expression is stopped in too many rollouts */
  readonly onRunaway = (): void => {
    if (++this.runaways > MOST_RUNAWAY) throw runawayRegex(this.runaways);
  };

  /** Lists a rollout as not searched. */
  leaveOut({ run, table, row }: Row): void {
    const groupId = table.column('groupId')[row] ?? 0;
    this.unsearched.push({
      rolloutId: table.column('rolloutId')[row] ?? 0,
      runId: run.runId,
      step: table.step,
      groupKey: run.groups().get(groupId)?.groupKey ?? '',
      ordinal: table.column('ordinal')[row] ?? 0,
    });
  }

  private isTimeUp(row: number, hasRead: boolean): boolean {
    if (!hasRead && row % CHECK_EVERY_ROWS !== 0) return false;
    this.task.checkpoint(0, 1);
    return this.now() - this.startedAt > ANSWER_TIME_MS;
  }
}

const NONE: ReadonlySet<number> = new Set();
const nothing = (): ReadonlySet<number> => NONE;

/** Rows are ordered by group, ordinal and id. */
function firstRowAfter(table: StepTable, { groupId, ordinal, rolloutId }: SearchCursor): number {
  const groups = table.column('groupId');
  const ordinals = table.column('ordinal');
  const ids = table.column('rolloutId');
  for (let row = 0; row < ids.length; row++) {
    const order =
      (groups[row] ?? 0) - groupId || (ordinals[row] ?? 0) - ordinal || (ids[row] ?? 0) - rolloutId;
    if (order > 0) return row;
  }
  return ids.length;
}
