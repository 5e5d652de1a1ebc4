/** Masked credentials on the page: which texts, which fields stay, and when answers are requested again. */
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../renderer/data/connection.ts';
import { DataProvider } from '../../renderer/data/DataProvider.tsx';
import { maskedConnection } from '../../renderer/data/maskedConnection.ts';
import { useRequest } from '../../renderer/data/useRequest.ts';
import { shownFork } from '../../renderer/views/compare/forkModel.ts';
import type { ForkNode, ForkSide, RolloutAnnotations, SearchHit } from '../../shared/api/contract.ts';
import { createFakeClient, type FakeMethods } from '../support/fakeClient.ts';
import { rolloutDetail } from '../support/preview/previewData.ts';

const KEY = 'sk-aB3dE6gH9jK2mN5pQ8sT';
const MASKED = '█'.repeat(KEY.length);

function connectionTo(methods: FakeMethods): Connection {
  const client = createFakeClient(methods);
  return {
    client,
    isStart: false,
    clientOf: () => client,
    status: () => 'open',
    onStatus: () => () => undefined,
  };
}
const maskedClient = (methods: FakeMethods) => maskedConnection(connectionTo(methods), () => true).client;

describe('a masked connection', () => {
  it('masks prompt, response, calls and answer of a rollout, and keeps everything else', async () => {
    const { detail } = rolloutDetail(1);
    const response = `Key ${KEY}, then 42.`;
    const args = JSON.stringify({ code: `use("${KEY}")` });
    const [call] = detail.toolCalls;
    if (call === undefined) throw new Error('the example has no call');
    const logged = {
      ...detail,
      prompt: `It is ${KEY}.`,
      response,
      toolCalls: [{ ...call, arguments: args }],
      row: { ...detail.row, answer: KEY },
    };
    const shown = await maskedClient({ 'rollout.get': () => logged }).request('rollout.get', {
      rolloutId: 1,
    });
    expect(JSON.stringify(shown)).not.toContain(KEY);
    expect(shown).toEqual({
      ...logged,
      prompt: `It is ${MASKED}.`,
      response: `Key ${MASKED}, then 42.`,
      toolCalls: [{ ...call, arguments: JSON.stringify({ code: `use("${MASKED}")` }) }],
      row: { ...detail.row, answer: MASKED },
    });
  });

  it('masks every text of a logged object, whatever its key', async () => {
    const { detail } = rolloutDetail(1);
    const extra = (text: string) => ({ name: text, params: { path: [text] }, note: text, filter: 3 });
    const client = maskedClient({ 'rollout.get': () => ({ ...detail, extra: extra(KEY) }) });
    const shown = await client.request('rollout.get', { rolloutId: 1 });
    expect(shown).toEqual({ ...detail, extra: extra(MASKED) });
  });

  it('returns the same object if there is no credential', async () => {
    const { detail, tokens } = rolloutDetail(2);
    const client = maskedClient({ 'rollout.get': () => detail, 'rollout.tokens': () => tokens });
    expect(await client.request('rollout.get', { rolloutId: 2 })).toBe(detail);
    expect(await client.request('rollout.tokens', { rolloutId: 2 })).toBe(tokens);
  });

  it('keeps saved mappings, which the page saves again when they are edited', async () => {
    const mapping = {
      version: 1,
      name: 'mine',
      shape: [KEY],
      fields: { prompt: `${KEY}.text`, response: 'a' },
    };
    const client = maskedClient({ 'mapping.list': () => [mapping as never] });
    expect(await client.request('mapping.list', {})).toEqual([mapping]);
  });

  it('masks a credential that a hit or a quote cuts into parts', async () => {
    const hit: SearchHit = {
      ...{ segment: 1, kind: 'text', turn: 1, start: 10, end: 14 },
      ...{ before: 'the key sk-aB3dE6', text: 'gH9j', after: 'K2mN5pQ8sT is' },
      isCut: { before: false, text: false, after: false },
    } as SearchHit;
    const anchor = {
      ...{ text: 'response', start: 10, end: 14 },
      ...{ before: 'key sk-aB3dE6', quote: 'gH9j', after: 'K2mN5pQ8sT is' },
    };
    const annotations = {
      annotations: [{ target: { kind: 'span', anchor }, note: `mine: ${KEY}` }],
      readings: [],
      revision: 1,
    } as unknown as RolloutAnnotations;
    const found = { hits: [hit], total: 1, isAtLeast: false };
    const page = { groups: [{ groupKey: KEY, found: [{ found }] }] };
    const client = maskedClient({
      'search.page': () => page as never,
      'annotation.list': () => annotations,
    });
    const { groups } = await client.request('search.page', { query: 'x' });
    const blocks = (length: number) => '█'.repeat(length);
    expect(groups[0]?.found[0]?.found.hits[0]).toEqual({
      ...hit,
      ...{ before: `the key ${blocks(9)}`, text: blocks(4), after: `${blocks(10)} is` },
    });
    // The page asks for the group by its key, and saves the note when it is changed.
    expect(groups[0]?.groupKey).toBe(KEY);
    const shown = await client.request('annotation.list', { rolloutId: 1 });
    expect(shown.annotations[0]).toEqual({
      target: {
        kind: 'span',
        anchor: { ...anchor, before: `key ${blocks(9)}`, quote: blocks(4), after: `${blocks(10)} is` },
      },
      note: `mine: ${KEY}`,
    });
  });

  it.each([
    ['gH9jK2mN5pQ8sT and', '██████████████ and'],
    ['is 12 long words', 'is 12 long words'],
    ['congratulations and', 'congratulations and'],
  ])('masks what may be the rest of a credential before a hit: %s', async (before, shown) => {
    const hit = { before, text: 'environment', after: ' is' };
    const whole = { ...hit, isCut: { before: false, text: false, after: false } };
    const cut = { ...hit, isCut: { before: true, text: false, after: false } };
    const occurrence = { token: 3, before, after: ' is' };
    const page = { groups: [{ found: [{ found: { hits: [whole, cut] } }] }] };
    const client = maskedClient({
      'search.page': () => page as never,
      'token.occurrences': () => ({ total: 1, places: [occurrence] }) as never,
    });
    const { groups } = await client.request('search.page', { query: 'environment' });
    expect(groups[0]?.found[0]?.found.hits).toEqual([whole, { ...cut, before: shown }]);
    const { places } = await client.request('token.occurrences', {
      runId: 1,
      signal: 'entropy',
      wanted: { token: 'x' },
    });
    expect(places).toEqual([{ ...occurrence, before: shown }]);
  });

  it('masks a branch of the fork tree that begins within a credential', async () => {
    const nodes = [
      { text: 'open http://host/lab?token=', children: [1, 2] },
      { parent: 0, text: '0123456789abcdef ok', nextToken: '0123456789abcdef', children: [] },
      { parent: 0, text: 'fedcba9876543210 ok', nextToken: 'fedcba9876543210', children: [] },
    ] as unknown as readonly ForkNode[];
    const tree = { nodes, rollouts: [], steps: [], isCut: false, leftOut: 0 };
    const shown = await maskedClient({ 'compare.tree': () => tree }).request('compare.tree', {
      groupIds: [1],
    });
    expect(shown.nodes.map(({ text, nextToken }) => [text, nextToken])).toEqual([
      [nodes[0]?.text, undefined],
      [`${'█'.repeat(16)} ok`, '█'.repeat(16)],
      [`${'█'.repeat(16)} ok`, '█'.repeat(16)],
    ]);
  });

  it('masks cells of an SQL result', async () => {
    const rows = [[1, KEY, null, { kind: 'cut' as const, text: `x ${KEY}`, chars: 90_000 }]];
    const client = maskedClient({ 'sql.page': () => ({ rows }) });
    expect(await client.request('sql.page', { resultId: 1, from: 0, limit: 1 })).toEqual({
      rows: [[1, MASKED, null, { kind: 'cut', text: `x ${MASKED}`, chars: 90_000 }]],
    });
  });
});

it('a token at a fork is shown as in the masked response, without its alternatives', () => {
  const side = (text: string): ForkSide => ({ offset: 5, token: 3, text, alternatives: [[text, -1]] });
  const fork = { baseline: side('aB3d'), lane: side('zzzz') };
  const responses = { baseline: 'Key ███████', lane: 'Key  zzzz' };
  expect(shownFork(fork, responses)).toEqual({
    baseline: { offset: 5, token: 3, text: '████' },
    lane: fork.lane,
  });
});

function Prompt() {
  return <p>{useRequest('rollout.get', { rolloutId: 1 }).data?.prompt}</p>;
}

it('requests the answers again when masking is turned on or off', async () => {
  const { detail } = rolloutDetail(1);
  let isMasking = false;
  const connection = maskedConnection(
    connectionTo({ 'rollout.get': () => ({ ...detail, prompt: KEY }) }),
    () => isMasking,
  );
  const page = () => (
    <DataProvider connection={connection} isMasking={isMasking}>
      <Prompt />
    </DataProvider>
  );
  const { rerender } = render(page());
  await screen.findByText(KEY);
  isMasking = true;
  rerender(page());
  await screen.findByText(MASKED);
  isMasking = false;
  rerender(page());
  await screen.findByText(KEY);
});
