/**
 * Labels, notes, review state, agreement between reviewers, and imported annotations. A change is on disk
 * before it is answered. `annotations.changed` reports every change to all windows.
 */
import { z } from 'zod';
import {
  ANCHOR_STATES,
  LONGEST_AUTHOR,
  LONGEST_CORRECTION,
  LONGEST_NOTE,
  SEVERITIES,
} from '../domain/annotate/annotation.ts';
import { LABEL_ID, MOST_LABELS } from '../domain/annotate/taxonomy.ts';
import { FLAGS } from '../domain/flags.ts';
import { taxonomySchema } from '../format/taxonomy.ts';
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
import { filter, id, path, progressKey } from './paramTypes.ts';

/** As long as in a pack. */
const annotationId = z.string().min(1).max(200);
const author = z.string().trim().min(1).max(LONGEST_AUTHOR);
const labelId = z.string().regex(LABEL_ID);
const offset = z.int().nonnegative();

/** The target of an annotation, by numbers. The host quotes the text and builds the anchor. */
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
    .refine(({ start, end }) => start < end, { message: 'a span needs at least one character' }),
]);

const draft = z
  .strictObject({
    /**
     * Absent: creates an annotation, or returns the equal one that this author already has on the target.
     * Given: replaces that annotation. It keeps its creation time, and its author becomes the one who changed
     * it.
     */
    id: annotationId.optional(),
    /** May be absent together with `target` if `id` is given: the target then stays unchanged. */
    rolloutId: id.optional(),
    target: target.optional(),
    label: labelId.optional(),
    note: z.string().max(LONGEST_NOTE).optional(),
    correction: z.string().max(LONGEST_CORRECTION).optional(),
    severity: z.enum(SEVERITIES).optional(),
    /** The flag it confirms. Absent: unchanged. `null`: removes the flag. */
    flag: z.enum(FLAGS).nullable().optional(),
  })
  .refine((it) => (it.rolloutId === undefined) === (it.target === undefined), {
    message: 'rolloutId and target must be given together',
  })
  .refine((it) => it.id !== undefined || it.rolloutId !== undefined, {
    message: 'a new annotation needs a rollout and a target',
  })
  .refine((it) => it.label !== undefined || it.note !== undefined || it.correction !== undefined, {
    message: 'an annotation needs a label, a note or a correction',
  });

const change = z.union([
  z.strictObject({ put: draft }),
  z.strictObject({ remove: annotationId }),
  /** `null`: back to unread. */
  z.strictObject({ read: id, verdict: z.enum(['read', 'skipped']).nullable() }),
]);

/** Without a run: all runs. With a filter: only rollouts that match. */
const scope = { runId: id.optional(), filter, progressKey };

export const ANNOTATION_METHODS = {
  'taxonomy.get': defineMethod({ params: z.object({}), result: resultOf<TaxonomyState>(), runsOn: 'reader' }),
  /** Replaces the whole taxonomy. Annotations keep labels that it no longer has. */
  'taxonomy.set': defineMethod({
    params: z.object({ taxonomy: taxonomySchema }),
    result: resultOf<TaxonomyState>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  /** Annotations of one rollout, at most 5,000. Its flags come with `rollout.get`. */
  'annotation.list': defineMethod({
    params: z.object({ rolloutId: id }),
    result: resultOf<RolloutAnnotations>(),
    runsOn: 'reader',
  }),
  /**
   * All ids in order; `annotation.rows` returns the rows of a window. `unattached`: the rollout is not in
   * this library.
   */
  'annotation.order': defineMethod({
    params: z.object({
      ...scope,
      labels: z.array(labelId).max(MOST_LABELS).optional(),
      author: author.optional(),
      states: z
        .array(z.enum([...ANCHOR_STATES, 'unattached']))
        .min(1)
        .optional(),
      /**
       * `place`: by run, step, group and position in the text, unattached ones last. `latest`: last change
       * first.
       */
      sort: z.enum(['place', 'latest']).default('place'),
    }),
    result: resultOf<{ readonly ids: Uint32Array }>(),
    runsOn: 'lists',
  }),
  'annotation.rows': defineMethod({
    params: z.object({ annotationNos: z.array(id).max(500) }),
    /** In the requested order. Ids that no longer exist are left out. */
    result: resultOf<readonly AnnotationRow[]>(),
    runsOn: 'reader',
  }),
  /** Atomic, and one step of undo. Committed to disk before it is answered. */
  'annotation.apply': defineMethod({
    params: z.object({ author, changes: z.array(change).min(1).max(10_000) }),
    result: resultOf<AppliedChanges>(),
    runsOn: 'writer',
    isAtOnce: true,
  }),
  /**
   * With an author: undoes the author's latest change, and is refused if somebody else has changed the same
   * annotations since. Without: undoes the latest change of any author.
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
  /** The next undo and the next redo of an author. */
  'annotation.history': defineMethod({
    params: z.object({ author: author.optional() }),
    result: resultOf<HistoryState>(),
    runsOn: 'reader',
  }),
  /**
   * Rollouts to review next: of a run (all runs if absent) under a filter, or picked by id.
   *
   * - `listed`: as `rollout.order` without a sort, or as given; runs in the order of the library
   * - `random`: the order depends on the seed alone, not on what has been reviewed meanwhile
   * - `stratified`: one rollout of each prompt group in turn; groups and rollouts are shuffled by the seed
   * - `disagreement`: rollouts that other reviewers label differently, most differences first; then those one
   *   other reviewer has read; then the rest as listed
   */
  'label.queue': defineMethod({
    params: z.object({
      ...scope,
      author,
      rolloutIds: z.array(id).max(100_000).optional(),
      order: z.enum(['listed', 'random', 'stratified', 'disagreement']).default('listed'),
      seed: z.int().nonnegative().max(0xffff_ffff).default(0),
      /** Includes rollouts that this author has read or skipped. */
      includeRead: z.boolean().default(false),
    }),
    result: resultOf<LabelQueue>(),
    runsOn: 'lists',
  }),
  /** A reviewer has read a rollout if they marked it as read or labelled it. */
  'annotation.agreement': defineMethod({
    params: z.object({
      ...scope,
      authors: z
        .tuple([author, author])
        .refine(([a, b]) => a !== b, { message: 'expected two different authors' }),
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
   * `both`: theirs becomes an annotation of its own, whose id derives from its content. One step of undo, of
   * the deciding author. Without an author: of the author it came from.
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
  /**
   * Imports the annotations of a pack or an annotation file, which the user must have opened. Rollouts of a
   * pack are not imported.
   */
  'annotation.import': defineMethod({
    params: z.object({ path }),
    result: resultOf<MergeReport>(),
    runsOn: 'writer',
  }),
} as const;
