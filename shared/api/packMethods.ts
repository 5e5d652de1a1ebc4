/** Failure packs: rollouts with their annotations, in a form that others can open, read and train on. */
import { z } from 'zod';
import { LABEL_ID, MOST_LABELS } from '../domain/annotate/taxonomy.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, isDownload, path, progressKey, stepPlace } from './paramTypes.ts';

export const PACK_FORMATS = ['jsonl', 'csv', 'tsv', 'parquet', 'md', 'html', 'chat'] as const;
export type PackFormat = (typeof PACK_FORMATS)[number];

/** Formats that can hold pairs. */
export const PAIR_FORMATS: readonly PackFormat[] = ['html', 'jsonl'];

/** The correctness that a problem's rollouts took on from one step to another. */
export const DIRECTIONS = ['incorrect', 'correct'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Problems that changed between two steps, each by a rollout from before and one from after; or two rollouts. */
const pairs = z.union([
  z.object({ from: stepPlace, to: stepPlace, became: z.enum(DIRECTIONS) }),
  z.object({ rolloutIds: z.tuple([id, id]) }),
]);
export type PackPairs = z.infer<typeof pairs>;

/** Optional parts of the text that is made for a language model, in this order. */
export const PACK_SECTIONS = [
  'problem',
  'outcome',
  'annotations',
  'reasoning',
  'code',
  'output',
  'answer',
] as const;
export type PackSection = (typeof PACK_SECTIONS)[number];

const packChoice = {
  /** Absent: all runs. */
  runId: id.optional(),
  filter,
  /** Rollouts with one of these labels. Absent: rollouts with any label or note. */
  labels: z.array(z.string().regex(LABEL_ID)).max(MOST_LABELS).optional(),
  /** Packed whether or not they are annotated, in this order. */
  rolloutIds: z.array(id).min(1).max(100_000).optional(),
  /** Every rollout that matches the filter, annotated or not. */
  isAll: z.boolean().default(false),
  /**
   * Packs pairs of rollouts side by side, instead of single ones. `labels` and `isAll` choose among the pairs: one
   * rollout of a pair needs the label. Without `filter`, `rolloutIds` and `runId`; only as one of `PAIR_FORMATS`.
   */
  pairs: pairs.optional(),
} as const;

const packOptions = {
  /** Includes the other rollouts of their groups, marked as siblings and without annotations. */
  siblings: z.boolean().default(false),
  /** Token ids, offsets and signals. */
  tokens: z.boolean().default(false),
  /** The record as logged. */
  raw: z.boolean().default(false),
  /**
   * Regular expressions. Each match is replaced in every text by as many block characters, and the manifest
   * counts the replacements. An expression that takes more than 1 s on one rollout is refused.
   */
  redact: z.array(z.string().min(1).max(1000)).max(20).default([]),
  /** Otherwise credentials are redacted, too (`shared/domain/secrets.ts`). */
  keepsCredentials: z.boolean().default(false),
} as const;

export const PACK_METHODS = {
  /** Contents of a pack before it is written. */
  'pack.preview': defineMethod({
    params: z.object({ ...packChoice, progressKey }),
    result: resultOf<PackPreview>(),
    runsOn: 'lists',
  }),
  /**
   * Writes a pack: one file, or a directory for `parquet`. A bare name is placed beside this library. Refuses
   * to overwrite and to write an empty pack. `csv`, `tsv` and `chat` get a manifest beside them,
   * PATH.manifest.json. Long-running like `roc.report`; cancelling removes what was written.
   * With `isDownload`, `path` is a suggested name, and the page downloads the pack (shared/api/download.ts).
   */
  'pack.export': defineMethod({
    params: z.object({
      ...packChoice,
      ...packOptions,
      format: z.enum(PACK_FORMATS),
      path,
      isDownload,
      progressKey,
    }),
    result: resultOf<WrittenPack>(),
    runsOn: 'exporting',
  }),
  /** One rollout as text for a language model. */
  'pack.text': defineMethod({
    params: z.object({
      rolloutId: id,
      sections: z.array(z.enum(PACK_SECTIONS)).min(1).max(PACK_SECTIONS.length),
      redact: packOptions.redact,
      keepsCredentials: packOptions.keepsCredentials,
    }),
    result: resultOf<{ readonly text: string; readonly redactions: number }>(),
    runsOn: 'comparison',
  }),
} as const;

export interface PackPreview {
  /** Packed rollouts without siblings. */
  readonly cases: number;
  /** Only of a pack of pairs. */
  readonly pairs?: number;
  readonly annotations: number;
  readonly siblings: number;
  /** Cases with per-token data. */
  readonly withTokens: number;
}

export interface WrittenPack {
  /** Path of the file; for a download its name, or that of the zip with the files. */
  readonly path: string;
  /** Id of the download. It can be used once. */
  readonly download?: string;
  readonly format: PackFormat;
  readonly cases: number;
  /** Only of a pack of pairs. */
  readonly pairs?: number;
  readonly siblings: number;
  readonly annotations: number;
  readonly redactions: number;
  readonly bytes: number;
  /** Hash of the file, or of a directory's manifest; hexadecimal. */
  readonly sha256: string;
  /** Only of a pack of conversations. */
  readonly conversations?: Conversations;
}

/** Why a case does not become a training conversation. With a suggested correction it becomes one anyway. */
const LEFT_OUT = ['incorrect', 'correctness_unknown', 'discarded', 'no_text'] as const;

export interface Conversations {
  readonly asTheyAre: number;
  readonly corrected: number;
  readonly leftOut: Readonly<Record<(typeof LEFT_OUT)[number], number>>;
}

const LEFT_OUT_TEXTS: Readonly<Record<(typeof LEFT_OUT)[number], string>> = {
  incorrect: 'not correct',
  correctness_unknown: 'of unknown correctness',
  discarded: 'discarded',
  no_text: 'without a text',
};

/** `12 conversations, 2 of them corrected; 5 left out: 3 not correct, 2 discarded` */
export function conversationsText({ asTheyAre, corrected, leftOut }: Conversations): string {
  const reasons = LEFT_OUT.filter((reason) => leftOut[reason] > 0);
  const all = reasons.reduce((sum, reason) => sum + leftOut[reason], 0);
  const written = asTheyAre + corrected;
  return [
    `${written} ${written === 1 ? 'conversation' : 'conversations'}${corrected === 0 ? '' : `, ${corrected} of them corrected`}`,
    ...(all === 0
      ? []
      : [
          `${all} left out: ${reasons.map((reason) => `${leftOut[reason]} ${LEFT_OUT_TEXTS[reason]}`).join(', ')}`,
        ]),
  ].join('; ');
}
