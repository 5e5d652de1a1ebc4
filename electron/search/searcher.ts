/** Responses of the search, each limited in time: pages of results, and counts. */
import type {
  FoundGroup,
  FoundRollout,
  HitList,
  ParsedParams,
  RolloutHits,
  SearchCount,
  SearchPage,
} from '../../shared/api/contract.ts';
import { ApiError, notFound } from '../../shared/api/errors.ts';
import { mayRunAway, textNodesOf, wantedTextNodes } from '../../shared/domain/filter/node.ts';
import { characterOf, readFilter } from '../../shared/domain/filter/parse.ts';
import { ColumnStore } from '../columns/columnStore.ts';
import { MOST_CHARS } from '../columns/textBatch.ts';
import { UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { type RolloutTexts, type SegmentText, TextReader } from '../storage/queries/texts.ts';
import type { Task } from '../threads/task.ts';
import { eachWithTimeLimit, withTimeLimit } from '../threads/timeLimit.ts';
import { type LookupsByRun, type Row, type SearchScope, SearchWalk, type WalkScope } from './searchWalk.ts';
import { allHits, hitList } from './snippets.ts';

type PageParams = ParsedParams<'search.page'>;

/** Use one per thread, because it caches columns and index results. */
export class Searcher {
  private readonly db: ReadableLibrary;
  private readonly store: ColumnStore;
  private last:
    | { readonly key: string; readonly scope: SearchScope; readonly lookups: LookupsByRun }
    | undefined;

  constructor(db: ReadableLibrary, store: ColumnStore = new ColumnStore(db)) {
    this.db = db;
    this.store = store;
  }

  /**
   * @param now returns milliseconds
   * @throws ApiError when the query is invalid, or the task is cancelled
   */
  page(params: PageParams, task: Task, now: () => number = () => performance.now()): SearchPage {
    return this.answer(params.query, { task, now }, (scope) => new PageBuilder(this.db, scope).build(params));
  }

  /**
   * @param now returns milliseconds
   * @throws ApiError when the query is invalid, or the task is cancelled
   */
  count(
    params: ParsedParams<'search.count'>,
    task: Task,
    now: () => number = () => performance.now(),
  ): SearchCount {
    return this.answer(params.query, { task, now }, (scope) => countMatches(this.db, scope, params));
  }

  private answer<T>(
    query: string,
    { task, now }: Pick<WalkScope, 'task' | 'now'>,
    answer: (scope: WalkScope) => T,
  ): T {
    const parsed = scopeOf(query);
    return this.store.transaction(() => {
      const { scope, lookups } = this.remembered(query, parsed);
      return answer({ store: this.store, lookups, scope, task, now });
    });
  }

  /** Reuses the index results of the last page until the library changes. */
  private remembered(
    query: string,
    scope: SearchScope,
  ): { readonly scope: SearchScope; readonly lookups: LookupsByRun } {
    const key = `${this.db.pragma('data_version', { simple: true })} ${query}`;
    if (this.last?.key !== key) this.last = { key, scope, lookups: new Map() };
    return this.last;
  }

  /**
   * @throws ApiError when the query is invalid, the rollout does not exist, or a regular expression is
   * stopped
   */
  hits({ query, rolloutId }: ParsedParams<'search.hits'>): RolloutHits {
    const scope = scopeOf(query);
    const texts = new TextReader(this.db).rollout(rolloutId);
    if (texts === undefined) throw notFound(`the library has no rollout ${rolloutId}`);
    const segments = [...texts.prompt(), ...texts.response()];
    const search = (): RolloutHits => allHits(segments, scope.wanted);
    const hits = scope.mayRunAway ? withTimeLimit(search) : search();
    if (hits !== undefined) return hits;
    const message = 'the regular expression takes too long or needs too much memory in this rollout';
    throw new ApiError({ code: 'timed_out', message });
  }
}

function scopeOf(query: string): SearchScope {
  const read = readFilter(query);
  if (!read.ok) {
    const message = `query, character ${characterOf(query, read.fault)}: ${read.fault.message}`;
    throw new ApiError({ code: 'bad_request', message });
  }
  const nodes = textNodesOf(read.node);
  return {
    node: read.node,
    nodes,
    wanted: wantedTextNodes(read.node),
    mayRunAway: nodes.some(mayRunAway),
  };
}

type Building = Omit<FoundGroup, 'found'> & { readonly found: FoundRollout[] };

/** A rollout that matches. Its hits are not known yet. */
interface Match extends Row {
  readonly texts: RolloutTexts;
  readonly prompt: readonly SegmentText[];
  readonly response: readonly SegmentText[];
}

type RowHits = Record<'prompt' | 'response', HitList>;

class PageBuilder {
  private readonly walk: SearchWalk;
  private readonly scope: SearchScope;
  private readonly texts: TextReader;
  private readonly groups: Building[] = [];
  private matches: Match[] = [];
  /** UTF-16 units in `matches`. */
  private matchChars = 0;
  private found = 0;

  constructor(db: ReadableLibrary, scope: WalkScope) {
    this.walk = new SearchWalk(db, scope);
    this.scope = scope.scope;
    this.texts = new TextReader(db);
  }

  build({ limit, ...range }: PageParams): SearchPage {
    const { total, next } = this.walk.go(range, {
      match: (row, texts) => {
        this.match(row, texts ?? this.texts.rollout(row.table.column('rolloutId')[row.row] ?? 0));
        return true;
      },
      isFull: () => this.found >= limit,
    });
    this.addMatches();
    const { passed, scanned, unsearched } = this.walk;
    return {
      groups: this.groups,
      passed,
      scanned,
      total,
      unsearched,
      ...(next === undefined ? {} : { next }),
    };
  }

  private match(row: Row, texts: RolloutTexts | undefined): void {
    if (texts === undefined) return;
    // Read before the search, because SQLite must not run under the time limit.
    const [prompt, response] = [texts.prompt(), texts.response()];
    this.matches.push({ ...row, texts, prompt, response });
    this.found += 1;
    for (const { inner } of response) this.matchChars += inner.length;
    if (!this.scope.mayRunAway || this.matchChars >= MOST_CHARS) this.addMatches();
  }

  /** Adds the matches with their hits. A regular expression finds all hits under one time limit. */
  private addMatches(): void {
    const { matches, scope } = this;
    this.matches = [];
    this.matchChars = 0;
    // Cache prompt hits, because the rollouts of a group share a prompt.
    const promptHits = new Map<readonly SegmentText[], HitList>();
    const hitsOf = ({ prompt, response }: Match): RowHits => {
      const inPrompt = promptHits.get(prompt) ?? hitList(prompt, scope.wanted);
      promptHits.set(prompt, inPrompt);
      return { prompt: inPrompt, response: hitList(response, scope.wanted) };
    };
    const hits = scope.mayRunAway
      ? eachWithTimeLimit(matches, hitsOf, this.walk.onRunaway)
      : matches.map(hitsOf);
    for (const [at, match] of matches.entries()) {
      const found = hits[at];
      if (found === undefined) this.walk.leaveOut(match);
      else this.add(match, found);
    }
  }

  private add({ run, table, row, texts }: Match, hits: RowHits): void {
    const { rolloutId, groupId } = texts;
    let group = this.groups.at(-1);
    if (group?.groupId !== groupId) {
      const facts = run.groups().get(groupId);
      group = {
        runId: run.runId,
        step: table.step,
        groupId,
        groupKey: facts?.groupKey ?? '',
        problemId: facts?.problemId ?? '',
        preview: this.texts.preview(groupId),
        rollouts: facts?.rollouts ?? 0,
        correct: facts?.correct ?? 0,
        correctKnown: facts?.correctKnown ?? 0,
        prompt: hits.prompt,
        found: [],
      };
      this.groups.push(group);
    }
    const reward = table.column('reward')[row] ?? Number.NaN;
    const correct = table.column('isCorrect')[row] ?? -1;
    const turns = table.column('turns')[row] ?? UNKNOWN_I32;
    group.found.push({
      rolloutId,
      ordinal: table.column('ordinal')[row] ?? 0,
      ...(Number.isNaN(reward) ? {} : { reward }),
      ...(correct < 0 ? {} : { isCorrect: correct === 1 }),
      ...(turns === UNKNOWN_I32 ? {} : { turns }),
      found: hits.response,
    });
  }
}

/** Counts by run. Does not read the texts of indexed rollouts. */
function countMatches(
  db: ReadableLibrary,
  scope: WalkScope,
  { runId, step, after }: ParsedParams<'search.count'>,
): SearchCount {
  const walk = new SearchWalk(db, scope);
  const byRun = new Map<number, number>();
  const { total, next } = walk.go(
    { runId, step, after },
    {
      match: ({ run }) => {
        byRun.set(run.runId, (byRun.get(run.runId) ?? 0) + 1);
        return false;
      },
      isFull: () => false,
    },
  );
  const { passed, scanned, unsearched } = walk;
  const runs = [...byRun].map(([id, rollouts]) => ({ runId: id, rollouts }));
  return { runs, passed, scanned, total, unsearched, ...(next === undefined ? {} : { next }) };
}
