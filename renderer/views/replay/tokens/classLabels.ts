import { createElement, type ReactNode } from 'react';
import type { TokenClass } from '../../../../shared/domain/reflection.ts';
import { ClassIcon } from '../../../ui/tokenClasses.tsx';
import type { TokenScope } from '../text/tokenHeat.ts';

/** A symbol for each class, the same as on the Tokens page. */
export const CLASS_GLYPHS: Readonly<Record<TokenClass, ReactNode>> = {
  none: '',
  forking: createElement(ClassIcon, { name: 'forking' }),
  reflection: createElement(ClassIcon, { name: 'reflection' }),
  code: createElement(ClassIcon, { name: 'code' }),
  answer: createElement(ClassIcon, { name: 'answer' }),
};

/** The definition in `shared/domain/reflection.ts`, as the screen shows it. */
export function classDefinitions(window: number): readonly (readonly [TokenClass, string])[] {
  const within = window > 0 ? `within its first ${window} policy tokens` : 'anywhere in that segment';
  return [
    ['forking', 'high tokens in reasoning or prose that do not reflect on a tool response'],
    ['reflection', `high tokens in the reasoning or prose directly after a tool response, ${within}`],
    ['code', 'high tokens inside a tool call'],
    ['answer', 'high tokens inside an answer'],
  ];
}

export const SCOPE_NAMES: Readonly<Record<TokenScope, string>> = {
  everywhere: 'everywhere',
  'after-error': 'after an error',
  code: 'in code',
};
