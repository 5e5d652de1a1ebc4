import { describe, expect, it } from 'vitest';
import {
  AREAS,
  COMMANDS,
  isCommandId,
  isEverywhere,
  matchStroke,
  strokeName,
} from '../../renderer/shell/keys/keymap.ts';

describe('keymap', () => {
  it('has stable ids, each once', () => {
    const ids = COMMANDS.map((command) => command.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(isCommandId('turn.next')).toBe(true);
    expect(isCommandId('toString')).toBe(false);
  });

  it('gives a key to one command per area', () => {
    for (const area of AREAS) {
      const keys = COMMANDS.filter((command) =>
        isEverywhere(area) ? isEverywhere(command.area) : command.area === area,
      ).flatMap((command) => command.keys);
      expect(new Set(keys).size, area).toBe(keys.length);
    }
  });

  it('waits for the second stroke of a sequence', () => {
    const first = matchStroke('', 'g');
    expect(first).toEqual({ commands: [], pending: 'g' });
    expect(matchStroke(first.pending, 'g').commands).toEqual(['row.first', 'turn.first', 'aligned.first']);
    expect(matchStroke(first.pending, 'l').commands).toEqual(['place.library']);
  });

  it('gives up a sequence for the key itself', () => {
    expect(matchStroke('g', 'j').commands).toEqual(['row.next', 'turn.next', 'aligned.next']);
  });

  it('names strokes', () => {
    expect(strokeName({ key: 'K', hasMod: true, hasShift: false })).toBe('Mod+k');
    expect(strokeName({ key: 'O', hasMod: true, hasShift: true })).toBe('Mod+Shift+o');
    expect(strokeName({ key: 'G', hasMod: false, hasShift: true })).toBe('G');
    expect(strokeName({ key: ' ', hasMod: false, hasShift: false })).toBe('Space');
  });
});
