/**
 * Labelling as far as it is nobody's answer: who reads, what the number keys are about, notes that are being written,
 * and in which order a queue was when it was begun.
 */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { PlainTarget } from '../../shared/domain/annotate/draft.ts';
import { remembered } from './remembered.ts';

/** What a label is put on where no text is selected. */
const LABEL_SCOPES = ['rollout', 'turn'] as const;
type LabelScope = (typeof LABEL_SCOPES)[number];

/** Which annotation is being written: an existing one by its id, or a new one about a place. */
export interface NoteDraft {
  /** Of an existing one. */
  readonly id?: string;
  readonly label?: string;
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
  note: z.string(),
  correction: z.string(),
  severity: z.enum(['minor', 'major', 'critical']).optional(),
  target: plainTarget,
});

interface Labelling {
  /** Under which name annotations are made. */
  readonly reader: string;
  readonly scope: LabelScope;
  /** By library and place of the rollout: one note is written at a time, and none is lost by going elsewhere. */
  readonly drafts: Readonly<Record<string, NoteDraft>>;
  /** By the link of the queue: rollouts in the order in which they are read. */
  readonly queues: Readonly<Record<string, Uint32Array>>;

  readonly setReader: (reader: string) => void;
  readonly setScope: (scope: LabelScope) => void;
  readonly setDraft: (key: string, draft: NoteDraft | undefined) => void;
  readonly beginQueue: (link: string, ids: Uint32Array) => void;
  /** The next one who asks for it gets it anew. */
  readonly endQueue: (link: string) => void;
}

export const useLabelling = create<Labelling>()(
  persist(
    (set) => ({
      reader: 'me',
      scope: 'rollout',
      drafts: {},
      queues: {},

      setReader: (reader) => set({ reader }),
      setScope: (scope) => set({ scope }),
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
    // Queues are numbers of one library.
    remembered<Labelling>('turnwise.labelling', {
      reader: z.string(),
      drafts: z.record(z.string(), noteDraft),
    }),
  ),
);
