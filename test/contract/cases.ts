/**
 * One successful call of every method of the contract on a prepared library, in an order in which each finds
 * what it needs. Two sides with equal libraries answer the calls, and the values are compared. A method added
 * to the contract does not compile here until it has a call.
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LibraryManager } from '../../electron/host/host.ts';
import {
  METHODS,
  type Method,
  type ParamsOf,
  type ResultOf,
  type SqlExportPart,
} from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { DEMO_RUN, type Prepared } from './prepared.ts';
import { OTHER_ID } from './twoLibraries.ts';

export type Dispatch = (method: string, params: unknown) => Promise<Result<unknown>>;

interface Ids {
  readonly runId: number;
  readonly step: number;
  readonly groupIds: readonly number[];
  readonly rolloutIds: readonly number[];
  /** A rollout with per-token columns. */
  readonly withTokens: number;
  readonly poolKey: string;
  readonly keptKey: string;
  readonly idsKey: string;
}

/** Input of a call: equal on both sides, except the side's directory and its earlier results. */
interface Context extends Ids, Prepared {
  readonly home: string;
  answerOf<M extends Method>(method: M): ResultOf<M>;
}

type Call<M extends Method> = (at: Context) => ParamsOf<M>;

const continued = (rolloutIds: readonly number[]) => ({
  rolloutId: rolloutIds[0] ?? 0,
  position: { kind: 'turn' as const, turn: 1, at: 'start' as const },
  edit: 'I think',
  settings: { n: 1, maxTokens: 3 },
});

const MAPPING = {
  version: 1 as const,
  name: 'sampler',
  shape: ['q', 'a'],
  fields: { prompt: 'q', response: 'a' },
};

/** In execution order. */
const CALLS: { readonly [M in Method]: Call<M> } = {
  'host.info': () => ({}),
  'run.list': () => ({}),
  'run.get': () => ({ runKey: DEMO_RUN }),
  'step.list': ({ runId }) => ({ runId }),
  'group.order': ({ runId, step }) => ({ runId, step, sort: 'meanReward', direction: 'descending' }),
  'group.rows': ({ groupIds }) => ({ groupIds: [...groupIds] }),
  'rollout.order': ({ runId }) => ({ runId, filter: 'turns:>=1', sort: [{ by: 'responseChars' }] }),
  'step.series': ({ runId }) => ({ runId, filter: 'tool_calls:>0' }),
  'step.problemRewards': ({ runId }) => ({ runId, step: 0, filter: 'tool_calls:>=0' }),
  'metric.list': ({ runId }) => ({ runId }),
  'eval.summary': ({ runId }) => ({ runId, filter: 'turns:>0' }),
  'eval.retries': ({ runId }) => ({ runId }),
  'step.schedule': ({ runId, step }) => ({ runId, step, filter: 'turns:>0' }),
  'run.latencies': ({ runId, step }) => ({ runId, from: 0, to: step, filter: 'turns:>0' }),
  'problem.solved': ({ runId, step }) => ({ runId, step }),
  'filter.parse': ({ runId }) => ({ runId, filter: 'is_correct:true or "wait"' }),
  'search.page': ({ runId, step }) => ({ query: 'wait or "the"', runId, step, limit: 5 }),
  'search.count': ({ runId }) => ({ query: 'wait or "the"', runId }),
  'search.hits': ({ rolloutIds }) => ({ query: 'text:the', rolloutId: rolloutIds[0] ?? 0 }),
  'search.state': () => ({}),
  'problem.map': ({ runId }) => ({ runId, filter: 'turns:>1' }),
  'problem.suspects': ({ runId }) => ({ runId }),
  'problem.disputed': ({ runId }) => ({ runId }),
  'problem.failures': ({ runId }) => ({ runId, from: 0 }),
  'detector.report': ({ runId, step }) => ({ runId, step, thresholds: { 'repetition.repeats': 3 } }),
  'detector.rollout': ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }),
  'problem.history': ({ groupIds }) => ({ groupId: groupIds[0] ?? 0 }),
  'problem.changes': ({ runId, step }) => ({ from: { runId, step: 0 }, to: { runId, step } }),
  'view.list': () => ({}),
  'view.save': () => ({ name: 'late failures', filter: 'step:>1 reward:0' }),
  'view.remove': () => ({ name: 'failures' }),
  'sql.run': () => ({ sql: 'SELECT run_id, name FROM run ORDER BY run_id' }),
  'sql.page': ({ answerOf }) => {
    const answer = answerOf('sql.run');
    return { resultId: 'resultId' in answer ? Number(answer.resultId) : 0, from: 0 };
  },
  'sql.export': () => ({ sql: 'SELECT run_id, name FROM run ORDER BY run_id', format: 'csv' }),
  'sql.exportPart': ({ answerOf }) => {
    const answer = answerOf('sql.export');
    return { exportId: 'exportId' in answer ? Number(answer.exportId) : 0 };
  },
  'sql.exportStop': ({ answerOf }) => {
    const answer = answerOf('sql.export');
    return { exportId: 'exportId' in answer ? Number(answer.exportId) : 0 };
  },
  'python.run': () => ({ cells: [{ code: 'x = 6' }, { code: 'print(x * int(input()))', input: '7\n' }] }),
  'rerun.save': ({ rolloutIds }) => ({
    rolloutId: rolloutIds[0] ?? 0,
    calls: [
      { ordinal: 0, class: 'different', reason: 'the output differs', mode: 'alone', milliseconds: 1.5 },
    ],
  }),
  'rerun.list': ({ rolloutIds }) => ({ rolloutIds: rolloutIds.slice(0, 2) }),
  'sql.schema': () => ({}),
  'sql.target': ({ rolloutIds }) => ({ of: 'rollout', id: rolloutIds[0] ?? 0 }),
  'query.examples': () => ({}),
  'query.list': () => ({}),
  'query.save': () => ({ name: 'steps', sql: 'SELECT * FROM step', createdAt: 0 }),
  'query.remove': () => ({ name: 'runs' }),
  'filter.values': ({ runId }) => ({ runId, field: 'problem_id' }),
  'rollout.rows': ({ rolloutIds }) => ({ rolloutIds: rolloutIds.slice(0, 100) }),
  'page.open': ({ step }) => ({ runKey: DEMO_RUN, step }),
  'rollout.get': ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }),
  'rollout.tokens': ({ withTokens }) => ({ rolloutId: withTokens }),
  'rollout.signal': ({ withTokens }) => ({ rolloutId: withTokens, signal: 'entropy' }),
  'rollout.alternatives': ({ withTokens }) => ({ rolloutId: withTokens, from: 3, limit: 5 }),
  'token.signals': ({ runId, step }) => ({ runId, step }),
  'token.statistics': ({ runId, step }) => ({ runId, step, by: ['segment', 'token'] }),
  'token.occurrences': ({ runId, withTokens }) => ({
    runId,
    rolloutId: withTokens,
    signal: 'entropy',
    source: { kind: 'full', unit: 'nats' },
    wanted: { token: ' the' },
  }),
  'rollout.record': ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }),
  'issue.list': () => ({}),
  'file.list': () => ({}),
  'problem.occurrences': ({ groupIds }) => ({ groupId: groupIds[0] ?? 0 }),
  'run.sources': () => ({ runKey: DEMO_RUN }),
  'run.joinPool': ({ poolKey, keptKey }) => ({ poolKey, keptKey }),
  'run.leavePool': ({ poolKey, keptKey }) => ({ poolKey, keptKey }),
  'run.setGroupRule': ({ poolKey }) => ({ runKey: poolKey, rule: 'order', size: 2 }),
  'run.setTokenizer': ({ idsKey, logs }) => ({ runKey: idsKey, path: join(logs, 'tokenizer.json') }),
  'run.removeTokenizer': ({ idsKey }) => ({ runKey: idsKey }),
  'taxonomy.get': () => ({}),
  'taxonomy.set': () => ({
    taxonomy: {
      name: 'Two',
      choice: 'many',
      labels: [
        { id: 'loops', name: 'Loops', colour: 'teal', description: '', key: '1' },
        { id: 'gave-up', name: 'Gave up', colour: 'red', description: 'Ends without an answer' },
      ],
    },
  }),
  'annotation.list': ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }),
  'annotation.order': ({ runId }) => ({ runId, filter: 'label:*', states: ['exact', 'unattached'] }),
  'annotation.rows': ({ answerOf }) => ({ annotationNos: [...answerOf('annotation.order').ids] }),
  'annotation.apply': ({ rolloutIds, disputedId }) => ({
    author: 'ann',
    changes: [
      { put: { id: disputedId, label: 'gave-up', note: 'after two calls' } },
      { read: rolloutIds[1] ?? 0, verdict: 'read' },
    ],
  }),
  'annotation.undo': () => ({}),
  'annotation.redo': () => ({}),
  'annotation.history': () => ({ author: 'ann' }),
  'annotation.authors': () => ({}),
  'annotation.agreement': ({ runId }) => ({ runId, authors: ['ann', 'bob'] }),
  'annotation.report': ({ runId }) => ({ runId, labels: ['loops'] }),
  'annotation.import': ({ logs }) => ({ path: join(logs, 'pack.jsonl') }),
  'annotation.conflicts': () => ({}),
  'annotation.resolve': ({ answerOf }) => ({
    conflictId: answerOf('annotation.conflicts')[0]?.conflictId ?? 0,
    take: 'theirs',
    author: 'ann',
  }),
  'label.queue': ({ runId }) => ({ runId, author: 'ann', order: 'stratified', seed: 3 }),
  'pack.preview': ({ runId }) => ({ runId, filter: 'turns:>1', isAll: true }),
  'pack.export': ({ runId }) => ({ runId, labels: ['loops'], format: 'html', path: 'pack.html' }),
  'pack.text': ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0, sections: ['problem', 'answer'] }),
  'compare.align': ({ rolloutIds }) => ({ rollouts: rolloutIds.slice(0, 3), baseline: 1 }),
  'compare.tree': ({ groupIds }) => ({ groupIds: groupIds.slice(0, 1) }),
  'compare.actionTree': ({ groupIds }) => ({ groupIds: groupIds.slice(0, 1) }),
  'compare.alike': ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0, limit: 5 }),
  'roc.group': ({ groupIds }) => ({
    groupId: groupIds[0] ?? 0,
    whatIf: { rule: 'paper', settings: { down_sample_to_n: 8 } },
  }),
  'roc.report': ({ runId, step }) => ({ runId, step }),
  'roc.groups': ({ answerOf }) => ({ reportId: answerOf('roc.report').reportId, key: 'mixed' }),
  'format.list': () => ({}),
  'path.list': ({ logs }) => ({ prefix: join(logs, 'o') }),
  'file.inspect': ({ logs }) => ({ path: join(logs, 'odd', 'out.jsonl') }),
  'mapping.preview': ({ logs }) => ({ path: join(logs, 'odd', 'out.jsonl'), mapping: MAPPING }),
  'mapping.save': () => ({ mapping: MAPPING }),
  'mapping.list': () => ({}),
  'mapping.remove': () => ({ name: MAPPING.name }),
  'library.list': () => ({}),
  'library.open': ({ home }) => ({ path: join(home, 'other runs.sqlite') }),
  'library.close': () => ({ id: OTHER_ID }),
  'library.forget': () => ({ id: OTHER_ID }),
  'library.sizes': () => ({}),
  'sampling.preview': ({ rolloutIds }) => continued(rolloutIds),
  'sampling.start': ({ rolloutIds }) => continued(rolloutIds),
  'sampling.resume': ({ answerOf }) => ({ id: answerOf('sampling.start').id }),
  'sampling.interrupted': () => ({}),
  'sampling.value': ({ rolloutIds }) => ({
    rolloutId: rolloutIds[0] ?? 0,
    settings: { n: 1, maxTokens: 3 },
    budget: 3,
    pattern: 'x',
  }),
  'sampling.stored': ({ rolloutIds }) => ({ rolloutIds: rolloutIds.slice(0, 3) }),
  'sampling.batch': ({ rolloutIds }) => continued(rolloutIds),
  'sampling.nextBatch': ({ answerOf }) => ({ ids: [answerOf('sampling.batch').id] }),
  'sampling.read': ({ answerOf }) => ({
    lines: JSON.stringify({
      custom_id: `${answerOf('sampling.batch').id}:0:0`,
      response: { status_code: 200, body: { choices: [{ text: ' no', finish_reason: 'stop' }] } },
    }),
  }),
  'run.export': ({ keptKey }) => ({ runKeys: [keptKey], path: 'exported' }),
  'warehouse.runs': () => ({}),
  'warehouse.steps': ({ warehouseRun }) => ({ run: warehouseRun, filter: 'ordinal:>=0' }),
  'warehouse.schema': () => ({}),
  'warehouse.rollouts': ({ warehouseRun }) => ({
    run: warehouseRun,
    sort: [{ by: 'reward', direction: 'descending' }],
  }),
  'warehouse.latencies': ({ warehouseRun }) => ({ run: warehouseRun, from: 100, filter: 'ordinal:>=0' }),
  'warehouse.keep': ({ warehouseRun }) => ({ run: warehouseRun, filter: 'ordinal:>=0' }),
  'run.move': ({ idsKey }) => ({ runKey: idsKey, path: 'moved' }),
  'run.remove': () => ({ runKey: `${DEMO_RUN}-eval~eval` }),
  'library.compact': () => ({}),
  'ingest.start': ({ logs }) => ({ paths: [join(logs, 'late')] }),
  'ingest.unread': () => ({}),
  'ingest.demo': () => ({}),
  'run.setName': ({ logs }) => ({ directory: join(logs, 'late'), name: 'renamed' }),
  'ingest.cancel': ({ answerOf }) => ({ jobId: answerOf('ingest.start').jobId }),
  'ingest.jobs': () => ({}),
  'follow.start': ({ logs }) => ({ paths: [join(logs, 'late')] }),
  'follow.list': () => ({}),
  'follow.stop': ({ logs }) => ({ path: join(logs, 'late') }),
  'shell.saveDialog': () => ({ name: 'elsewhere.sqlite' }),
  'shell.openDialog': () => ({ kind: 'files' }),
  'shell.openWarehouse': () => ({}),
  'shell.openLink': () => ({ url: 'https://example.com/' }),
  'shell.recent': () => ({}),
};

/** Methods that start a job; the next call waits until it ends. */
const STARTS_JOB: ReadonlySet<Method> = new Set([
  'ingest.start',
  'ingest.demo',
  'run.setName',
  'follow.start',
]);

/** Times and durations differ between calls. */
const VOLATILE: ReadonlySet<string> = new Set([
  'elapsedMs',
  'milliseconds',
  'updatedAt',
  'at',
  'latest',
  'since',
  // In the directory of the user, whom each process asks for.
  'wheels',
  // Includes the write-ahead log, which is written at unpredictable times.
  'sizeBytes',
  'wal',
]);

/** Calls that must fail on every transport, with the expected code. */
export const FAILURES: readonly (readonly [method: string, params: unknown, code: string])[] = [
  ['no.such.method', {}, 'unknown_method'],
  ['toString', {}, 'unknown_method'],
  ['__proto__', {}, 'unknown_method'],
  ['step.list', {}, 'bad_request'],
  ['step.list', { runId: '1' }, 'bad_request'],
  ['step.list', null, 'bad_request'],
  ['roc.group', { groupId: 0 }, 'not_found'],
  ['roc.group', { groupId: 1, basis: { settings: { nonsense: 1 } } }, 'bad_request'],
  ['roc.report', { runId: 999_999 }, 'not_found'],
  ['group.rows', { groupIds: Array.from({ length: 501 }, () => 1) }, 'bad_request'],
  ['mapping.save', { mapping: { ...MAPPING, fields: { nonsense: 'a' } } }, 'bad_request'],
  ['run.remove', { runKey: 'no such run' }, 'not_found'],
  ['file.inspect', { path: '/etc/passwd' }, 'not_granted'],
  ['follow.start', { paths: ['/etc'] }, 'not_granted'],
  ['rollout.get', { rolloutId: 987_654_321 }, 'not_found'],
  ['run.get', { runKey: '../../etc/passwd' }, 'not_found'],
  ['run.export', { runKeys: ['no such run'], path: 'elsewhere' }, 'refused'],
  ['run.export', { path: '/etc/rollouts' }, 'not_granted'],
  ['run.export', { runKeys: [], path: 'elsewhere' }, 'bad_request'],
  ['pack.export', { isAll: true, format: 'md', path: '/etc/pack.md' }, 'not_granted'],
  ['pack.export', { isAll: true, format: 'pdf', path: 'pack.pdf' }, 'bad_request'],
  ['pack.export', { isAll: true, format: 'md', path: 'pack.md', redact: ['('] }, 'refused'],
  ['pack.preview', { filter: 'nonsense:1' }, 'bad_request'],
  ['pack.preview', { pairs: { rolloutIds: [1] } }, 'bad_request'],
  ['pack.preview', { isAll: true, pairs: { rolloutIds: [1, 1] } }, 'refused'],
  ['pack.preview', { filter: 'turns:>1', pairs: { rolloutIds: [1, 2] } }, 'refused'],
  ['pack.export', { isAll: true, format: 'md', path: 'pairs.md', pairs: { rolloutIds: [1, 2] } }, 'refused'],
  ['pack.text', { rolloutId: 987_654_321, sections: ['problem'] }, 'not_found'],
  ['run.move', { runKey: 'no such run', path: 'elsewhere' }, 'not_found'],
  ['library.open', { path: '/etc/passwd' }, 'not_granted'],
  ['library.open', { id: 'no such library' }, 'not_found'],
  ['library.open', { id: 'home', path: '/etc/passwd' }, 'bad_request'],
  ['library.close', { id: 'home' }, 'refused'],
];

/** Typed arrays by name and bits, because JSON alone would turn them into objects and NaN into null. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (!ArrayBuffer.isView(each)) return each;
    const bytes = new Uint8Array(each.buffer, each.byteOffset, each.byteLength);
    return { array: Object.prototype.toString.call(each), bytes: Array.from(bytes).join(' ') };
  });
}

/** Restores id arrays from the canonical form; later calls need no other arrays. */
function uncanonical(_name: string, each: unknown): unknown {
  const isIds = typeof each === 'object' && each !== null && 'array' in each && 'bytes' in each;
  if (!isIds || each.array !== '[object Uint32Array]') return each;
  return new Uint32Array(
    Uint8Array.from(
      String(each.bytes)
        .split(' ')
        .filter((byte) => byte !== ''),
      Number,
    ).buffer,
  );
}

async function value<M extends Method>(
  dispatch: Dispatch,
  method: M,
  params: ParamsOf<M>,
): Promise<ResultOf<M>> {
  const result = await dispatch(method, params);
  if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
  return result.value as ResultOf<M>;
}

/** Ingests logs into a library and waits, through the library manager like a shell. */
export async function readInto(
  manager: Pick<LibraryManager, 'grant' | 'dispatch' | 'subscribe'>,
  path: string,
  library?: string,
): Promise<void> {
  await manager.grant(path);
  const ended = new Promise<void>((resolve, reject) => {
    const stop = manager.subscribe((event) => {
      if (event.event !== 'ingest.progress' || event.library !== library) return;
      if (event.payload.state === 'running') return;
      stop();
      if (event.payload.state === 'done') resolve();
      else reject(new Error(event.payload.message ?? event.payload.state));
    });
  });
  await value((method, params) => manager.dispatch(method, params, undefined, library), 'ingest.start', {
    paths: [path],
  });
  await ended;
}

/** One of two sides that are compared. */
export interface Side {
  /** Directory of its library, which differs between sides. */
  readonly home: string;
  /** @returns the result in canonical form, built on the caller's side of the wire */
  send(method: Method, params: unknown): Promise<string>;
}

/** Bytes of a library's file: pages are taken and freed by work in the background. */
const PAGES: ReadonlySet<string> = new Set(['file', 'free']);

/** Ids of requests for continuations: the time, and random digits. */
const REQUEST_ID = /\b\d{17}-[0-9a-f]{8}\b/g;

/** Removes what differs between equal sides: directories, ids of requests, and volatile fields by name. */
function comparable(side: Side, answer: string): unknown {
  return JSON.parse(
    answer.replaceAll(side.home, '<home>').replace(REQUEST_ID, '<request>'),
    (name, each: unknown) =>
      VOLATILE.has(name) || (typeof each === 'number' && PAGES.has(name)) ? '<volatile>' : each,
  );
}

/** Joins the parts of an export, whose boundaries depend on time. */
async function wholeExport(side: Side, params: unknown): Promise<string> {
  let text = '';
  for (;;) {
    const part = JSON.parse(await side.send('sql.exportPart', params)) as Result<SqlExportPart>;
    if (!part.ok) throw new Error(part.failure.message);
    text += part.value.text;
    if (part.value.isWhole) return JSON.stringify({ ok: true, value: { ...part.value, text } });
  }
}

/** Joins the pages of a search, whose boundaries depend on time. */
async function wholeSearch(side: Side, params: ParamsOf<'search.page'>): Promise<string> {
  const found: unknown[] = [];
  let after: ParamsOf<'search.page'>['after'];
  for (;;) {
    const page = JSON.parse(await side.send('search.page', { ...params, after }), uncanonical) as Result<
      ResultOf<'search.page'>
    >;
    if (!page.ok) throw new Error(page.failure.message);
    found.push(...page.value.groups.flatMap((group) => group.found));
    after = page.value.next;
    if (after === undefined) return JSON.stringify({ ok: true, value: { found } });
  }
}

/** Adds the parts of a count, whose boundaries depend on time. */
async function wholeCount(side: Side, params: ParamsOf<'search.count'>): Promise<string> {
  const byRun = new Map<number, number>();
  let after: ParamsOf<'search.count'>['after'];
  for (;;) {
    const part = JSON.parse(await side.send('search.count', { ...params, after }), uncanonical) as Result<
      ResultOf<'search.count'>
    >;
    if (!part.ok) throw new Error(part.failure.message);
    for (const { runId, rollouts } of part.value.runs) byRun.set(runId, (byRun.get(runId) ?? 0) + rollouts);
    after = part.value.next;
    if (after === undefined) return JSON.stringify({ ok: true, value: [...byRun] });
  }
}

/** Below the limit of a test, which does not know what it waits for. */
const LONGEST_ANSWER_MS = 100_000;

/** @throws Error that names the method, if its answer does not come */
async function named<T>(method: Method, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${method} is not answered`)), LONGEST_ANSWER_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Makes every call on both sides, one after the other. */
export async function compareSides(
  { one, other }: { readonly one: Side; readonly other: Side },
  prepared: Prepared,
  ids: Ids,
): Promise<void> {
  const answers = new Map<Side, Map<Method, unknown>>([
    [one, new Map()],
    [other, new Map()],
  ]);
  const send = async <M extends Method>(side: Side, method: M): Promise<string> => {
    const own = answers.get(side);
    const answerOf = <N extends Method>(name: N): ResultOf<N> => own?.get(name) as ResultOf<N>;
    const params = CALLS[method]({ ...prepared, ...ids, home: side.home, answerOf });
    const answer =
      method === 'sql.exportPart'
        ? await wholeExport(side, params)
        : method === 'search.page'
          ? await wholeSearch(side, params as ParamsOf<'search.page'>)
          : method === 'search.count'
            ? await wholeCount(side, params as ParamsOf<'search.count'>)
            : await side.send(method, params);
    // A followed directory is scanned every second, so its state depends on time.
    if (method.startsWith('follow.')) return answer.replaceAll('"reading"', '"watching"');
    const result = JSON.parse(answer, uncanonical) as Result<unknown>;
    if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
    own?.set(method, result.value);
    if (STARTS_JOB.has(method))
      await expect.poll(() => side.send('ingest.jobs', {})).not.toContain('"running"');
    return answer;
  };
  const order = Object.keys(CALLS) as Method[];
  expect([...order].sort()).toEqual([...METHODS].sort());
  for (const method of order) {
    const direct = await named(method, send(one, method));
    const carried = await named(method, send(other, method));
    expect.soft([method, comparable(other, carried)]).toEqual([method, comparable(one, direct)]);
  }
}

/** Ids and keys in the prepared library. */
export async function idsOf(dispatch: Dispatch): Promise<Ids> {
  const { runId, lastStep: step = 0 } = await value(dispatch, 'run.get', { runKey: DEMO_RUN });
  const groups = await value(dispatch, 'group.order', { runId, step });
  const rollouts = await value(dispatch, 'rollout.order', { runId });
  const byEntropy = await value(dispatch, 'rollout.order', {
    runId,
    sort: [{ by: 'meanEntropy', direction: 'descending' }],
  });
  const runs = await value(dispatch, 'run.list', {});
  const keyOf = (name: RegExp): string => {
    const run = runs.find(({ runKey }) => name.test(runKey));
    if (run === undefined)
      throw new Error(`no run ${name} among ${runs.map(({ runKey }) => runKey).join(', ')}`);
    return run.runKey;
  };
  return {
    runId,
    step,
    groupIds: [...groups.ids],
    rolloutIds: [...rollouts.ids],
    withTokens: byEntropy.ids[0] ?? 0,
    poolKey: keyOf(/^verl-trace-/),
    keptKey: keyOf(/^verl-(?!trace)/),
    idsKey: keyOf(/^nemo-gym-/),
  };
}
