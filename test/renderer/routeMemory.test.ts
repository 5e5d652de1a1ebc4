import { beforeEach, describe, expect, it } from 'vitest';
import {
  cameFrom,
  enterLibrary,
  lastRunPath,
  leaveTrail,
  leftBelow,
  rememberListPosition,
  rememberQuery,
} from '../../renderer/state/routeMemory.ts';

/** Navigates by link or key. */
const go = (path: string, search = '') => rememberQuery(path, search);
/** The target of Escape. */
const back = (from: string): string | undefined => {
  const to = cameFrom(from);
  leaveTrail(from);
  if (to !== undefined) go(...(to.split(/(?=\?)/) as [string, string?]));
  return to;
};

describe('the way one came', () => {
  // The trail belongs to the window, so each test uses its own routes.
  let mine: (name: string) => string;
  let tests = 0;
  beforeEach(() => {
    tests += 1;
    mine = (name) => `/${tests}/${name}`;
  });

  it('returns to the previous page, as it was left', () => {
    go(mine('tree'));
    go(mine('tree'), '?of=steps&at=n3');
    go(mine('compare'), '?lane=/a&lane=/b');
    go(mine('compare'), '?lane=/a&lane=/b&at=0.2');
    expect(back(mine('compare'))).toBe(`${mine('tree')}?of=steps&at=n3`);
  });

  it('uses the last of two visits', () => {
    for (const name of ['group', 'first', 'compare', 'second', 'compare']) go(mine(name));
    expect(cameFrom(mine('compare'))).toBe(mine('second'));
  });

  it('ends: repeated back reaches the start', () => {
    for (const name of ['start', 'tree', 'compare', 'tree', 'alike', 'compare']) go(mine(name));
    const seen: (string | undefined)[] = [];
    for (let at = mine('compare'); seen.length < 9 && at !== mine('start'); at = seen.at(-1) ?? '')
      seen.push(back(at));
    expect(seen).toEqual([mine('alike'), mine('tree'), mine('start')]);
  });

  it('is unknown for a page never visited', () => {
    expect(cameFrom(mine('compare'))).toBe(undefined);
  });
});

describe('the page below that was left last', () => {
  it('is known until the user moves in the list, whatever is opened in between', () => {
    expect(leftBelow('/run/r', 'steps')).toBe(undefined);
    go('/run/r');
    rememberListPosition('steps', { scrollTop: 0, cursor: 1 });
    go('/run/r/step/3', '?tab=rollouts');
    expect(leftBelow('/run/r', 'steps')).toBe('/run/r/step/3');
    go('/run/r');
    expect(leftBelow('/run/r', 'steps')).toBe('/run/r/step/3');
    go('/search');
    go('/run/r');
    expect(leftBelow('/run/r', 'steps')).toBe('/run/r/step/3');
    rememberListPosition('steps', { scrollTop: 0, cursor: 7 });
    expect(leftBelow('/run/r', 'steps')).toBe(undefined);
  });
});

describe('the last visited run', () => {
  it('is kept for each library, whatever is opened after it', () => {
    go('/run/a/step/1');
    go('/run/b', '?tab=sources');
    go('/search');
    expect(lastRunPath()).toBe('/run/b');
    enterLibrary('other');
    expect(lastRunPath()).toBeUndefined();
    go('/run/c');
    expect(lastRunPath()).toBe('/run/c');
    enterLibrary(undefined);
    expect(lastRunPath()).toBe('/run/b');
  });
});
