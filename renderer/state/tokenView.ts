/**
 * The user's preferences for marking tokens in the replay, saved across sessions. Marks depend on the rollout, and the
 * current token is in the URL.
 */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

/** The signals that can be shown as heat. */
export const HEAT_SIGNALS = ['entropy', 'surprisal', 'gap', 'advantage'] as const;
export type HeatSignal = (typeof HEAT_SIGNALS)[number];

export const THRESHOLD_KINDS = ['rollout', 'fixed', 'group', 'step', 'run'] as const;
export type ThresholdKind = (typeof THRESHOLD_KINDS)[number];

/** `underline` keeps the background plain; `background` is visible from further away. */
type MarkStyle = 'background' | 'underline';
type InspectorTab = 'rollout' | 'labels' | 'tokens' | 'events';
type Switch = 'isMaskShown' | 'isGapShown' | 'isLexiconShown';

/** The share of high tokens in both papers (shared/domain/DOMAIN.md#thresholds). */
const DEFAULT_SHARE = 0.2;

interface TokenView {
  /** Undefined: the best signal of the rollout. */
  readonly signal: HeatSignal | undefined;
  readonly thresholdKind: ThresholdKind;
  /** For `rollout`: the share of its policy tokens that is high. */
  readonly share: number;
  /** For `fixed`: one value per signal, since values of different signals cannot be compared. */
  readonly fixed: Readonly<Partial<Record<HeatSignal, number>>>;
  readonly markStyle: MarkStyle;
  readonly isMaskShown: boolean;
  readonly isGapShown: boolean;
  readonly isLexiconShown: boolean;
  /** Policy tokens after a tool response that can count as reflection. 0: the whole segment. Undefined: the default. */
  readonly window: number | undefined;
  /** The lexicon. Undefined: the default list. */
  readonly words: readonly string[] | undefined;
  /** Size of the vocabulary. Without it, listed alternatives give no upper bound. */
  readonly vocabulary: number | undefined;
  readonly inspectorTab: InspectorTab;

  readonly setSignal: (signal: HeatSignal) => void;
  readonly setThresholdKind: (kind: ThresholdKind) => void;
  readonly setShare: (share: number) => void;
  readonly setFixed: (signal: HeatSignal, value: number) => void;
  readonly setMarkStyle: (style: MarkStyle) => void;
  readonly flip: (name: Switch) => void;
  readonly setWindow: (window: number | undefined) => void;
  readonly setWords: (words: readonly string[] | undefined) => void;
  readonly setVocabulary: (size: number | undefined) => void;
  readonly setInspectorTab: (tab: InspectorTab) => void;
}

export const useTokenView = create<TokenView>()(
  persist(
    (set) => ({
      signal: undefined,
      thresholdKind: 'rollout',
      share: DEFAULT_SHARE,
      fixed: {},
      markStyle: 'background',
      isMaskShown: false,
      isGapShown: false,
      isLexiconShown: false,
      window: undefined,
      words: undefined,
      vocabulary: undefined,
      inspectorTab: 'rollout',

      setSignal: (signal) => set({ signal }),
      setThresholdKind: (thresholdKind) => set({ thresholdKind }),
      setShare: (share) => set({ share }),
      setFixed: (signal, value) => set(({ fixed }) => ({ fixed: { ...fixed, [signal]: value } })),
      setMarkStyle: (markStyle) => set({ markStyle }),
      flip: (name) => set((state) => ({ [name]: !state[name] })),
      setWindow: (window) => set({ window }),
      setWords: (words) => set({ words }),
      setVocabulary: (vocabulary) => set({ vocabulary }),
      setInspectorTab: (inspectorTab) => set({ inspectorTab }),
    }),
    remembered<TokenView>('turnwise.tokenView', {
      signal: z.enum(HEAT_SIGNALS).optional(),
      thresholdKind: z.enum(THRESHOLD_KINDS),
      share: z.number(),
      fixed: z.partialRecord(z.enum(HEAT_SIGNALS), z.number()),
      markStyle: z.enum(['background', 'underline']),
      isMaskShown: z.boolean(),
      isGapShown: z.boolean(),
      isLexiconShown: z.boolean(),
      window: z.number().optional(),
      words: z.array(z.string()).optional(),
      vocabulary: z.number().optional(),
      inspectorTab: z.enum(['rollout', 'labels', 'tokens', 'events']),
    }),
  ),
);
