/** Aligning token ids with a tokenizer reads each block of texts once, because thousands of rollouts share one. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openWriter } from '../../electron/storage/open.ts';
import { unpackUtf8 } from '../../electron/storage/textCodec.ts';
import { setTokenizer } from '../../electron/storage/tokenizers.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

vi.mock('../../electron/storage/textCodec.ts', async (original) => {
  const actual = await original<typeof import('../../electron/storage/textCodec.ts')>();
  return { ...actual, unpackUtf8: vi.fn(actual.unpackUtf8) };
});

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

it('unpacks a block once for all rollouts in it', async () => {
  const rollout = (index: number) => ({
    ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index, text: 'ab' },
    ...{ problem: { id: 'p', prompt: '?' }, tokens: { ids: [0, 1] } },
  });
  const log = Array.from({ length: 500 }, (_, i) => `${JSON.stringify(rollout(i))}\n`).join('');
  await ingestHere(place.library, [place.file('log.jsonl', log)]);
  const [run] = rows(place.library, 'SELECT run_key AS runKey FROM run_row');
  const db = openWriter(place.library);
  try {
    vi.mocked(unpackUtf8).mockClear();
    const pieces = [Buffer.from('a'), Buffer.from('b')];
    const tokenizer = { size: 2, pieces, special: new Set<number>() };
    expect(setTokenizer(db, String(run?.['runKey']), 'two', tokenizer)).toMatchObject({ aligned: 500 });
    expect(vi.mocked(unpackUtf8).mock.calls.length).toBeLessThan(5);
  } finally {
    db.close();
  }
});
