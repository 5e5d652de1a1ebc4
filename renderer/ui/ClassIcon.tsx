import { Code, Diamond, RotateCcw, Split } from 'lucide-react';
import type { TokenClass } from '../../shared/domain/reflection.ts';

/** Drawn, because no font can be relied on for such signs. */
const ICONS = { forking: Split, reflection: RotateCcw, code: Code, answer: Diamond } as const;

/** A shape beside each class of high tokens, since colour alone is no cue. */
export function ClassIcon({ name }: { readonly name: Exclude<TokenClass, 'none'> }) {
  const Sign = ICONS[name];
  return <Sign className="class-icon" size={13} strokeWidth={1.9} aria-hidden="true" />;
}
