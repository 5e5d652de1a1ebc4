import type { TokenClass } from '../../../../shared/domain/reflection.ts';

/** A glyph beside each class, since colour alone is no cue. */
export const CLASS_GLYPHS: Readonly<Record<TokenClass, string>> = {
  none: '',
  forking: 'Y',
  reflection: '↺',
  code: '›_',
  answer: '◆',
};

/** The definition of `shared/domain/reflection.ts`, as the screen shows it. */
export function classDefinitions(window: number): readonly (readonly [TokenClass, string])[] {
  const within = window > 0 ? `within its first ${window} policy tokens` : 'anywhere in that segment';
  return [
    ['forking', 'high tokens in reasoning or prose that do not reflect on a tool response'],
    ['reflection', `high tokens in the reasoning or prose directly after a tool response, ${within}`],
    ['code', 'high tokens inside a tool call'],
    ['answer', 'high tokens inside an answer'],
  ];
}
