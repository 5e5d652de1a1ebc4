/** Lines that wait for their rollout, in a library of somebody else. */
import { serialize } from 'node:v8';
import { expect, it } from 'vitest';
import { PendingLines } from '../../electron/storage/pendingLines.ts';

const ADDRESS = { run: 'r', kind: 'train', step: 1, group: 'g', index: 0 } as const;

function linesWith(payload: Uint8Array): PendingLines {
  const row = { pendingId: 1, kind: 'decision', payload, fileId: 1, line: 1 };
  return new PendingLines({
    pendingAt: { all: () => [row] },
    dropPending: { run: () => undefined },
  } as never);
}

it('are damaged if their bytes are of another form', () => {
  // V8 would make arrays of the lengths that they claim.
  const nested = Buffer.from([
    0xff,
    0x0f,
    ...Array.from({ length: 40 }, () => [0x41, 0xff, 0xff, 0x03]).flat(),
  ]);
  for (const payload of [nested, serialize({ kept: true }), Buffer.alloc(0)])
    expect(() => linesWith(payload).take(ADDRESS)).toThrow(/a waiting line cannot be read/);
});
