/** Scanning directories whose links form cycles or lead out of what was opened. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFileStates } from '../../electron/host/follower.ts';
import { isBelowAny } from '../../electron/ingest/granted.ts';
import { scratch } from '../support/library.ts';

const pathsOf = (states: Awaited<ReturnType<typeof readFileStates>>): unknown =>
  typeof states === 'string' ? states : [...states.keys()];

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
    expect(pathsOf(states)).toEqual([path]);
  } finally {
    place.remove();
  }
});

it('asks once for each directory and link, and looks behind none that is refused', async () => {
  const place = scratch();
  try {
    const opened = join(place.directory, 'opened');
    const outside = join(place.directory, 'outside');
    for (const directory of [join(opened, 'step_1'), join(outside, 'deep')])
      mkdirSync(directory, { recursive: true });
    const files = ['1.jsonl', '2.jsonl'].map((name) => place.file(join('opened', 'step_1', name), '{}\n'));
    place.file(join('outside', 'deep', 'secret.jsonl'), '{}\n');
    symlinkSync(outside, join(opened, 'out'));
    const asked: string[] = [];
    const mayRead = (path: string): boolean => {
      asked.push(path);
      return isBelowAny(path, [opened]);
    };
    const states = await readFileStates(opened, { mayRead });
    expect(pathsOf(states)).toEqual(files);
    expect(asked).toEqual([opened, join(opened, 'out'), join(opened, 'step_1')]);
    asked.length = 0;
    expect(await readFileStates(join(opened, 'out'), { mayRead })).toBe('outside');
    expect(asked).toEqual([join(opened, 'out')]);
  } finally {
    place.remove();
  }
});
