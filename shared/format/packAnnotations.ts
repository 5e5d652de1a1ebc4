/**
 * Parses annotations and review marks from files of other people, strictly and field by field. Errors begin with the
 * path to the fault. Unknown fields are left out.
 */
import {
  type Anchor,
  type Annotation,
  type AnnotationTarget,
  LONGEST_AUTHOR,
  LONGEST_CORRECTION,
  LONGEST_NOTE,
  LONGEST_QUOTE,
  type ReviewMark,
  type RolloutKey,
  SEVERITIES,
} from '../domain/annotate/annotation.ts';
import { wellFormed } from '../domain/annotate/draft.ts';
import { LABEL_ID } from '../domain/annotate/taxonomy.ts';
import { FLAGS } from '../domain/flags.ts';
import { RUN_KINDS } from '../domain/model.ts';
import { indexOf, isObject, type JsonObject, jsonText } from './fields.ts';

/** The message begins with the path to the fault. */
export class InvalidAnnotationError extends Error {}

const LONGEST_NAME = 10_000;
const LONGEST_ID = 200;

/** @throws InvalidAnnotationError */
export function parseAnnotation(value: unknown): Annotation {
  const at = 'annotation';
  const fields = objectAt(value, at);
  const label = optional(fields, at, 'label', (field, path) => labelAt(field, path));
  const note = optional(fields, at, 'note', (field, path) => textAt(field, path, LONGEST_NOTE));
  const correction = optional(fields, at, 'correction', (field, path) =>
    textAt(field, path, LONGEST_CORRECTION),
  );
  const severity = optional(fields, at, 'severity', (field, path) => oneAt(field, path, SEVERITIES));
  const flag = optional(fields, at, 'flag', (field, path) => oneAt(field, path, FLAGS));
  if (label === undefined && note === undefined && correction === undefined)
    throw new InvalidAnnotationError(`${at}: expected a label, a note or a correction; found none of them`);
  return {
    id: nameAt(fields['id'], `${at}.id`, LONGEST_ID),
    rollout: readKey(fields['rollout'], `${at}.rollout`),
    target: readTarget(fields['target'], `${at}.target`),
    ...(label === undefined ? {} : { label }),
    ...(note === undefined ? {} : { note }),
    ...(correction === undefined ? {} : { correction }),
    ...(severity === undefined ? {} : { severity }),
    ...(flag === undefined ? {} : { flag }),
    author: nameAt(fields['author'], `${at}.author`, LONGEST_AUTHOR),
    createdAt: timeAt(fields['createdAt'], `${at}.createdAt`),
    updatedAt: timeAt(fields['updatedAt'], `${at}.updatedAt`),
  };
}

/** @throws InvalidAnnotationError */
export function parseReviewMark(value: unknown): ReviewMark {
  const fields = objectAt(value, 'reading');
  return {
    rollout: readKey(fields['rollout'], 'reading.rollout'),
    author: nameAt(fields['author'], 'reading.author', LONGEST_AUTHOR),
    verdict: oneAt(fields['verdict'], 'reading.verdict', ['read', 'skipped']),
    at: timeAt(fields['at'], 'reading.at'),
  };
}

function readKey(value: unknown, at: string): RolloutKey {
  const fields = objectAt(value, at);
  const recordHash = optional(fields, at, 'recordHash', (field, path) => nameAt(field, path, LONGEST_ID));
  return {
    run: nameAt(fields['run'], `${at}.run`, LONGEST_NAME),
    kind: oneAt(fields['kind'], `${at}.kind`, RUN_KINDS),
    step: wholeAt(fields['step'], `${at}.step`),
    group: textAt(fields['group'], `${at}.group`, LONGEST_NAME),
    problem: textAt(fields['problem'], `${at}.problem`, LONGEST_NAME),
    ordinal: wholeAt(fields['ordinal'], `${at}.ordinal`),
    contentHash: nameAt(fields['contentHash'], `${at}.contentHash`, LONGEST_ID),
    ...(recordHash === undefined ? {} : { recordHash }),
  };
}

function readTarget(value: unknown, at: string): AnnotationTarget {
  const fields = objectAt(value, at);
  const kind = oneAt(fields['kind'], `${at}.kind`, ['rollout', 'turn', 'segment', 'span']);
  if (kind === 'rollout') return { kind };
  const anchor = readAnchor(fields['anchor'], `${at}.anchor`);
  switch (kind) {
    case 'turn':
      return { kind, turn: wholeAt(fields['turn'], `${at}.turn`), anchor };
    case 'segment':
      return { kind, segment: wholeAt(fields['segment'], `${at}.segment`), anchor };
    case 'span':
      return { kind, anchor };
  }
}

function readAnchor(value: unknown, at: string): Anchor {
  const fields = objectAt(value, at);
  const quoted = (name: string): string => textAt(fields[name], `${at}.${name}`, LONGEST_QUOTE);
  const start = wholeAt(fields['start'], `${at}.start`);
  const end = wholeAt(fields['end'], `${at}.end`);
  if (end < start) throw wrong(`${at}.end`, `at least ${start}`, end);
  const quote = quoted('quote');
  const quoteEnd = optional(fields, at, 'quoteEnd', (field, path) => textAt(field, path, LONGEST_QUOTE));
  const length = end - start;
  const quotedLength = quote.length + (quoteEnd?.length ?? 0);
  if (quoteEnd === undefined ? quotedLength !== length : quotedLength > length)
    throw new InvalidAnnotationError(
      `${at}: expected a quote of ${length} characters, the length of its range; found ${quotedLength}`,
    );
  const hash = optional(fields, at, 'hash', (field, path) => nameAt(field, path, LONGEST_ID));
  return {
    text: oneAt(fields['text'], `${at}.text`, ['prompt', 'response']),
    start,
    end,
    quote,
    ...(quoteEnd === undefined ? {} : { quoteEnd }),
    ...(hash === undefined ? {} : { hash }),
    before: quoted('before'),
    after: quoted('after'),
  };
}

function optional<T>(
  fields: JsonObject,
  at: string,
  name: string,
  read: (value: unknown, path: string) => T,
): T | undefined {
  const value = fields[name];
  return value === undefined || value === null ? undefined : read(value, `${at}.${name}`);
}

function objectAt(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw wrong(at, 'an object', value);
  return value;
}

function textAt(value: unknown, at: string, longest: number): string {
  if (typeof value !== 'string') throw wrong(at, 'a text', value);
  if (value.length > longest) throw wrong(at, `at most ${longest} characters`, value.length);
  return wellFormed(value);
}

function nameAt(value: unknown, at: string, longest: number): string {
  const text = textAt(value, at, longest);
  if (text.trim() === '') throw wrong(at, 'a text that is not blank', value);
  return text;
}

function labelAt(value: unknown, at: string): string {
  if (typeof value !== 'string' || !LABEL_ID.test(value))
    throw wrong(at, 'an id of a-z, 0-9 and -, at most 64 characters', value);
  return value;
}

function oneAt<const T extends string>(value: unknown, at: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw wrong(at, `one of ${known.join(', ')}`, value);
  return found;
}

function wholeAt(value: unknown, at: string): number {
  const number = indexOf(value);
  if (number === undefined) throw wrong(at, 'a whole number from 0', value);
  return number;
}

/** Milliseconds since 1970. */
function timeAt(value: unknown, at: string): number {
  const number = indexOf(value);
  if (number === undefined) throw wrong(at, 'milliseconds since 1970', value);
  return number;
}

function wrong(at: string, expected: string, value: unknown): InvalidAnnotationError {
  const text = value === undefined ? 'nothing' : jsonText(value);
  const found = text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
  return new InvalidAnnotationError(`${at}: expected ${expected}; found ${found}`);
}
