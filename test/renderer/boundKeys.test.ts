import { describe, expect, it } from 'vitest';
import { clashesOf, withBindings } from '../../renderer/app/boundKeys.ts';
import { COMMANDS, matchStroke } from '../../renderer/app/keymap.ts';

describe('keys of the user', () => {
  it('take the place of the table’s, by the stable id', () => {
    const table = withBindings({ 'place.problems': ['Mod+p'], 'place.roc': [] });
    expect(matchStroke('', 'Mod+p', table).commands).toEqual(['place.problems']);
    expect(matchStroke('g', 'p', table).commands).not.toContain('place.problems');
    expect(matchStroke('g', 'r', table).commands).not.toContain('place.roc');
    expect(matchStroke('g', 'l', table).commands).toEqual(['place.library']);
  });

  it('ids that are no longer there change nothing', () => {
    expect(withBindings({ 'place.formerly': ['z'], constructor: ['y'] })).toEqual(COMMANDS);
  });

  it('clashes are told: the same keys, or keys that begin others', () => {
    const same = withBindings({ 'place.problems': ['?'] });
    expect(clashesOf(same, 'place.problems').map(({ id }) => id)).toContain('keys.show');
    const begins = withBindings({ 'place.problems': ['g'] });
    expect(clashesOf(begins, 'place.problems').map(({ id }) => id)).toContain('place.library');
    expect(clashesOf(withBindings({ 'place.problems': ['Mod+F9'] }), 'place.problems')).toEqual([]);
  });
});
