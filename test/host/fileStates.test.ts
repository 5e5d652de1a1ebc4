/** Scanning directories whose links form cycles. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFileStates } from '../../electron/host/follower.ts';
import { scratch } from '../support/library.ts';

it('looks at every directory once, however many links lead to it', async () => {
  const place = scratch();
  try {
    const path = place.file('1.jsonl', '{}\n');
    for (const name of ['x', 'y']) symlinkSync('.', join(place.directory, name));
    for (const step of ['step_1', 'step_2', 'step_3']) {
      mkdirSync(join(place.directory, step));
      symlinkSync('..', join(place.directory, step, 'up'));
    }
    const states = await readFileStates(place.directory);
    expect([...(states?.keys() ?? [])]).toEqual([path]);
  } finally {
    place.remove();
  }
});
