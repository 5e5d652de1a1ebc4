/** Annotations through the host: queried by lists and filters, counted, compared, imported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { filterSql } from '../../electron/storage/filterSql.ts';
import type { AnnotationRow, HostEvent, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Annotation } from '../../shared/domain/annotate/annotation.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const PACK = join(FIXTURES, 'turnwise-pack/said-of-one/pack.jsonl');

let place: Scratch;
let host: Host;
const events: HostEvent[] = [];
let runId = 0;
let ids: Uint32Array;

async function ask<M extends Method>(method: M, params: ParamsOf<M>, of = host): Promise<ResultOf<M>> {
  const result = await of.dispatch(method, params);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as ResultOf<M>;
}

const put = (at: number, label: string, rest: object = {}) => ({
  put: { rolloutId: ids[at] ?? 0, target: { kind: 'rollout' as const }, label, ...rest },
});
const read = (at: number, verdict: 'read' | 'skipped' = 'read') => ({ read: ids[at] ?? 0, verdict });

beforeAll(async () => {
  place = scratch();
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
  host.subscribe((event) => events.push(event));
  await host.ingest([join(FIXTURES, 'demo/demo.jsonl')]);
  const runs = await ask('run.list', {});
  runId = runs.find(({ kind }) => kind === 'train')?.runId ?? 0;
  ids = (await ask('rollout.order', { runId, filter: '', sort: [] })).ids;
  // ann: read 0–5, loops on 0–3, gave-up on 3; bob: read 2–7, loops on 2, 4 and 5.
  await ask('annotation.apply', {
    author: 'ann',
    changes: [
      ...[0, 1, 2, 3].map((at) => put(at, 'loops', { severity: 'minor' })),
      put(3, 'gave-up', { severity: 'critical', note: 'It says *no* and 100% _stops_' }),
      ...[4, 5].map((at) => read(at)),
      read(8, 'skipped'),
    ],
  });
  await ask('annotation.apply', {
    author: 'bob',
    changes: [...[2, 4, 5].map((at) => put(at, 'loops')), ...[3, 6, 7].map((at) => read(at))],
  });
});
afterAll(async () => {
  await host.close();
  place.remove();
});

describe('a change', () => {
  it('is reported to every window, with its rollouts', async () => {
    // Events follow the answer of the request.
    await expect.poll(() => events.some(({ event }) => event === 'annotations.changed')).toBe(true);
    const told = events.filter(({ event }) => event === 'annotations.changed');
    expect(told[0]?.payload).toEqual({
      rolloutIds: expect.arrayContaining([...ids.subarray(0, 4)]),
      revision: expect.any(Number),
    });
  });

  it('is refused with a reason if invalid', async () => {
    for (const [params, words] of [
      [{ author: ' ', changes: [read(0)] }, 'author'],
      [{ author: 'ann', changes: [] }, 'changes'],
      [{ author: 'ann', changes: [{ put: { rolloutId: 1, label: 'loops' } }] }, 'changes'],
      [{ author: 'ann', changes: [put(0, 'Loops!')] }, 'changes'],
    ] as const) {
      const result = await host.dispatch('annotation.apply', params);
      expect(result).toMatchObject({
        ok: false,
        failure: { code: 'bad_request', message: expect.stringContaining(words) },
      });
    }
    const none = await host.dispatch('annotation.apply', { author: 'ann', changes: [put(0, 'no-such')] });
    expect(none).toMatchObject({ ok: false, failure: { code: 'refused' } });
  });
});

describe('a filter', () => {
  it.each([
    ['label:loops', [0, 1, 2, 3, 4, 5]],
    ['label:"Gave up"', [3]],
    ['label:GAVE-UP', [3]],
    ['label:loops,gave-up', [0, 1, 2, 3, 4, 5]],
    ['label:l*', [0, 1, 2, 3, 4, 5]],
    ['label:any', [0, 1, 2, 3, 4, 5]],
    ['label:no-such', []],
    ['author:bob', [2, 4, 5]],
    ['read:ann', [0, 1, 2, 3, 4, 5]],
    ['read:bob', [2, 3, 4, 5, 6, 7]],
    ['read:bob not read:ann', [6, 7]],
    ['severity:>=major', [3]],
    ['severity:minor', [0, 1, 2, 3]],
    ['severity:..major', [0, 1, 2, 3]],
    ['severity:>minor,minor', [0, 1, 2, 3]],
    ['severity:any', [0, 1, 2, 3]],
    ['note:NO', [3]],
    ['note:"100% _"', [3]],
    ['note:"10_%"', []],
    ['note:it*stops', [3]],
    ['note:*', [3]],
    ['label:loops severity:critical', [3]],
  ] as const)('%s', async (filter, places) => {
    const found = await ask('rollout.order', { runId, filter, sort: [] });
    const wanted = places.map((at) => ids[at] ?? 0).sort((a, b) => a - b);
    expect([...found.ids].sort((a, b) => a - b)).toEqual(wanted);
    const opposite = await ask('rollout.order', { runId, filter: `not (${filter})`, sort: [] });
    expect(opposite.ids).toHaveLength(ids.length - wanted.length);
    const node = readFilter(filter);
    if (!node.ok) throw new Error(node.fault.message);
    const bySql = rows(place.library, filterSql(node.node, runId)).map(({ rollout_id: id }) => Number(id));
    expect(bySql.sort((a, b) => a - b)).toEqual(wanted);
  });

  it.each([
    'severity:bad',
    'severity:>critical',
    'severity:major..',
    'severity:critical..minor',
    'severity:..',
  ])('at fault or not: %s', (filter) => {
    const result = readFilter(filter);
    expect(result.ok).toBe(filter === 'severity:major..');
  });

  it('updates answers after a change, in charts and maps, too', async () => {
    const map = await ask('problem.map', { runId, filter: 'label:infrastructure' });
    await ask('annotation.apply', { author: 'cy', changes: [put(20, 'infrastructure')] });
    const after = await ask('problem.map', { runId, filter: 'label:infrastructure' });
    expect(JSON.stringify(after)).not.toBe(JSON.stringify(map));
    const { steps } = await ask('step.series', { runId, filter: 'label:infrastructure' });
    expect(steps.reduce((sum, { rollouts }) => sum + rollouts, 0)).toBe(1);
    await ask('annotation.undo', {});
    expect((await ask('rollout.order', { runId, filter: 'author:cy', sort: [] })).ids).toHaveLength(0);
  });

  it('is completed with used labels, and with unused ones of the taxonomy', async () => {
    const { values } = await ask('filter.values', { runId, field: 'label' });
    expect(values.slice(0, 3)).toEqual([
      { text: 'loops', name: 'Loops', rollouts: 6 },
      { text: 'gave-up', name: 'Gave up', rollouts: 1 },
      { text: 'arithmetic-slip', name: 'Arithmetic slip', rollouts: 0 },
    ]);
    const { values: byName } = await ask('filter.values', { runId, field: 'label', prefix: 'gave U' });
    expect(byName.map(({ text }) => text)).toEqual(['gave-up']);
    expect((await ask('filter.values', { runId, field: 'read', prefix: 'b' })).values).toEqual([
      { text: 'bob', rollouts: 6 },
    ]);
  });
});

describe('the list of all', () => {
  it('is selected by run, filter, label, author and state, and returns ids', async () => {
    const order = async (params: ParamsOf<'annotation.order'>) => (await ask('annotation.order', params)).ids;
    expect(await order({})).toHaveLength(8);
    expect(await order({ labels: ['loops'], author: 'bob' })).toHaveLength(3);
    expect(await order({ states: ['moved', 'orphaned', 'unattached'] })).toHaveLength(0);
    expect(await order({ runId, filter: 'severity:critical' })).toHaveLength(2);
    const numbers = await order({ sort: 'latest' });
    const list = await ask('annotation.rows', { annotationNos: [...numbers, 99_999] });
    expect(list.map(({ annotationNo }) => annotationNo)).toEqual([...numbers]);
    expect(list[0]?.author).toBe('bob');
    expect(list.every(({ question = '' }) => question.length > 20)).toBe(true);
    const { annotations, readings } = await ask('annotation.list', { rolloutId: ids[3] ?? 0 });
    expect(annotations.map(({ label }) => label)).toEqual(['loops', 'gave-up']);
    expect(readings.map(({ author, verdict }) => `${author} ${verdict}`)).toEqual(['bob read']);
  });
});

describe('the queue', () => {
  const queue = (params: Partial<ParamsOf<'label.queue'>>) =>
    ask('label.queue', { runId, author: 'ann', ...params });

  it('leaves out and counts what this reviewer has read', async () => {
    const all = await queue({});
    expect(all).toMatchObject({ total: ids.length, read: 6, skipped: 1 });
    expect([...all.ids]).toEqual([...ids].filter((_, at) => at > 5 && at !== 8));
    expect((await queue({ includeRead: true })).ids).toEqual(ids);
    expect((await queue({ author: 'new' })).ids).toEqual(ids);
  });

  it.each(['random', 'stratified'] as const)(
    '%s is the same for the same seed, whoever has read what',
    async (order) => {
      const one = await queue({ order, seed: 5, author: 'new' });
      expect((await queue({ order, seed: 5, author: 'new' })).ids).toEqual(one.ids);
      expect((await queue({ order, seed: 6, author: 'new' })).ids).not.toEqual(one.ids);
      const mine = new Set((await queue({ order, seed: 5 })).ids);
      expect([...mine]).toEqual([...one.ids].filter((id) => mine.has(id)));
    },
  );

  it('begins with disagreements between reviewers', async () => {
    const { ids: order } = await queue({ order: 'disagreement', author: 'new' });
    const differing = [3, 4, 5].map((at) => ids[at] ?? 0);
    expect([...order.subarray(0, 3)].sort((a, b) => a - b)).toEqual(differing.sort((a, b) => a - b));
    expect(order[0]).toBe(ids[3]);
  });

  it('of picked rollouts keeps their order, as far as they exist', async () => {
    const picked = [ids[9] ?? 0, 999_999, ids[7] ?? 0, ids[9] ?? 0];
    expect(await queue({ rolloutIds: picked })).toMatchObject({
      total: 2,
      ids: Uint32Array.of(ids[9] ?? 0, ids[7] ?? 0),
    });
    expect((await queue({ rolloutIds: picked, filter: 'read:bob' })).ids).toEqual(
      Uint32Array.of(ids[7] ?? 0),
    );
  });

  it('refuses a filter that cannot be read', async () => {
    const result = await host.dispatch('label.queue', { author: 'ann', filter: 'label:', rolloutIds: [1] });
    expect(result).toMatchObject({ ok: false, failure: { code: 'bad_request' } });
  });
});

describe('two readers', () => {
  it('agree with values computed by hand, over rollouts both have read', async () => {
    const report = await ask('annotation.agreement', { runId, authors: ['ann', 'bob'] });
    expect(report).toMatchObject({ first: 6, second: 6, both: 4 });
    // Both read 2, 3, 4, 5. loops: ann on 2, 3; bob on 2, 4, 5.
    expect(report.labels).toEqual([
      {
        label: 'loops',
        n: 4,
        both: 1,
        onlyFirst: 1,
        onlySecond: 2,
        neither: 0,
        kappa: expect.closeTo(-0.5, 10),
      },
      { label: 'gave-up', n: 4, both: 0, onlyFirst: 1, onlySecond: 0, neither: 3, kappa: 0 },
    ]);
    expect(report.disagreements).toEqual([
      { rolloutId: ids[3], onlyFirst: ['gave-up', 'loops'], onlySecond: [] },
      { rolloutId: ids[4], onlyFirst: [], onlySecond: ['loops'] },
      { rolloutId: ids[5], onlyFirst: [], onlySecond: ['loops'] },
    ]);
    const nothing = await ask('annotation.agreement', { authors: ['ann', 'nobody'] });
    expect(nothing).toMatchObject({ both: 0, labels: [], overall: { n: 0 } });
    expect(nothing.overall).not.toHaveProperty('kappa');
  });

  it('are listed with their counts', async () => {
    expect(
      (await ask('annotation.authors', {}))
        .map(({ author, annotations, read: by }) => [author, annotations, by])
        .sort(),
    ).toEqual([
      ['ann', 5, 6],
      ['bob', 3, 6],
    ]);
  });
});

describe('the report', () => {
  it('counts annotations and rollouts apart, each once in every table', async () => {
    const report = await ask('annotation.report', {});
    expect(report).toMatchObject({ annotations: 8, rollouts: 6, unattached: 0 });
    const [loops] = report.labels;
    if (loops === undefined) throw new Error('nobody gave the label');
    expect(loops).toMatchObject({ label: 'loops', annotations: 7, rollouts: 6 });
    const sum = (parts: readonly { readonly annotations: number }[]): number =>
      parts.reduce((total, { annotations }) => total + annotations, 0);
    for (const parts of [
      loops.byStep,
      loops.byRun,
      loops.bySeverity,
      Object.values(loops.byClass),
      Object.values(loops.byKept),
    ])
      expect(sum(parts)).toBe(7);
    const bySql = rows(
      place.library,
      `SELECT r.is_correct AS correct, count(*) AS annotations, count(DISTINCT r.rollout_id) AS rollouts
       FROM annotation a JOIN rollout r USING (rollout_id) WHERE a.label = 'loops' GROUP BY r.is_correct`,
    );
    for (const { correct, ...counts } of bySql)
      expect(loops.byClass[correct === null ? 'unknown' : correct === 1 ? 'correct' : 'wrong']).toEqual(
        counts,
      );
    const some = await ask('annotation.report', {
      runId,
      filter: 'severity:critical',
      authors: ['ann'],
      labels: ['loops'],
    });
    expect(some).toMatchObject({ annotations: 1, rollouts: 1, of: 1 });
  });
});

describe('annotations of others', () => {
  it('come with a pack, beside its rollouts, and a second import changes nothing', async () => {
    const other = scratch();
    const fresh = await createHost({ libraryPath: other.library, shell: 'browser', version: 'test' });
    try {
      const { rollouts, issues } = await fresh.ingest([PACK]);
      expect(rollouts).toBe(1);
      // Seven lines are invalid. Nobody had edited the taxonomy here, so the imported one is used.
      expect(issues).toBe(7);
      const said = rows(
        other.library,
        'SELECT annotation_id, state, label, start FROM annotation ORDER BY annotation_id',
      );
      expect(said).toEqual([
        { annotation_id: 'a-1', state: 'exact', label: 'ignored-tool', start: null },
        { annotation_id: 'a-2', state: 'exact', label: 'arithmetic-slip', start: 8 },
        { annotation_id: 'a-3', state: 'exact', label: null, start: 32 },
      ]);
      const { taxonomy } = await ask('taxonomy.get', {}, fresh);
      expect(taxonomy.labels.map(({ id, key }) => [id, key])).toEqual([
        ['arithmetic-slip', '3'],
        ['ignored-tool', '1'],
      ]);
      // Part of another pack: the same rollout and annotations again.
      const lines = readFileSync(PACK, 'utf8').split('\n').slice(1, 7).join('\n');
      const again = await fresh.ingest([other.file('cut.jsonl', `${lines}\n`)]);
      expect(again.rollouts).toBe(0);
      expect(rows(other.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 1 }]);
      expect(rows(other.library, 'SELECT count(*) AS n FROM annotation')).toEqual([{ n: 3 }]);
    } finally {
      await fresh.close();
      other.remove();
    }
  });

  it('wait beside ours if they differ, and are resolved, with undo', async () => {
    const numbers = (await ask('annotation.order', { labels: ['gave-up'] })).ids;
    const [mine] = await ask('annotation.rows', { annotationNos: [...numbers] });
    if (mine === undefined) throw new Error('nothing was said');
    const { annotationNo: _, place: __, conflicts: ___, question: ____, ...ours } = mine;
    const theirs: Annotation = { ...ours, note: 'No, it is checking.', updatedAt: ours.updatedAt + 1 };
    const file = place.file(
      'theirs.jsonl',
      `${JSON.stringify({ pack: 1, type: 'annotation', annotation: theirs })}\n`,
    );
    await host.grant(file);
    const first = await ask('annotation.import', { path: file });
    expect(first).toMatchObject({ added: 0, present: 0, conflicts: 1, unattached: 0, issues: [] });
    expect(await ask('annotation.import', { path: file })).toMatchObject({
      added: 0,
      present: 1,
      conflicts: 0,
    });
    const [conflict] = await ask('annotation.conflicts', {});
    expect(conflict).toMatchObject({
      mine: { id: ours.id, conflicts: 1 },
      theirs,
      from: expect.stringContaining('theirs.jsonl'),
    });
    const conflictId = conflict?.conflictId ?? 0;
    const both = await ask('annotation.resolve', { conflictId, take: 'both' });
    expect(both.annotations).toHaveLength(1);
    expect(both.annotations[0]?.id).toMatch(new RegExp(`^${ours.id}~`));
    expect(await ask('annotation.conflicts', {})).toEqual([]);
    const twice = await host.dispatch('annotation.resolve', { conflictId, take: 'mine' });
    expect(twice).toMatchObject({ ok: false, failure: { code: 'refused' } });
    await ask('annotation.undo', {});
    expect(await ask('annotation.conflicts', {})).toHaveLength(1);
    const taken = await ask('annotation.resolve', { conflictId, take: 'theirs' });
    expect(taken.annotations[0]).toMatchObject({ id: ours.id, note: 'No, it is checking.' });
    await ask('annotation.undo', {});
    // Resolving can be undone by its author only.
    await ask('annotation.resolve', { conflictId, take: 'theirs', author: 'cleo' });
    expect(await ask('annotation.history', { author: 'cleo' })).toEqual({
      undo: 'decision for theirs',
      revision: expect.any(Number),
    });
    expect(await ask('annotation.redo', { author: 'cleo' })).not.toHaveProperty('words');
    expect((await ask('annotation.undo', { author: 'cleo' })).history).toEqual({
      redo: 'decision for theirs',
      revision: expect.any(Number),
    });
    await ask('annotation.resolve', { conflictId, take: 'mine' });
    expect((await ask('annotation.rows', { annotationNos: [...numbers] }))[0]?.note).toBe(ours.note);
    // Resolved: the same version causes no further conflict.
    expect(await ask('annotation.import', { path: file })).toMatchObject({ present: 1, conflicts: 0 });
  });

  it('of missing rollouts are kept, listed, and attached once the rollouts arrive', async () => {
    await host.grant(PACK);
    const report = await ask('annotation.import', { path: PACK });
    expect(report).toMatchObject({
      added: 3,
      unattached: 3,
      readings: 1,
      labelsAdded: ['ignored-tool'],
      labelsDiffering: ['arithmetic-slip'],
    });
    expect(report.issues.map(({ line }) => line)).toEqual([8, 9, 10, 11, 12, 13]);
    const { ids: waiting } = await ask('annotation.order', { states: ['unattached'] });
    expect(waiting).toHaveLength(3);
    expect((await ask('annotation.report', {})).unattached).toBe(3);
    await host.ingest([PACK]);
    expect((await ask('annotation.order', { states: ['unattached'] })).ids).toHaveLength(0);
    expect((await ask('annotation.order', { states: ['exact'] })).ids).toHaveLength(11);
  });

  it('are imported from a pack with long rollouts, and other long records are not read', async () => {
    const rollout = { pack: 1, type: 'rollout', response: 'a'.repeat(2 << 20) };
    const lists = `{"pack":1,"type":"annotation","lists":[${'[],'.repeat(1 << 20)}[]]}`;
    const packed = readFileSync(PACK, 'utf8');
    const file = place.file('long.jsonl', `${packed}${JSON.stringify(rollout)}\n${lists}\n`);
    await host.grant(file);
    const { issues, present } = await ask('annotation.import', { path: file });
    expect(present).toBe(3);
    expect(issues.at(-1)).toMatchObject({
      line: packed.trimEnd().split('\n').length + 2,
      message: 'the record has more than 100000 values',
    });
    expect(issues).toHaveLength(7);
  });

  it('are imported with the longest correction, and from any number of taxonomies', async () => {
    const lines = readFileSync(PACK, 'utf8').trimEnd().split('\n');
    const annotated = lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'annotation');
    const correction = '中'.repeat(1_000_000);
    const annotation = { ...annotated.annotation, id: 'long', correction };
    const labels = Array.from({ length: 50 }, (_, i) => ({
      ...{ id: `l${i}`, name: `L ${i}`, colour: 'blue', description: '' },
    }));
    const taxonomies = Array.from({ length: 6_000 }, (_, n) => ({
      ...{ pack: 1, type: 'taxonomy' },
      taxonomy: {
        name: 't',
        choice: 'many',
        labels: labels.map((label) => ({ ...label, name: `${label.name} ${n}` })),
      },
    }));
    const file = place.file(
      'corrected.jsonl',
      [{ pack: 1, type: 'annotation', annotation }, ...taxonomies]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    await host.grant(file);
    const report = await ask('annotation.import', { path: file });
    expect(report).toMatchObject({ added: 1 });
    expect(report.labelsDiffering.length).toBeLessThanOrEqual(1_000);
  });

  it('are not imported from a file that is no pack, nor from one the user has not opened', async () => {
    const log = join(FIXTURES, 'demo/demo.jsonl');
    expect(await host.dispatch('annotation.import', { path: log })).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: expect.stringContaining('is not a failure pack') },
    });
    expect(await host.dispatch('annotation.import', { path: '/etc/hostname' })).toMatchObject({
      ok: false,
      failure: { code: 'not_granted' },
    });
  });
});

describe('the labels', () => {
  it('are edited by the user and validated as a whole; annotations keep removed labels', async () => {
    const label = { id: 'odd', name: 'Odd', colour: 'red', description: '', key: '1' } as const;
    const twice = await host.dispatch('taxonomy.set', {
      taxonomy: { name: 'x', choice: 'many', labels: [label, label] },
    });
    expect(twice).toMatchObject({
      ok: false,
      failure: { code: 'bad_request', message: expect.stringContaining('two labels have the id odd') },
    });
    const state = await ask('taxonomy.set', { taxonomy: { name: 'Mine', choice: 'many', labels: [label] } });
    expect(state).toMatchObject({ isDefault: false, taxonomy: { labels: [label] } });
    expect(state.counts.find((each) => each.label === 'loops')).toEqual({
      label: 'loops',
      annotations: 7,
      rollouts: 6,
    });
    expect((await ask('rollout.order', { runId, filter: 'label:loops', sort: [] })).ids).toHaveLength(6);
    expect((await ask('annotation.report', { labels: ['loops'] })).labels[0]?.annotations).toBe(7);
    expect(rows(place.library, 'SELECT label, name FROM label')).toEqual([{ label: 'odd', name: 'Odd' }]);
  });
});

describe('while logs are read', () => {
  it('a label is stored while a job runs', async () => {
    const other = scratch();
    const busy = await createHost({ libraryPath: other.library, shell: 'browser', version: 'test' });
    try {
      await busy.ingest([PACK]);
      const [run] = await ask('run.list', {}, busy);
      const order = await ask('rollout.order', { runId: run?.runId ?? 0 }, busy);
      let isRead = false;
      const reading = busy.ingest([join(FIXTURES, 'demo/demo.jsonl')]).then(() => {
        isRead = true;
      });
      const change = {
        put: { rolloutId: order.ids[0] ?? 0, target: { kind: 'rollout' as const }, label: 'ignored-tool' },
      };
      await ask('annotation.apply', { author: 'cy', changes: [change] }, busy);
      expect(isRead).toBe(false);
      await reading;
      expect(rows(other.library, "SELECT count(*) AS n FROM annotation WHERE author = 'cy'")).toEqual([
        { n: 1 },
      ]);
    } finally {
      await busy.close();
      other.remove();
    }
  });
});

describe('a rollout with thousands of annotations', () => {
  it('lists those that were added last, and counts the others', async () => {
    const rolloutId = ids[20] ?? 0;
    const change = { put: { rolloutId, target: { kind: 'rollout' as const }, note: 'note 0' } };
    const { annotations: made } = await ask('annotation.apply', { author: 'dee', changes: [change] });
    const [{ annotationNo: _, place: __, conflicts: ___, ...first }] = made as [AnnotationRow];
    const lines = Array.from({ length: 5_001 }, (_of, i) => {
      const annotation = { ...first, id: `many-${i}`, note: `note ${i + 1}` };
      return `${JSON.stringify({ pack: 1, type: 'annotation', annotation })}\n`;
    });
    const manifest = `${JSON.stringify({ pack: 1, type: 'manifest', run: [first.rollout.run], rollouts: 0 })}\n`;
    await host.ingest([place.file('many.pack.jsonl', manifest + lines.join(''))]);
    const { annotations, unlisted } = await ask('annotation.list', { rolloutId });
    expect([annotations.length, unlisted]).toEqual([5_000, 2]);
    expect([annotations[0]?.note, annotations.at(-1)?.note]).toEqual(['note 2', 'note 5001']);
  });
});
