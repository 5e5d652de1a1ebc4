/** A process that exceeds a limit of memory, or of time for one turn of its event loop, is killed. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ChildProcess, forkProcess } from '../../electron/threads/childProcess.ts';
import { entryOf } from '../../electron/worker/entry.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let child: ChildProcess<string, string>;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  child.kill();
  place.remove();
});

const PARENT_PROCESS = new URL('../../electron/threads/parentProcess.ts', import.meta.url).href;

/** @param work of the process, once it is asked for `work` */
function start(limits: object, work: string): ChildProcess<string, string> {
  const entry = place.file(
    'child.mjs',
    `
      import { connectToParent, watchProcess } from ${JSON.stringify(PARENT_PROCESS)};
      const parent = connectToParent();
      watchProcess(new URL(${JSON.stringify(entryOf('watchdog').href)}), ${JSON.stringify(limits)});
      parent.receive((message) => {
        if (message === 'echo') parent.send(message);
        else { ${work} }
      });
    `,
  );
  return forkProcess(entry, { name: 'test' });
}

const ended = (): Promise<number | null | Error> =>
  new Promise((resolve) => {
    child.onExit(resolve);
  });

it.each([
  [
    'takes too much memory',
    { mostMemory: 200 << 20 },
    'for (const kept = [];;) kept.push(Buffer.alloc(1 << 20, 1));',
  ],
  ['takes too long for one turn', { mostMemory: 2 ** 40, longestTurnMs: 300 }, 'for (;;);'],
])('one that %s', async (_, limits, work) => {
  child = start(limits, work);
  const end = ended();
  child.send('work');
  expect(await end).toBeNull();
});

it('one that works in short turns goes on, however long', async () => {
  const turns = `
    const until = performance.now() + 1500;
    const turn = () => {
      for (const from = performance.now(); performance.now() - from < 50;);
      if (performance.now() < until) setTimeout(turn, 5);
      else parent.send('done');
    };
    turn();`;
  child = start({ mostMemory: 2 ** 40, longestTurnMs: 600 }, turns);
  const answer = new Promise((resolve) => {
    child.onMessage(resolve);
  });
  child.send('work');
  expect(await answer).toBe('done');
});
