/** What one change makes of an annotation. */
import type { Flag } from '../flags.ts';
import type { Segment, TextRange, Utf16Offset } from '../model.ts';
import { makeAnchor } from './anchor.ts';
import type { Annotation, AnnotationTarget, ContentHash, RolloutKey, Severity } from './annotation.ts';
import { targetText } from './identity.ts';

/** A place by numbers alone. */
export type PlainTarget =
  | { readonly kind: 'rollout' }
  | { readonly kind: 'turn'; readonly turn: number }
  | { readonly kind: 'segment'; readonly segment: number }
  | {
      readonly kind: 'span';
      readonly text: 'prompt' | 'response';
      readonly start: Utf16Offset;
      readonly end: Utf16Offset;
    };

/** What an annotation says, wherever it stands. */
export interface Said {
  readonly label?: string | undefined;
  readonly note?: string | undefined;
  readonly correction?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly flag?: Flag | undefined;
}

/** The texts a target counts in. */
export interface TargetTexts {
  readonly prompt: string;
  readonly response: string;
  /** Of the prompt, turn 0, then of the response. */
  readonly segments: readonly Segment[];
}

/** @returns what is wrong with it, in words, where there is no such place */
export function targetOf(
  texts: TargetTexts,
  plain: PlainTarget,
  contentHash: ContentHash,
): AnnotationTarget | string {
  switch (plain.kind) {
    case 'rollout':
      return { kind: 'rollout' };
    case 'turn': {
      const { turn } = plain;
      if (turn === 0)
        return { kind: 'turn', turn, anchor: anchorIn(texts, 0, whole(texts.prompt), contentHash) };
      const parts = texts.segments.filter((segment) => segment.turn === turn);
      const [first] = parts;
      const last = parts.at(-1);
      if (first === undefined || last === undefined) return `the rollout has no turn ${turn}`;
      const range = { start: first.outer.start, end: last.outer.end };
      return { kind: 'turn', turn, anchor: anchorIn(texts, turn, range, contentHash) };
    }
    case 'segment': {
      const segment = texts.segments[plain.segment];
      if (segment === undefined) return `the rollout has ${texts.segments.length} segments`;
      const anchor = anchorIn(texts, segment.turn, segment.outer, contentHash);
      return { kind: 'segment', segment: plain.segment, anchor };
    }
    case 'span': {
      const { start, end } = plain;
      const { length } = texts[plain.text];
      if (end > length) return `the ${plain.text} ends at ${length}, before ${end}`;
      return { kind: 'span', anchor: makeAnchor(plain.text, texts[plain.text], { start, end }, contentHash) };
    }
  }
}

function anchorIn(texts: TargetTexts, turn: number, range: TextRange, contentHash: ContentHash) {
  const which = turn === 0 ? 'prompt' : 'response';
  return makeAnchor(which, texts[which], range, contentHash);
}

const whole = (text: string): TextRange => ({ start: 0, end: text.length });

export interface NewAnnotation {
  readonly id: string;
  readonly rollout: RolloutKey;
  readonly target: AnnotationTarget;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Fields that are empty are left out: an empty note is none. Halves of surrogate pairs do not survive a disk. */
export function annotationOf(base: NewAnnotation, said: Said): Annotation {
  const { id, rollout, target, author, createdAt, updatedAt } = base;
  const note = written(said.note);
  const correction = said.correction === undefined ? undefined : wellFormed(said.correction);
  return {
    id,
    rollout,
    target,
    ...(said.label === undefined ? {} : { label: said.label }),
    ...(note === undefined ? {} : { note }),
    ...(correction === undefined ? {} : { correction }),
    ...(said.severity === undefined ? {} : { severity: said.severity }),
    ...(said.flag === undefined ? {} : { flag: said.flag }),
    author: wellFormed(author),
    createdAt,
    updatedAt,
  };
}

function written(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : wellFormed(text);
}

/** Halves of surrogate pairs as the replacement character, as UTF-8 would have them. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/**
 * What becomes of the labels that a new one replaces, where a place has one label at most: gone, or, where they say
 * more than a label, without it.
 */
export function withoutLabel(annotation: Annotation): Annotation | undefined {
  const { label: _, flag: __, severity: ___, ...rest } = annotation;
  return rest.note === undefined && rest.correction === undefined ? undefined : rest;
}

/** The same author, and everything that is said, wherever it stands. */
export function saysTheSame(
  a: Said & { readonly author: string },
  b: Said & { readonly author: string },
): boolean {
  return (['author', 'label', 'note', 'correction', 'severity', 'flag'] as const).every(
    (each) => a[each] === b[each],
  );
}

/** Of two annotations of one rollout. */
export function isSamePlace(a: AnnotationTarget, b: AnnotationTarget): boolean {
  if (a.kind === 'rollout' || b.kind === 'rollout') return a.kind === b.kind;
  return (
    a.kind === b.kind &&
    (targetText(a) === targetText(b) ||
      (a.anchor.text === b.anchor.text && a.anchor.start === b.anchor.start && a.anchor.end === b.anchor.end))
  );
}
