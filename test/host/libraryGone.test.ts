/** Changes to a library whose file has been removed would be lost, so they are refused. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { IngestProgress } from '../../shared/api/contract.ts';
import type { ApiFailure } from '../../shared/api/errors.ts';
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

  it('fails an ingest job, which is then no longer running', async () => {
    const log = place.file('log.jsonl', '{}\n');
    await host.grant(log);
    const reported = new Promise<IngestProgress>((resolve) => {
      host.subscribe(({ event, payload }) => {
        if (event === 'ingest.progress' && payload.state !== 'running') resolve(payload);
      });
    });
    rmSync(place.library);
    const started = await host.dispatch('ingest.start', { paths: [log] });
    const job = {
      ...(started as { readonly value: object }).value,
      state: 'failed',
      message: expect.stringContaining('has been removed or replaced'),
    };
    expect(await reported).toMatchObject(job);
    expect(await host.dispatch('ingest.jobs', {})).toMatchObject({ value: [job] });
  });

  it('fails the requests of a thread that cannot be started with the id of the entry in the log', async () => {
    rmSync(place.library);
    const { failure } = (await host.dispatch('run.list', {})) as { readonly failure: ApiFailure };
    const log = `${place.library}.log`;
    const said = /^(the reader stopped: .+) \(error ([0-9a-f]{8})\)\. Details: (.+)$/.exec(failure.message);
    expect(said?.[3]).toBe(log);
    expect(readFileSync(log, 'utf8')).toContain(`bug ${said?.[2]}: ${said?.[1]}\n`);
  });
});
