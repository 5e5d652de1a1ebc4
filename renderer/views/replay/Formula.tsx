import 'katex/dist/katex.min.css';
import katex from 'katex';
import { useLayoutEffect, useRef } from 'react';
import type { TextRange } from '../../../shared/domain/model.ts';

/** Nothing of a rollout is trusted: no links, no classes, no unbounded macros. An error shows its source. */
const OPTIONS: katex.KatexOptions = {
  trust: false,
  throwOnError: false,
  strict: 'ignore',
  maxExpand: 200,
  maxSize: 20,
  errorColor: 'var(--wrong)',
};

interface FormulaProps {
  readonly tex: string;
  readonly isDisplay: boolean;
  /** What of which source it stands for, delimiters and all; undefined where that is not known. */
  readonly place: (TextRange & { readonly source: string }) | undefined;
}

/** KaTeX builds the nodes itself; no markup passes through a string. */
export function Formula({ tex, isDisplay, place }: FormulaProps) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) katex.render(tex, element.current, { ...OPTIONS, displayMode: isDisplay });
  }, [tex, isDisplay]);
  return (
    <span
      ref={element}
      className={isDisplay ? 'formula is-display' : 'formula'}
      data-formula-start={place?.start}
      data-formula-end={place?.end}
      data-source={place?.source}
    />
  );
}
