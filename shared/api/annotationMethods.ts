/**
 * What readers say about rollouts: labels, notes, what has been read, what two readers agree about, what comes from
 * colleagues. A change is on disk when it has been answered. Every change is told to all windows by
 * `annotations.changed`.
 */
import { z } from 'zod';
import {
  ANCHOR_STATES,
  LONGEST_AUTHOR,
  LONGEST_CORRECTION,
  LONGEST_NOTE,
  SEVERITIES,
} from '../domain/annotate/annotation.ts';
import {
  LABEL_COLOURS,
  LABEL_ID,
  LABEL_KEYS,
  MOST_LABELS,
  taxonomyFault,
} from '../domain/annotate/taxonomy.ts';
import { FLAGS } from '../domain/flags.ts';
import type {
  AgreementReport,
  AnnotationReport,
  AnnotationRow,
  AppliedChanges,
  AuthorRow,
  ConflictRow,
  HistoryState,
  LabelQueue,
  MergeReport,
  RolloutAnnotations,
  TaxonomyState,
} from './annotationRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey } from './paramTypes.ts';

const annotationId = z.string().min(1).max(100);
const author = z.string().trim().min(1).max(LONGEST_AUTHOR);
const labelId = z.string().regex(LABEL_ID);
const offset = z.int().nonnegative();

/** What an annotation is to be about, by numbers alone: the host quotes the text and makes the anchor. */
const target = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rollout') }),
  z.strictObject({ kind: z.literal('turn'), turn: z.int().nonnegative() }),
  z.strictObject({ kind: z.literal('segment'), segment: z.int().nonnegative() }),
  z
    .strictObject({
      kind: z.literal('span'),
      text: z.enum(['prompt', 'response']),
      start: offset,
      end: offset,
    })
    .refine(({ start, end }) => start < end, { message: 'a span has a character at least' }),
]);

const draft = z
  .strictObject({
    /**
     * Absent: a new one, unless this author has said just that of this place; then that is answered. Of one that is there:
     * it is replaced, keeps the time it was made, and is from then on of the author who has changed it.
     */
    id: annotationId.optional(),
    /** May be absent together with `target`, where there is an id: what it is about stays as it is. */
    rolloutId: id.optional(),
    target: target.optional(),
    label: labelId.optional(),
    note: z.string().max(LONGEST_NOTE).optional(),
    correction: z.string().max(LONGEST_CORRECTION).optional(),
    severity: z.enum(SEVERITIES).optional(),
    /** The flag it confirms. Absent: as it was; `null`: none any more. */
    flag: z.enum(FLAGS).nullable().optional(),
  })
  .refine((it) => (it.rolloutId === undefined) === (it.target === undefined), {
    message: 'rolloutId and target are given together',
  })
  .refine((it) => it.id !== undefined || it.rolloutId !== undefined, {
    message: 'a new annotation needs a rollout and a target',
  })
  .refine((it) => it.label !== undefined || it.note !== undefined || it.correction !== undefined, {
    message: 'an annotation has a label, a note or a correction',
  });

const change = z.union([
  z.strictObject({ put: draft }),
  z.strictObject({ remove: annotationId }),
  /** `null`: not read any more. */
  z.strictObject({ read: id, verdict: z.enum(['read', 'skipped']).nullable() }),
]);

const taxonomy = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    choice: z.enum(['one', 'many']),
    labels: z
      .array(
        z.strictObject({
          id: labelId,
          name: z.string().trim().min(1).max(200),
          colour: z.enum(LABEL_COLOURS),
          description: z.string().max(10_000),
          key: z.enum(LABEL_KEYS).optional(),
        }),
      )
      .max(MOST_LABELS),
  })
  .superRefine((value, context) => {
    const fault = taxonomyFault(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/** Without a run: over all of them. Under a filter: of the rollouts that match. */
const scope = { runId: id.optional(), filter, progressKey };

export const ANNOTATION_METHODS = {
  'taxonomy.get': defineMethod({ params: z.object({}), result: resultOf<TaxonomyState>(), runsOn: 'reader' }),
  /** The whole of it. A label that is left out stays on what has it. */
  'taxonomy.set': defineMethod({
    params: z.object({ taxonomy }),
    result: resultOf<TaxonomyState>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  /** Everything said about one rollout. Its flags come with `rollout.get`. */
  'annotation.list': defineMethod({
    params: z.object({ rolloutId: id }),
    result: resultOf<RolloutAnnotations>(),
    runsOn: 'reader',
  }),
  /** All ids in order, then `annotation.rows` for the window. `unattached`: the rollout is not in this library. */
  'annotation.order': defineMethod({
    params: z.object({
      ...scope,
      labels: z.array(labelId).max(MOST_LABELS).optional(),
      author: author.optional(),
      states: z
        .array(z.enum([...ANCHOR_STATES, 'unattached']))
        .min(1)
        .optional(),
      /** `place`: by run, step, group and place in the text, the unattached last. `latest`: the last change first. */
      sort: z.enum(['place', 'latest']).default('place'),
    }),
    result: resultOf<{ readonly ids: Uint32Array }>(),
    runsOn: 'lists',
  }),
  'annotation.rows': defineMethod({
    params: z.object({ annotationNos: z.array(id).max(500) }),
    /** In the order asked for; one that is gone is left out. */
    result: resultOf<readonly AnnotationRow[]>(),
    runsOn: 'reader',
  }),
  /** All or nothing, and one step of undo. Committed to disk before it is answered. */
  'annotation.apply': defineMethod({
    params: z.object({ author, changes: z.array(change).min(1).max(10_000) }),
    result: resultOf<AppliedChanges>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  /**
   * With an author: the latest step of theirs that is not taken back; refused where somebody else has changed since what
   * it is about. Without: the latest of all, whoever's it is.
   */
  'annotation.undo': defineMethod({
    params: z.object({ author: author.optional() }),
    result: resultOf<AppliedChanges>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  'annotation.redo': defineMethod({
    params: z.object({ author: author.optional() }),
    result: resultOf<AppliedChanges>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  /** What the two would do, asked with the same author. */
  'annotation.history': defineMethod({
    params: z.object({ author: author.optional() }),
    result: resultOf<HistoryState>(),
    runsOn: 'reader',
  }),
  /**
   * What to read next: of a run (all where there is none) under a filter, or rollouts picked by hand.
   *
   *  - `listed`: as `rollout.order` without a sort, or as given; runs in the order of the library
   *  - `random`: the same seed, the same order, whoever has read what meanwhile
   *  - `stratified`: one of each prompt group in turn, groups and rollouts drawn with the seed
   *  - `disagreement`: first what other readers label differently, most differences first; then what one other has
   *    read; then the rest as listed
   */
  'label.queue': defineMethod({
    params: z.object({
      ...scope,
      author,
      rolloutIds: z.array(id).max(100_000).optional(),
      order: z.enum(['listed', 'random', 'stratified', 'disagreement']).default('listed'),
      seed: z.int().nonnegative().max(0xffff_ffff).default(0),
      /** What this author has read or skipped is in it, too. */
      includeRead: z.boolean().default(false),
    }),
    result: resultOf<LabelQueue>(),
    runsOn: 'lists',
  }),
  /** A reader has read a rollout who says so, or has put a label on it. */
  'annotation.agreement': defineMethod({
    params: z.object({
      ...scope,
      authors: z.tuple([author, author]).refine(([a, b]) => a !== b, { message: 'two different authors' }),
    }),
    result: resultOf<AgreementReport>(),
    runsOn: 'charts',
  }),
  'annotation.report': defineMethod({
    params: z.object({
      ...scope,
      labels: z.array(labelId).max(MOST_LABELS).optional(),
      authors: z.array(author).max(100).optional(),
    }),
    result: resultOf<AnnotationReport>(),
    runsOn: 'charts',
  }),
  'annotation.conflicts': defineMethod({
    params: z.object({}),
    result: resultOf<readonly ConflictRow[]>(),
    runsOn: 'reader',
  }),
  /**
   * `both`: theirs becomes an annotation of its own, under an id that follows from what it says. One step of undo, of the
   * author who decides; without one of the author it came from.
   */
  'annotation.resolve': defineMethod({
    params: z.object({
      conflictId: id,
      take: z.enum(['mine', 'theirs', 'both']),
      author: author.optional(),
    }),
    result: resultOf<AppliedChanges>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  'annotation.authors': defineMethod({
    params: z.object({}),
    result: resultOf<readonly AuthorRow[]>(),
    runsOn: 'reader',
  }),
  /** A pack or annotations alone; the file must have been opened by the user. Rollouts of a pack are not read. */
  'annotation.import': defineMethod({
    params: z.object({ path: z.string().min(1).max(4096) }),
    result: resultOf<MergeReport>(),
    runsOn: 'writer',
  }),
} as const;
