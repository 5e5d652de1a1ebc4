/** Which entries of the palette fit what was typed. */
import { describe, expect, it } from 'vitest';
import { rankOf } from '../../renderer/shell/Palette.tsx';

describe('an entry of the palette', () => {
  it('has every word that was typed', () => {
    expect(rankOf('Go to the token statistics place.tokens', 'open')).toBe(0);
    expect(rankOf('Go to the token statistics place.tokens', 'stat tok')).toBeGreaterThan(0);
    expect(rankOf('run verl-val-multiturn verl-31', 'val-multi')).toBeGreaterThan(0);
    expect(rankOf('Open logs… ingest.openFiles', '')).toBe(1);
  });

  it('is higher where the words begin it, or begin its words', () => {
    const ranks = ['Open logs', 'Cancel and open', 'Reopen'].map((entry) => rankOf(entry, 'open'));
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
    expect(new Set(ranks).size).toBe(3);
  });

  it('is a run of that name before the search for it', () => {
    const [search, run, other] = [
      'search all texts for verl-val',
      'run verl-val-multiturn verl-31',
      'run growing verl-val-5',
    ].map((entry) => rankOf(entry, 'verl-val'));
    expect(run).toBe(1);
    expect(other).toBe(0.8);
    expect(search).toBeLessThan(other ?? 0);
    expect(search).toBeGreaterThan(0);
  });

  it('may have signs that a pattern would read', () => {
    expect(rankOf('step 3 (of 12)', '(of')).toBeGreaterThan(0);
    expect(rankOf('a[b', 'a[')).toBeGreaterThan(0);
  });
});
