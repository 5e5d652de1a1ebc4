import { expect, it } from 'vitest';
import { readTranscripts } from '../../electron/compare/readTranscripts.ts';
import type { TranscriptReader } from '../../electron/storage/queries/transcripts.ts';

/** Rollouts of 30 Mi characters, except the first, which has 80 Mi. */
const reader = {
  read: (id: number) =>
    id === 9 ? undefined : { response: { length: (id === 0 ? 80 : 30) << 20 } as unknown as string },
} as unknown as TranscriptReader;
const read = (...ids: readonly number[]) => readTranscripts(reader, ids, {}).length;

it('reads up to 64 Mi characters, and at least one rollout', () => {
  expect(read(1, 2, 3, 4)).toBe(2);
  expect(read(1, 9, 2, 9, 3)).toBe(4);
  expect(read(0, 1)).toBe(1);
  expect(read()).toBe(0);
});

it('can be cancelled', () => {
  expect(() => readTranscripts(reader, [1, 2], { isCancelled: () => true })).toThrow();
});
