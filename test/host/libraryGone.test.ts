/** Changes to a library whose file has been removed would be lost, so they are refused. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let host: Host;
beforeEach(async () => {
  place = scratch();
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
});
afterEach(async () => {
  await host.close();
  place.remove();
});

const VIEW = { name: 'of mine', filter: 'reward:0' };
const REFUSED = {
  ok: false,
  failure: { code: 'refused', message: expect.stringContaining('has been removed or replaced') },
};

describe('a library whose file is gone', () => {
  it.each([
    ['removed', () => rmSync(place.library)],
    [
      'replaced',
      () => {
        renameSync(place.library, `${place.library}.old`);
        writeFileSync(place.library, '');
      },
    ],
  ])('%s: refuses changes', async (_, remove) => {
    expect(await host.dispatch('view.save', VIEW)).toMatchObject({ ok: true });
    remove();
    expect(await host.dispatch('view.save', { ...VIEW, name: 'lost' })).toMatchObject(REFUSED);
    await expect(host.ingest([place.file('log.jsonl', '{}\n')])).rejects.toThrow('removed or replaced');
  });
});
