/** When two of them are the same: rollouts, annotations, readings. Key order and absent fields make no difference. */
import type { Annotation, AnnotationTarget, ContentHash, Reading, RolloutKey } from './annotation.ts';

/** One text for one rollout. The record's hash is left out: the same rollout is written in other records, too. */
function rolloutText({ run, kind, step, group, problem, ordinal, contentHash }: RolloutKey): string {
  return JSON.stringify([run, kind, step, group, problem, ordinal, contentHash]);
}

/** One text for one place; how a piece is quoted is part of it. */
export function targetText(target: AnnotationTarget): string {
  return canonical(target);
}

/** Equal texts: the same author said the same of the same place; nothing but id and times could differ. */
export function likenessText(annotation: Annotation): string {
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

export function readingText({ rollout, author }: Reading): string {
  return JSON.stringify([rolloutText(rollout), author]);
}

/** Of a version that is taken in beside another one: follows from what it says, so that everybody gets the same. */
export function idBeside(annotation: Annotation, contentHash: ContentHash): string {
  const text = annotationText(annotation);
  return `${annotation.id.slice(0, 64)}~${contentHash(text)}`;
}

/** JSON with sorted keys, without fields that are undefined. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
