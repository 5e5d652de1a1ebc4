/**
 * One call of every method of the contract, so that each can be made over each transport
 * and compared with the host's own answer. A method added to the contract does not
 * compile here until it has a call.
 */
import type { LibraryManager } from '../../electron/host/host.ts';
import { METHODS, type Method, type ParamsOf, type ResultOf } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';

export type Dispatch = (method: string, params: unknown) => Promise<Result<unknown>>;

interface Ids {
  readonly runId: number;
  readonly runKey: string;
  readonly step: number;
  readonly groupIds: readonly number[];
  readonly rolloutIds: readonly number[];
  /** One that has per-token columns. */
  readonly withTokens: number;
}

/** `changes`: the answer depends on when and where it is asked, so only its kind is compared. */
type Call<M extends Method> = { readonly params: (ids: Ids) => ParamsOf<M>; readonly changes?: true };

const MAPPING = {
  version: 1 as const,
  name: 'sampler',
  shape: ['q', 'a'],
  fields: { prompt: 'q', response: 'a' },
};

const CALLS: { readonly [M in Method]: Call<M> } = {
  'host.info': { params: () => ({}), changes: true },
  'run.list': { params: () => ({}) },
  'run.get': { params: ({ runKey }) => ({ runKey }) },
  'step.list': { params: ({ runId }) => ({ runId }) },
  'group.order': {
    params: ({ runId, step }) => ({ runId, step, sort: 'meanReward', direction: 'descending' }),
  },
  'group.rows': { params: ({ groupIds }) => ({ groupIds: [...groupIds] }) },
  'rollout.order': {
    params: ({ runId }) => ({ runId, filter: 'turns:>=1', sort: [{ by: 'responseChars' }] }),
  },
  'step.series': { params: ({ runId }) => ({ runId, filter: 'tool_calls:>0' }) },
  'metric.list': { params: ({ runId }) => ({ runId }) },
  'eval.summary': { params: ({ runId }) => ({ runId, filter: 'turns:>0' }) },
  'step.schedule': { params: ({ runId, step }) => ({ runId, step, filter: 'turns:>0' }) },
  'run.latencies': { params: ({ runId, step }) => ({ runId, from: 0, to: step, filter: 'turns:>0' }) },
  'problem.solved': { params: ({ runId, step }) => ({ runId, step }) },
  'filter.read': { params: ({ runId }) => ({ runId, filter: 'is_correct:true or "wait"' }) },
  'search.page': {
    params: ({ runId, step }) => ({ query: 'wait or "the"', runId, step, limit: 5 }),
    changes: true,
  },
  'search.hits': { params: ({ rolloutIds }) => ({ query: 'text:the', rolloutId: rolloutIds[0] ?? 0 }) },
  'search.state': { params: () => ({}), changes: true },
  'problem.map': { params: ({ runId }) => ({ runId, filter: 'turns:>1' }) },
  'problem.suspects': { params: ({ runId }) => ({ runId }) },
  'problem.disputed': { params: ({ runId }) => ({ runId }) },
  'problem.history': { params: ({ groupIds }) => ({ groupId: groupIds[0] ?? 0 }) },
  'view.list': { params: () => ({}) },
  'view.save': { params: () => ({ name: 'late failures', filter: 'step:>1 reward:0' }), changes: true },
  'view.remove': { params: () => ({ name: 'late failures' }), changes: true },
  'sql.run': {
    params: () => ({ sql: 'SELECT run_id, name FROM run ORDER BY run_id' }),
    changes: true,
  },
  'sql.page': { params: () => ({ resultId: 999_999, from: 0 }) },
  'sql.export': { params: () => ({ sql: 'DELETE FROM run', format: 'csv' }) },
  'sql.exportPart': { params: () => ({ exportId: 999_999 }) },
  'sql.exportStop': { params: () => ({ exportId: 999_999 }) },
  'sql.schema': { params: () => ({}) },
  'sql.target': { params: ({ rolloutIds }) => ({ of: 'rollout', id: rolloutIds[0] ?? 0 }) },
  'query.examples': { params: () => ({}) },
  'query.list': { params: () => ({}), changes: true },
  'query.save': {
    params: () => ({ name: 'runs', sql: 'SELECT * FROM run', createdAt: 0 }),
    changes: true,
  },
  'query.remove': { params: () => ({ name: 'runs' }), changes: true },
  'filter.values': { params: ({ runId }) => ({ runId, field: 'problem_id' }) },
  'rollout.rows': { params: ({ rolloutIds }) => ({ rolloutIds: rolloutIds.slice(0, 100) }) },
  'place.resolve': { params: ({ runKey, step }) => ({ runKey, step }) },
  'rollout.get': { params: ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }) },
  'rollout.tokens': { params: ({ withTokens }) => ({ rolloutId: withTokens }) },
  'rollout.signal': { params: ({ withTokens }) => ({ rolloutId: withTokens, signal: 'entropy' }) },
  'rollout.alternatives': { params: ({ withTokens }) => ({ rolloutId: withTokens, from: 3, limit: 5 }) },
  'token.signals': { params: ({ runId, step }) => ({ runId, step }) },
  'token.statistics': { params: ({ runId, step }) => ({ runId, step, by: ['segment', 'token'] }) },
  'token.places': {
    params: ({ runId, withTokens }) => ({
      runId,
      rolloutId: withTokens,
      signal: 'entropy',
      source: { kind: 'full', unit: 'nats' },
      token: ' the',
    }),
  },
  'rollout.record': { params: ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }) },
  'issue.list': { params: () => ({}) },
  'file.list': { params: () => ({}) },
  'problem.places': { params: ({ groupIds }) => ({ groupId: groupIds[0] ?? 0 }) },
  'run.sources': { params: ({ runKey }) => ({ runKey }) },
  'run.setGroupRule': { params: () => ({ runKey: 'no such run', rule: 'order', size: 8 }) },
  'run.setName': { params: () => ({ directory: '/nobody/reads/this', name: null }), changes: true },
  'run.joinPool': { params: ({ runKey }) => ({ poolKey: runKey, keptKey: 'no such run' }) },
  'run.leavePool': { params: ({ runKey }) => ({ poolKey: runKey, keptKey: 'no such run' }) },
  'run.setTokenizer': { params: ({ runKey }) => ({ runKey, path: '/nobody/granted/this' }) },
  'run.removeTokenizer': { params: () => ({ runKey: 'no such run' }) },
  'taxonomy.get': { params: () => ({}), changes: true },
  'taxonomy.set': {
    params: () => ({
      taxonomy: {
        name: 'Two',
        choice: 'many',
        labels: [
          { id: 'loops', name: 'Loops', colour: 'teal', description: '', key: '1' },
          { id: 'odd', name: 'Odd', colour: 'red', description: 'Anything else' },
        ],
      },
    }),
    changes: true,
  },
  'annotation.list': { params: ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0 }), changes: true },
  'annotation.order': {
    params: ({ runId }) => ({ runId, filter: 'label:any', states: ['exact', 'unattached'] }),
    changes: true,
  },
  'annotation.rows': { params: () => ({ annotationNos: [1, 2] }), changes: true },
  'annotation.apply': {
    params: ({ rolloutIds }) => ({
      author: 'me',
      changes: [
        { put: { rolloutId: rolloutIds[0] ?? 0, target: { kind: 'turn', turn: 1 }, note: 'hm' } },
        { read: rolloutIds[0] ?? 0, verdict: 'read' },
      ],
    }),
    changes: true,
  },
  'annotation.undo': { params: () => ({}), changes: true },
  'annotation.redo': { params: () => ({}), changes: true },
  'annotation.history': { params: () => ({}), changes: true },
  'label.queue': { params: ({ runId }) => ({ runId, author: 'nobody', order: 'stratified', seed: 3 }) },
  'annotation.agreement': { params: ({ runId }) => ({ runId, authors: ['nobody', 'no one'] }) },
  'annotation.report': { params: ({ runId }) => ({ runId, labels: ['no-such'] }) },
  'annotation.conflicts': { params: () => ({}) },
  'annotation.resolve': { params: () => ({ conflictId: 999_999, take: 'mine' }) },
  'annotation.authors': { params: () => ({}), changes: true },
  'annotation.import': { params: () => ({ path: '/nobody/granted/this' }) },
  'pack.preview': { params: ({ runId }) => ({ runId, filter: 'turns:>1', isAll: true }) },
  'pack.export': {
    params: ({ runId }) => ({ runId, labels: ['no-such'], format: 'html', path: 'pack.html' }),
  },
  'pack.text': {
    params: ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0, sections: ['problem', 'answer'] }),
  },
  'run.remove': { params: () => ({ runKey: 'no such run' }) },
  'compare.align': { params: ({ rolloutIds }) => ({ rolloutIds: rolloutIds.slice(0, 3), baseline: 1 }) },
  'compare.tree': { params: ({ groupIds }) => ({ groupIds: groupIds.slice(0, 1) }) },
  'compare.alike': { params: ({ rolloutIds }) => ({ rolloutId: rolloutIds[0] ?? 0, limit: 5 }) },
  'roc.group': {
    params: ({ groupIds }) => ({
      groupId: groupIds[0] ?? 0,
      whatIf: { rule: 'paper', settings: { down_sample_to_n: 8 } },
    }),
  },
  'roc.report': { params: ({ runId, step }) => ({ runId, step }), changes: true },
  'roc.groups': { params: () => ({ reportId: 999_999, key: 'flips' }) },
  'format.list': { params: () => ({}) },
  'file.inspect': { params: () => ({ path: '/nobody/granted/this' }) },
  'mapping.preview': { params: () => ({ path: '/nobody/granted/this', mapping: MAPPING }) },
  'mapping.list': { params: () => ({}) },
  'mapping.save': { params: () => ({ mapping: MAPPING }) },
  'mapping.remove': { params: () => ({ name: 'no such mapping' }) },
  'follow.start': { params: () => ({ paths: ['/nobody/granted/this'] }) },
  'follow.stop': { params: () => ({ path: '/nobody/follows/this' }) },
  'follow.list': { params: () => ({}) },
  'ingest.start': { params: () => ({ paths: ['/nobody/granted/this'] }) },
  'ingest.demo': { params: () => ({}), changes: true },
  'ingest.cancel': { params: () => ({ jobId: 999_999 }) },
  'ingest.jobs': { params: () => ({}), changes: true },
  'library.list': { params: () => ({}), changes: true },
  'library.open': { params: () => ({ path: '/nobody/granted/this' }) },
  'library.close': { params: () => ({ id: 'no such library' }) },
  'library.forget': { params: () => ({ id: 'no such library' }) },
  'library.sizes': { params: () => ({}) },
  'library.compact': { params: () => ({}), changes: true },
  'run.move': { params: () => ({ runKey: 'no such run', path: 'elsewhere' }) },
  'run.export': { params: () => ({ runKeys: ['no such run'], path: 'elsewhere' }) },
  'shell.saveDialog': { params: () => ({ name: 'elsewhere.sqlite' }), changes: true },
  'shell.openDialog': { params: () => ({ kind: 'files' }), changes: true },
  'shell.openLink': { params: () => ({ url: 'javascript:alert(1)' }), changes: true },
  'shell.recent': { params: () => ({}), changes: true },
};

/** What must fail, and how, on every transport alike. */
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
  ['pack.text', { rolloutId: 987_654_321, sections: ['problem'] }, 'not_found'],
  ['run.move', { runKey: 'no such run', path: 'elsewhere' }, 'not_found'],
  ['library.open', { path: '/etc/passwd' }, 'not_granted'],
  ['library.open', { id: 'no such library' }, 'not_found'],
  ['library.open', { id: 'home', path: '/etc/passwd' }, 'bad_request'],
  ['library.close', { id: 'home' }, 'refused'],
];

/** Typed arrays by name and bits: JSON alone would turn them into objects and NaN into null. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (!ArrayBuffer.isView(each)) return each;
    const bytes = new Uint8Array(each.buffer, each.byteOffset, each.byteLength);
    return { array: Object.prototype.toString.call(each), bytes: Array.from(bytes).join(' ') };
  });
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

export interface PreparedCall {
  readonly method: Method;
  readonly params: unknown;
  readonly changes: boolean;
}

/** Logs into a library, to their end; through the shelf, as a shell does it. */
export async function readInto(
  shelf: Pick<LibraryManager, 'grant' | 'dispatch' | 'subscribe'>,
  path: string,
  library?: string,
): Promise<void> {
  await shelf.grant(path);
  const ended = new Promise<void>((resolve, reject) => {
    const stop = shelf.subscribe((event) => {
      if (event.event !== 'ingest.progress' || event.library !== library) return;
      if (event.payload.state === 'running') return;
      stop();
      if (event.payload.state === 'done') resolve();
      else reject(new Error(event.payload.message ?? event.payload.state));
    });
  });
  await value((method, params) => shelf.dispatch(method, params, undefined, library), 'ingest.start', {
    paths: [path],
  });
  await ended;
}

/** The calls with real ids in them, asked of the host itself. */
export async function prepareCalls(dispatch: Dispatch): Promise<readonly PreparedCall[]> {
  const runs = await value(dispatch, 'run.list', {});
  const [run] = [...runs].sort((a, b) => b.rollouts - a.rollouts);
  if (run === undefined) throw new Error('the library is empty');
  const { runId, runKey, lastStep: step = 0 } = run;
  const groups = await value(dispatch, 'group.order', { runId, step });
  const rollouts = await value(dispatch, 'rollout.order', { runId });
  const byEntropy = await value(dispatch, 'rollout.order', {
    runId,
    sort: [{ by: 'meanEntropy', direction: 'descending' }],
  });
  const withTokens = byEntropy.ids[0] ?? 0;
  const ids: Ids = {
    runId,
    runKey,
    step,
    groupIds: [...groups.ids],
    rolloutIds: [...rollouts.ids],
    withTokens,
  };
  return METHODS.map((method) => {
    const call: Call<Method> = CALLS[method];
    return { method, params: call.params(ids), changes: call.changes ?? false };
  });
}
