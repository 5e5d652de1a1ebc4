/** Failure packs: rollouts with what has been said about them, as something another person can open, read and train on. */
import { z } from 'zod';
import { LABEL_ID, MOST_LABELS } from '../domain/annotate/taxonomy.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey } from './paramTypes.ts';

export const PACK_FORMATS = ['jsonl', 'csv', 'tsv', 'parquet', 'md', 'html', 'chat'] as const;
export type PackFormat = (typeof PACK_FORMATS)[number];

/** Parts of a rollout that a text for a language model may have, in this order. */
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
  /** Absent: of all runs. */
  runId: id.optional(),
  filter,
  /** Rollouts with one of these labels; absent: with any label or note. */
  labels: z.array(z.string().regex(LABEL_ID)).max(MOST_LABELS).optional(),
  /** Picked by hand: they are packed whether or not anything has been said about them. */
  rolloutIds: z.array(id).min(1).max(100_000).optional(),
  /** Everything that matches the filter, labelled or not. */
  isAll: z.boolean().default(false),
} as const;

const packOptions = {
  /** The other rollouts of their groups, marked as such; without annotations. */
  siblings: z.boolean().default(false),
  /** Token ids, offsets and signals. */
  tokens: z.boolean().default(false),
  /** The record as it stands in its log. */
  raw: z.boolean().default(false),
  /**
   * Regular expressions; what they match is replaced in every text by as many blocks, and the manifest says how often.
   * One that takes more than 2 s on a rollout is refused.
   */
  redact: z.array(z.string().min(1).max(1000)).max(20).default([]),
} as const;

export const PACK_METHODS = {
  /** What a pack would hold, before it is written. */
  'pack.preview': defineMethod({
    params: z.object({ ...packChoice, progressKey }),
    result: resultOf<PackPreview>(),
    runsOn: 'lists',
  }),
  /**
   * Writes a pack: one file, a directory for `parquet`. A bare name lies beside this library; what is there already
   * is never overwritten, and of nothing there is no pack. `csv`, `tsv` and `chat` have a manifest beside them,
   * PATH.manifest.json. Long, and cancelled like `roc.report`: what was written is removed then.
   */
  'pack.export': defineMethod({
    params: z.object({
      ...packChoice,
      ...packOptions,
      format: z.enum(PACK_FORMATS),
      path: z.string().min(1).max(4096),
      progressKey,
    }),
    result: resultOf<PackWritten>(),
    runsOn: 'exporting',
  }),
  /** One rollout as text for a language model. */
  'pack.text': defineMethod({
    params: z.object({
      rolloutId: id,
      sections: z.array(z.enum(PACK_SECTIONS)).min(1).max(PACK_SECTIONS.length),
      redact: packOptions.redact,
    }),
    result: resultOf<{ readonly text: string; readonly redactions: number }>(),
    runsOn: 'comparison',
  }),
} as const;

export interface PackPreview {
  /** Rollouts that are packed, without siblings. */
  readonly cases: number;
  readonly annotations: number;
  readonly siblings: number;
}

export interface PackWritten {
  readonly path: string;
  readonly format: PackFormat;
  readonly cases: number;
  readonly siblings: number;
  readonly annotations: number;
  readonly redactions: number;
  readonly bytes: number;
  /** Of the file, in hex; of a directory that of its manifest. */
  readonly sha256: string;
}
