/**
 * Client state of labelling: the reader, the scope of the number keys, drafts of notes, and the initial order of
 * queues.
 */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { PlainTarget } from '../../shared/domain/annotate/draft.ts';
import { remembered } from './remembered.ts';

/** The target of a label if no text is selected. */
const LABEL_SCOPES = ['rollout', 'turn'] as const;
type LabelScope = (typeof LABEL_SCOPES)[number];

/** The annotation that is being written: an existing one by its id, or a new one with its target. */
export interface NoteDraft {
  /** Id of an existing annotation. */
  readonly id?: string;
  readonly label?: string;
  /** The label without a note that a new note was begun for. Another one chosen for the note replaces it. */
  readonly begunFor?: string;
  readonly note: string;
  readonly correction: string;
  readonly severity?: 'minor' | 'major' | 'critical';
  readonly target: PlainTarget;
}

const plainTarget: z.ZodType<PlainTarget> = z.union([
  z.object({ kind: z.literal('rollout') }),
  z.object({ kind: z.literal('turn'), turn: z.number() }),
  z.object({ kind: z.literal('segment'), segment: z.number() }),
  z.object({
    kind: z.literal('span'),
    text: z.enum(['prompt', 'response']),
    start: z.number(),
    end: z.number(),
  }),
]);

const noteDraft: z.ZodType<NoteDraft> = z.object({
  id: z.string().optional(),
  label: z.string().optional(),
  begunFor: z.string().optional(),
  note: z.string(),
  correction: z.string(),
  severity: z.enum(['minor', 'major', 'critical']).optional(),
  target: plainTarget,
});

interface Labelling {
  /** The name under which annotations are saved. */
  readonly reader: string;
  readonly scope: LabelScope;
  /** In a comparison: labels apply to all lanes, not only to the chosen one. */
  readonly isForAllLanes: boolean;
  /** By library and rollout position. Drafts survive navigation. */
  readonly drafts: Readonly<Record<string, NoteDraft>>;
  /** By the queue's link: the rollouts in review order. */
  readonly queues: Readonly<Record<string, Uint32Array>>;

  readonly setReader: (reader: string) => void;
  readonly setScope: (scope: LabelScope) => void;
  readonly setForAllLanes: (isForAllLanes: boolean) => void;
  readonly setDraft: (key: string, draft: NoteDraft | undefined) => void;
  readonly beginQueue: (link: string, ids: Uint32Array) => void;
  /** Forgets the order. The next use of the link fetches it again. */
  readonly endQueue: (link: string) => void;
}

export const useLabelling = create<Labelling>()(
  persist(
    (set) => ({
      reader: 'me',
      scope: 'rollout',
      isForAllLanes: false,
      drafts: {},
      queues: {},

      setReader: (reader) => set({ reader }),
      setScope: (scope) => set({ scope }),
      setForAllLanes: (isForAllLanes) => set({ isForAllLanes }),
      setDraft: (key, draft) =>
        set(({ drafts }) => {
          const { [key]: _, ...others } = drafts;
          return { drafts: draft === undefined ? others : { ...others, [key]: draft } };
        }),
      beginQueue: (link, ids) => set(({ queues }) => ({ queues: { ...queues, [link]: ids } })),
      endQueue: (link) =>
        set(({ queues }) => {
          const { [link]: _, ...others } = queues;
          return { queues: others };
        }),
    }),
    // Not saved: queues contain ids, which are valid in one library only.
    remembered<Labelling>('turnwise.labelling', {
      reader: z.string(),
      drafts: z.record(z.string(), noteDraft),
    }),
  ),
);
