/** Which entries of the palette fit what was typed. */
import { describe, expect, it } from 'vitest';
import { bestOf, rankOf } from '../../renderer/shell/Palette.tsx';

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

  it('is higher for a run of that name than for one whose key has it', () => {
    expect(rankOf('run verl-val-multiturn verl-31', 'verl-val')).toBe(1);
    expect(rankOf('run growing verl-val-5', 'verl-val')).toBe(0.8);
  });

  it('is one of the 200 best of 40,000', () => {
    const steps = Array.from({ length: 40_000 }, (_, step) => ({ value: `step ${step}` }));
    expect(bestOf(steps, '')).toEqual(steps.slice(0, 200));
    expect(bestOf(steps, '39999')).toEqual([{ value: 'step 39999' }]);
    expect(bestOf(steps, 'step 12')[0]).toEqual({ value: 'step 12' });
    expect(bestOf(steps.slice(0, 150), 'none')).toHaveLength(150);
  });

  it('may have signs that a pattern would read', () => {
    expect(rankOf('step 3 (of 12)', '(of')).toBeGreaterThan(0);
    expect(rankOf('a[b', 'a[')).toBeGreaterThan(0);
  });
});
