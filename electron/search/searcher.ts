/** Pages of the search over a library, each bounded in time. */
import type {
  FoundGroup,
  FoundRollout,
  ParsedParams,
  RolloutHits,
  SearchCursor,
  SearchPage,
  UnsearchedRollout,
} from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import {
  type FilterNode,
  type TextNode,
  textNodesOf,
  wantedTextNodes,
} from '../../shared/domain/filter/node.ts';
import { characterOf, readFilter } from '../../shared/domain/filter/parse.ts';
import { ColumnStore, type RunTable } from '../columns/columnStore.ts';
import { matching } from '../columns/matching.ts';
import { rowTruth } from '../columns/rowTruth.ts';
import type { StepTable } from '../columns/stepTable.ts';
import { TextTruth } from '../columns/textTruth.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { runsOfSearch } from '../storage/queries/search.ts';
import { type RolloutTexts, TextReader } from '../storage/queries/texts.ts';
import { allHits, hitList } from './inContext.ts';

export interface SearchOptions {
  readonly isCancelled: () => boolean;
  /** A regular expression begins on this rollout; 0: it has ended. */
  readonly beat: (rolloutId: number) => void;
  /** In which a regular expression took too long before. */
  readonly skipped: ReadonlySet<number>;
  /** Milliseconds. */
  readonly now: () => number;
}

type PageParams = ParsedParams<'search.page'>;

/** A page ends then with what it has found: the next one follows at once, and a cancel is heard between the two. */
const ENOUGH_MS = 150;
/** Rows between two looks at the clock. */
const BREATH = 256;

class Stopped extends Error {}

interface Scope {
  readonly node: FilterNode;
  readonly nodes: readonly TextNode[];
  readonly wanted: readonly TextNode[];
  readonly hasRegex: boolean;
}

/** One for each thread: it keeps what it has read. */
export class Searcher {
  private readonly db: ReadableLibrary;
  private readonly store: ColumnStore;
  private asked: { readonly key: string; readonly scope: Scope; readonly truths: Truths } | undefined;

  constructor(db: ReadableLibrary) {
    this.db = db;
    this.store = new ColumnStore(db);
  }

  page(params: PageParams, options: SearchOptions): Result<SearchPage> {
    const read = scopeOf(params.query);
    if ('ok' in read) return read;
    try {
      const value = this.db.transaction(() => {
        const { scope, truths } = this.remembered(params.query, read);
        return new PageBuilder(this.db, { store: this.store, truths, scope, options }).build(params);
      })();
      return { ok: true, value };
    } catch (error) {
      if (error instanceof Stopped) return { ok: false, failure: CANCELLED };
      throw error;
    }
  }

  /** What the index said of each run holds for the next page, too, as long as nothing is written. */
  private remembered(query: string, scope: Scope): { readonly scope: Scope; readonly truths: Truths } {
    const key = `${this.db.pragma('data_version', { simple: true })} ${query}`;
    if (this.asked?.key !== key) this.asked = { key, scope, truths: new Map() };
    return this.asked;
  }

  hits(
    { query, rolloutId }: ParsedParams<'search.hits'>,
    { beat, skipped }: SearchOptions,
  ): Result<RolloutHits> {
    const scope = scopeOf(query);
    if ('ok' in scope) return scope;
    if (skipped.has(rolloutId))
      return {
        ok: false,
        failure: { code: 'timed_out', message: 'the regular expression takes too long in this rollout' },
      };
    const texts = new TextReader(this.db).rollout(rolloutId);
    if (texts === undefined)
      return {
        ok: false,
        failure: { code: 'not_found', message: `the library has no rollout ${rolloutId}` },
      };
    const segments = [...texts.prompt(), ...texts.response()];
    if (scope.hasRegex) beat(rolloutId);
    const value = allHits(segments, scope.wanted);
    beat(0);
    return { ok: true, value };
  }
}

function scopeOf(
  query: string,
): Scope | { readonly ok: false; readonly failure: { code: 'bad_request'; message: string } } {
  const read = readFilter(query);
  if (!read.ok) {
    const message = `query, character ${characterOf(query, read.fault)}: ${read.fault.message}`;
    return { ok: false, failure: { code: 'bad_request', message } };
  }
  const nodes = textNodesOf(read.node);
  return {
    node: read.node,
    nodes,
    wanted: wantedTextNodes(read.node),
    hasRegex: nodes.some(({ form }) => form === 'regex'),
  };
}

/** By run. */
type Truths = Map<number, TextTruth>;

interface PageScope {
  readonly store: ColumnStore;
  readonly truths: Truths;
  readonly scope: Scope;
  readonly options: SearchOptions;
}

type Building = Omit<FoundGroup, 'found'> & { readonly found: FoundRollout[] };

class PageBuilder {
  private readonly db: ReadableLibrary;
  private readonly store: ColumnStore;
  private readonly truths: Truths;
  private readonly scope: Scope;
  private readonly options: SearchOptions;
  private readonly texts: TextReader;
  private readonly startedAt: number;
  private readonly groups: Building[] = [];
  private readonly unsearched: UnsearchedRollout[] = [];
  private found = 0;
  private passed = 0;
  private scanned = 0;

  constructor(db: ReadableLibrary, { store, truths, scope, options }: PageScope) {
    this.db = db;
    this.store = store;
    this.truths = truths;
    this.scope = scope;
    this.options = options;
    this.texts = new TextReader(db);
    this.startedAt = options.now();
  }

  build({ runId, step, after, limit }: PageParams): SearchPage {
    const runs = runsOfSearch(this.db, { runId, step });
    const total = runs.reduce((sum, run) => sum + run.rollouts, 0);
    let next: SearchCursor | undefined;
    for (const run of runs) {
      if (after !== undefined && run.runId > after.runId) continue;
      next = this.run(this.store.run(run.runId), {
        step,
        limit,
        after: after?.runId === run.runId ? after : undefined,
      });
      if (next !== undefined) break;
    }
    const { groups, passed, scanned, unsearched } = this;
    return { groups, passed, scanned, total, unsearched, ...(next === undefined ? {} : { next }) };
  }

  /** @returns where it stopped before the end */
  private run(
    run: RunTable,
    { step, limit, after }: { step: number | undefined; limit: number; after: SearchCursor | undefined },
  ): SearchCursor | undefined {
    const truth = this.truths.get(run.runId) ?? new TextTruth(this.db, run.runId, this.scope.nodes);
    this.truths.set(run.runId, truth);
    const tables = run.steps.filter((table) => step === undefined || table.step === step).toReversed();
    for (const table of tables) {
      if (after !== undefined && table.step > after.step) continue;
      const from = after?.step === table.step ? firstBehind(table, after) : 0;
      const next = this.step({ run, table, truth }, from, limit);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  private step(
    place: { readonly run: RunTable; readonly table: StepTable; readonly truth: TextTruth },
    from: number,
    limit: number,
  ): SearchCursor | undefined {
    const { run, table, truth } = place;
    if (this.options.isCancelled()) throw new Stopped();
    const ids = table.column('rolloutId');
    const groups = table.column('groupId');
    const test = rowTruth(this.scope.node, (part) => matching({ run, texts: nothing }, table, part));
    for (let row = from; row < ids.length; row++) {
      const id = ids[row] ?? 0;
      const groupId = groups[row] ?? 0;
      let holds = test(row, (node) => truth.known(node, id, groupId));
      let read: RolloutTexts | undefined;
      if (holds === undefined) {
        read = this.texts.rollout(id);
        if (read !== undefined) holds = this.byReading(read, { row, test, truth, place });
      }
      this.passed += 1;
      if (holds === true) this.add(row, place, read ?? this.texts.rollout(id));
      if (this.found < limit && !this.isTimeUp(row, read !== undefined || holds === true)) continue;
      return {
        runId: run.runId,
        step: table.step,
        groupId,
        index: table.column('index')[row] ?? 0,
        rolloutId: id,
      };
    }
    return undefined;
  }

  private byReading(
    read: RolloutTexts,
    {
      row,
      test,
      truth,
      place,
    }: {
      readonly row: number;
      readonly test: ReturnType<typeof rowTruth>;
      readonly truth: TextTruth;
      readonly place: { readonly run: RunTable; readonly table: StepTable };
    },
  ): boolean {
    const { rolloutId, groupId } = read;
    if (this.options.skipped.has(rolloutId)) {
      this.leaveOut(rolloutId, groupId, row, place);
      return false;
    }
    this.scanned += 1;
    const holds = test(row, (node) => {
      const known = truth.known(node, rolloutId, groupId);
      if (known !== undefined) return known;
      if (node.form === 'regex') this.options.beat(rolloutId);
      const held = truth.read(node, read);
      this.options.beat(0);
      return held;
    });
    return holds === true;
  }

  private leaveOut(
    rolloutId: number,
    groupId: number,
    row: number,
    { run, table }: { readonly run: RunTable; readonly table: StepTable },
  ): void {
    this.unsearched.push({
      rolloutId,
      runId: run.runId,
      step: table.step,
      groupKey: run.groups().get(groupId)?.groupKey ?? '',
      index: table.column('index')[row] ?? 0,
    });
  }

  private add(
    row: number,
    { run, table }: { readonly run: RunTable; readonly table: StepTable },
    texts: RolloutTexts | undefined,
  ): void {
    if (texts === undefined) return;
    const { rolloutId, groupId } = texts;
    if (this.options.skipped.has(rolloutId)) {
      this.leaveOut(rolloutId, groupId, row, { run, table });
      return;
    }
    const { wanted, hasRegex } = this.scope;
    if (hasRegex) this.options.beat(rolloutId);
    const found = hitList(texts.response(), wanted);
    let group = this.groups.at(-1);
    if (group === undefined || group.groupId !== groupId) {
      const facts = run.groups().get(groupId);
      group = {
        runId: run.runId,
        step: table.step,
        groupId,
        groupKey: facts?.groupKey ?? '',
        problemId: facts?.problemId ?? '',
        preview: this.texts.preview(texts.promptId),
        rollouts: facts?.rollouts ?? 0,
        correct: facts?.correct ?? 0,
        correctKnown: facts?.correctKnown ?? 0,
        prompt: hitList(texts.prompt(), wanted),
        found: [],
      };
      this.groups.push(group);
    }
    this.options.beat(0);
    const reward = table.column('reward')[row] ?? Number.NaN;
    const correct = table.column('correct')[row] ?? -1;
    group.found.push({
      rolloutId,
      index: table.column('index')[row] ?? 0,
      ...(Number.isNaN(reward) ? {} : { reward }),
      ...(correct < 0 ? {} : { isCorrect: correct === 1 }),
      turns: table.column('turns')[row] ?? 0,
      found,
    });
    this.found += 1;
  }

  /** @param hasRead a text was read, which takes long enough to look at the clock */
  private isTimeUp(row: number, hasRead: boolean): boolean {
    if (!hasRead && row % BREATH !== 0) return false;
    if (this.options.isCancelled()) throw new Stopped();
    return this.options.now() - this.startedAt > ENOUGH_MS;
  }
}

const NONE: ReadonlySet<number> = new Set();
const nothing = (): ReadonlySet<number> => NONE;

/** Rows are in the order of group, index and id. */
function firstBehind(table: StepTable, { groupId, index, rolloutId }: SearchCursor): number {
  const groups = table.column('groupId');
  const indexes = table.column('index');
  const ids = table.column('rolloutId');
  for (let row = 0; row < ids.length; row++) {
    const order = (groups[row] ?? 0) - groupId || (indexes[row] ?? 0) - index || (ids[row] ?? 0) - rolloutId;
    if (order > 0) return row;
  }
  return ids.length;
}
