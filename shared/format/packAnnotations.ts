/** Parses annotations and review marks of untrusted files. Drops unknown fields and treats null as absent. */
import { z } from 'zod';
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
import { LABEL_ID } from '../domain/annotate/taxonomy.ts';
import { FLAGS } from '../domain/flags.ts';
import { RUN_KINDS } from '../domain/model.ts';
import {
  type Checked,
  checked,
  LABEL_ID_EXPECTED,
  nameUpTo,
  present,
  textUpTo,
  time,
  whole,
} from './checked.ts';

const LONGEST_NAME = 10_000;
const LONGEST_ID = 200;

const key = z
  .object({
    run: nameUpTo(LONGEST_NAME),
    kind: z.enum(RUN_KINDS),
    step: whole,
    group: textUpTo(LONGEST_NAME),
    problem: textUpTo(LONGEST_NAME),
    ordinal: whole,
    contentHash: nameUpTo(LONGEST_ID),
    recordHash: nameUpTo(LONGEST_ID).nullish(),
  })
  .transform((fields): RolloutKey => present(fields));

const anchor = z
  .object({
    text: z.enum(['prompt', 'response']),
    start: whole,
    end: whole,
    quote: textUpTo(LONGEST_QUOTE),
    quoteEnd: textUpTo(LONGEST_QUOTE).nullish(),
    hash: nameUpTo(LONGEST_ID).nullish(),
    before: textUpTo(LONGEST_QUOTE),
    after: textUpTo(LONGEST_QUOTE),
  })
  .superRefine(({ start, end, quote, quoteEnd }, context) => {
    if (end < start)
      context.addIssue({ code: 'custom', path: ['end'], message: `expected at least ${start}` });
    const length = end - start;
    const quoted = quote.length + (quoteEnd?.length ?? 0);
    if (typeof quoteEnd === 'string' ? quoted > length : quoted !== length)
      context.addIssue({
        code: 'custom',
        message: `the quote has ${quoted} characters, its range ${length}`,
      });
  })
  .transform((fields): Anchor => present(fields));

const target: z.ZodType<AnnotationTarget> = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('rollout') }),
    z.object({ kind: z.literal('turn'), turn: whole, anchor }),
    z.object({ kind: z.literal('segment'), segment: whole, anchor }),
    z.object({ kind: z.literal('span'), anchor }),
  ],
  { error: 'expected one of rollout, turn, segment, span' },
);

const annotation = z
  .object({
    id: nameUpTo(LONGEST_ID),
    rollout: key,
    target,
    label: z.string().regex(LABEL_ID, LABEL_ID_EXPECTED).nullish(),
    note: textUpTo(LONGEST_NOTE).nullish(),
    correction: textUpTo(LONGEST_CORRECTION).nullish(),
    severity: z.enum(SEVERITIES).nullish(),
    flag: z.enum(FLAGS).nullish(),
    author: nameUpTo(LONGEST_AUTHOR),
    createdAt: time,
    updatedAt: time,
  })
  .refine(({ label, note, correction }) => (label ?? note ?? correction ?? undefined) !== undefined, {
    error: 'expected a label, a note or a correction; found none of them',
  })
  .transform((fields): Annotation => present(fields));

const reviewMark = z.object({
  rollout: key,
  author: nameUpTo(LONGEST_AUTHOR),
  verdict: z.enum(['read', 'skipped']),
  at: time,
});

export const parseAnnotation = (value: unknown): Checked<Annotation> =>
  checked(annotation, value, 'annotation');

/** @returns undefined if the value is no target */
export const parseTarget = (value: unknown): AnnotationTarget | undefined => target.safeParse(value).data;

export const parseReviewMark = (value: unknown): Checked<ReviewMark> => checked(reviewMark, value, 'reading');
