/** Equality of rollouts, annotations and review marks. Ignores key order and absent fields. */
import type { Annotation, AnnotationTarget, ContentHash, ReviewMark, RolloutKey } from './annotation.ts';

/**
 * Canonical text of a rollout key. Omits the record hash, because the same rollout may be in other records.
 */
function rolloutText({ run, kind, step, group, problem, ordinal, contentHash }: RolloutKey): string {
  return JSON.stringify([run, kind, step, group, problem, ordinal, contentHash]);
}

/** Canonical text of a target, quote included. */
export function targetText(target: AnnotationTarget): string {
  return canonical(target);
}

/**
 * Equal texts mean that the same author made the same statement about the same target. Only id and times may
 * differ.
 */
export function contentText(annotation: Annotation): string {
  const { rollout, target, label, author, note, correction, severity, flag } = annotation;
  const said = [label, author, note, correction, severity, flag].map((each) => each ?? null);
  return JSON.stringify([rolloutText(rollout), targetText(target), ...said]);
}

export function annotationText(annotation: Annotation): string {
  return canonical(annotation);
}

export function isSameAnnotation(a: Annotation, b: Annotation): boolean {
  return a === b || annotationText(a) === annotationText(b);
}

export function reviewMarkText({ rollout, author }: ReviewMark): string {
  return JSON.stringify([rolloutText(rollout), author]);
}

/**
 * Id of a version that is kept beside another one. Derived from its content, so that every library computes
 * the same.
 */
export function idBeside(annotation: Annotation, contentHash: ContentHash): string {
  const text = annotationText(annotation);
  return `${annotation.id.slice(0, 64)}~${contentHash(text)}`;
}

/** JSON with sorted keys and without undefined fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
