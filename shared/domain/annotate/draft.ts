/** Builds and edits annotations from the changes a user makes. */
import type { Flag } from '../flags.ts';
import type { Segment, TextRange, Utf16Offset } from '../model.ts';
import { makeAnchor } from './anchor.ts';
import type { Annotation, AnnotationTarget, ContentHash, RolloutKey, Severity } from './annotation.ts';
import { targetText } from './identity.ts';

/** An annotation target by numbers alone. */
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

/** Content of an annotation without its target. */
export interface AnnotationContent {
  readonly label?: string | undefined;
  readonly note?: string | undefined;
  readonly correction?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly flag?: Flag | undefined;
}

/** The texts that targets refer to. */
export interface TargetTexts {
  readonly prompt: string;
  readonly response: string;
  /** Segments of the prompt (turn 0), then of the response. */
  readonly segments: readonly Segment[];
}

/** @returns a message if the target does not exist */
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

/**
 * Omits empty fields: an empty note is no note. Replaces lone surrogates, which cannot be stored as UTF-8.
 */
export function annotationOf(base: NewAnnotation, content: AnnotationContent): Annotation {
  const { id, rollout, target, author, createdAt, updatedAt } = base;
  const note = written(content.note);
  const correction = content.correction === undefined ? undefined : wellFormed(content.correction);
  return {
    id,
    rollout,
    target,
    ...(content.label === undefined ? {} : { label: content.label }),
    ...(note === undefined ? {} : { note }),
    ...(correction === undefined ? {} : { correction }),
    ...(content.severity === undefined ? {} : { severity: content.severity }),
    ...(content.flag === undefined ? {} : { flag: content.flag }),
    author: wellFormed(author),
    createdAt,
    updatedAt,
  };
}

function written(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : wellFormed(text);
}

/** Replaces lone surrogates by the replacement character, as UTF-8 encoding would. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/**
 * The rest of an annotation whose label is replaced, for targets that allow one label. Undefined without a
 * note or correction.
 */
export function withoutLabel(annotation: Annotation): Annotation | undefined {
  const { label: _, flag: __, severity: ___, ...rest } = annotation;
  return rest.note === undefined && rest.correction === undefined ? undefined : rest;
}

/** Whether two annotations of one rollout have the same target. */
export function isSameTarget(a: AnnotationTarget, b: AnnotationTarget): boolean {
  if (a.kind === 'rollout' || b.kind === 'rollout') return a.kind === b.kind;
  return (
    a.kind === b.kind &&
    (targetText(a) === targetText(b) ||
      (a.anchor.text === b.anchor.text && a.anchor.start === b.anchor.start && a.anchor.end === b.anchor.end))
  );
}
