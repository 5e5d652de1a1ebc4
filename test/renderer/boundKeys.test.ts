import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS, matchStroke } from '../../renderer/shell/keys/keymap.ts';
import { clashesOf, withBindings } from '../../renderer/shell/keys/keysInForce.ts';
import { beyondReach, holdersOf, typedStroke } from '../../renderer/shell/keys/typedKeys.ts';

describe('keys of the user', () => {
  it('replace the table’s, by the stable id', () => {
    const table = withBindings({ 'place.problems': ['Mod+p'], 'place.roc': [] });
    expect(matchStroke('', 'Mod+p', table).commands).toEqual(['place.problems']);
    expect(matchStroke('g', 'p', table).commands).not.toContain('place.problems');
    expect(matchStroke('g', 'r', table).commands).not.toContain('place.roc');
    expect(matchStroke('g', 'l', table).commands).toEqual(['place.library']);
  });

  it('unknown ids change nothing', () => {
    expect(withBindings({ 'place.formerly': ['z'], constructor: ['y'] })).toEqual(COMMANDS);
  });

  it('conflicts are reported: the same keys, or keys that begin others', () => {
    const same = withBindings({ 'place.problems': ['?'] });
    expect(clashesOf(same, 'place.problems').map(({ id }) => id)).toContain('keys.show');
    const begins = withBindings({ 'place.problems': ['g'] });
    expect(clashesOf(begins, 'place.problems').map(({ id }) => id)).toContain('place.library');
    expect(clashesOf(withBindings({ 'place.problems': ['Mod+F9'] }), 'place.problems')).toEqual([]);
  });
});

describe('keys that are typed to be bound', () => {
  const press = (key: string, more: object = {}) =>
    typedStroke({ key, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, ...more }, false);

  it('are refused if ambiguous or reserved by the window', () => {
    for (const [key, more, why] of [
      ['Tab', {}, /^Tab /],
      ['Tab', { ctrlKey: true }, /^Tab /],
      ['Escape', {}, /^Escape /],
      ['Enter', {}, /^Enter /],
      ['q', { altKey: true }, /Alt/],
      ['q', { metaKey: true }, /system key/],
      ['Dead', {}, /begins another letter/],
    ] as const)
      expect(press(key, more)).toEqual({ refused: expect.stringMatching(why) });
    expect(press('Shift')).toBeUndefined();
    expect(press('Enter', { ctrlKey: true })).toEqual({ stroke: 'Mod+Enter' });
    expect(press('Q', { shiftKey: true })).toEqual({ stroke: 'Q' });
  });

  it('may neither begin current keys nor be begun by them', () => {
    expect(beyondReach(COMMANDS, 'lane.left', 'g')).toMatch(/such as g l \(“Go to the library”\)/);
    expect(beyondReach(COMMANDS, 'place.problems', 'j x')).toMatch(/^j is already “Next row”/);
    expect(beyondReach(COMMANDS, 'place.problems', 'g p')).toBeUndefined();
    expect(beyondReach(COMMANDS, 'place.problems', 'q p')).toBeUndefined();
  });

  it('that are accepted leave every other command reachable', () => {
    const strokes = [...new Set(COMMANDS.flatMap(({ keys }) => keys.flatMap((each) => each.split(' '))))];
    const keys = fc
      .array(fc.constantFrom(...strokes, 'q', 'Mod+F9'), { minLength: 1, maxLength: 2 })
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(fc.constantFrom(...COMMANDS), keys, (command, typed) => {
        if (beyondReach(COMMANDS, command.id, typed) !== undefined) return;
        const table = withBindings({ [command.id]: [typed] });
        for (const other of table)
          for (const each of other.keys) {
            let match: ReturnType<typeof matchStroke> = { commands: [], pending: '' };
            for (const stroke of each.split(' ')) match = matchStroke(match.pending, stroke, table);
            expect(match.commands).toContain(other.id);
          }
      }),
    );
  });

  it('conflict only if both commands could run', () => {
    expect(holdersOf(COMMANDS, 'place.problems', '?').map(({ id }) => id)).toEqual(['keys.show']);
    expect(holdersOf(COMMANDS, 'heat.flip', 'z')).toEqual([]);
  });
});
