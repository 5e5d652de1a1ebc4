/**
 * Interface state only: the layout of the window. What it shows is in the URL, and server data is in the query cache.
 */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { ContinuationPosition } from '../../shared/domain/continuation.ts';
import { remembered } from './remembered.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const PLAY_SPEEDS = [0.5, 1, 2, 4] as const;
type PlaySpeed = (typeof PLAY_SPEEDS)[number];

/** The rollouts of a failure pack. */
export interface PackScope {
  readonly runKey?: string | undefined;
  readonly filter: string;
  /** Selected by hand. */
  readonly rolloutIds?: readonly number[];
  /** Pairs instead of single rollouts. */
  readonly pairs?: PairScope;
}

export interface PairScope {
  /** `Problems that became incorrect from step 0 to step 60`. */
  readonly name: string;
  /** The changed problems of two steps, or two rollouts. */
  readonly of: ChangesScope | { readonly rolloutIds: [number, number] };
}

interface ChangesScope {
  readonly from: { readonly runId: number; readonly step: number };
  readonly to: { readonly runId: number; readonly step: number };
  readonly became: 'incorrect' | 'correct';
}

/** The open dialog and its subject. */
export type Dialog =
  | DialogOf<'palette' | 'keys' | 'openLibrary' | 'importPack' | 'resume'>
  | DialogOf<'removeRun' | 'moveRun' | 'exportRun', { readonly runKey: string }>
  | DialogOf<'openLogs', { readonly files?: readonly File[] }>
  | DialogOf<'librarySizes', { readonly library: string }>
  | DialogOf<'exportPack', { readonly scope: PackScope }>
  | DialogOf<'copyText', { readonly rolloutId: number }>
  | DialogOf<'continue', { readonly rolloutId: number; readonly position: ContinuationPosition }>
  | DialogOf<'value', { readonly rolloutId: number }>;
type DialogOf<K extends string, About = object> = K extends string ? { readonly kind: K } & About : never;

interface Interface {
  readonly theme: Theme;
  /** Replay without rail, outline and inspector. */
  readonly isFocused: boolean;
  /** Shows names beside the rail's icons. Undefined: only if the window is wide enough. */
  readonly isRailNamed: boolean | undefined;
  readonly isOutlineOpen: boolean;
  readonly isInspectorOpen: boolean;
  /** Shows exact text with its tags instead of rendered Markdown. */
  readonly isRaw: boolean;
  readonly isHeatOn: boolean;
  readonly areChartsOpen: boolean;
  /** Replaces credentials in all log texts by blocks. */
  readonly masksCredentials: boolean;
  readonly playSpeed: PlaySpeed;
  /** Panel widths of the replay in per cent, as react-resizable-panels reports them; empty until dragged. */
  readonly replayLayout: Readonly<Record<string, number>>;
  /** `rolloutId:segment` of segments whose fold differs from its default. */
  readonly flippedFolds: ReadonlySet<string>;
  readonly dialog: Dialog | undefined;
  /** A short sentence about the last action. It disappears by itself. */
  readonly notice: string | undefined;
  /** Followed runs whose pages are paused. */
  readonly pausedRuns: Readonly<Record<string, true>>;
  /** Up to two rollouts of a group, selected for comparison; by `groupId`. */
  readonly comparedOf: Readonly<Record<number, readonly number[]>>;
  /** Paths of up to four rollouts from any list, to be compared turn by turn. */
  readonly compareSet: readonly string[];
  readonly isCompareSideOpen: boolean;
  /** The last tab of that panel. */
  readonly compareSideTab: string;
  /** Shows all facts of a comparison's lanes, not only the main ones. */
  readonly areLaneFactsOpen: boolean;
  /** Stretches of a comparison whose fold differs from its default. The view defines the keys. */
  readonly flippedStretches: ReadonlySet<string>;
  /** The library that ids in this state refer to. The `compareSet` of other libraries is in `compareSets`. */
  readonly library: string;
  readonly compareSets: Readonly<Record<string, readonly string[]>>;
  /** Current page of the tour, from 0. `new` until the tour was taken or declined. */
  readonly tour: 'new' | 'over' | number;
  /** Dismissed cards of the library page: jobs by id, unread files by path. */
  readonly closedCards: ReadonlySet<number | string>;

  readonly setTheme: (theme: Theme) => void;
  readonly setTour: (tour: 'over' | number) => void;
  readonly setRailNamed: (isRailNamed: boolean) => void;
  readonly flip: (
    option:
      | 'isFocused'
      | 'isOutlineOpen'
      | 'isInspectorOpen'
      | 'isRaw'
      | 'isHeatOn'
      | 'areChartsOpen'
      | 'masksCredentials'
      | 'isCompareSideOpen'
      | 'areLaneFactsOpen',
  ) => void;
  readonly setPlaySpeed: (speed: PlaySpeed) => void;
  readonly setReplayLayout: (layout: Readonly<Record<string, number>>) => void;
  readonly flipFold: (rolloutId: number, segment: number) => void;
  readonly showDialog: (dialog: Dialog | undefined) => void;
  readonly setNotice: (notice: string | undefined) => void;
  readonly flipPause: (runKey: string) => void;
  /** A third one replaces the first. */
  readonly flipCompared: (groupId: number, rolloutId: number) => void;
  readonly clearCompared: (groupId: number) => void;
  readonly setCompareSideTab: (compareSideTab: string) => void;
  readonly setCompareSet: (paths: readonly string[]) => void;
  readonly flipStretch: (key: string) => void;
  readonly closeCard: (keys: readonly (number | string)[]) => void;
  /** Resets state that refers to rollouts and jobs by id, since ids differ between libraries. */
  readonly enterLibrary: (library: string) => void;
}

/** The subject of the dialog of this kind. Undefined if it is not open. */
export function useDialog<K extends Dialog['kind']>(kind: K): Extract<Dialog, { kind: K }> | undefined {
  return useInterface(({ dialog }) =>
    dialog?.kind === kind ? (dialog as Extract<Dialog, { kind: K }>) : undefined,
  );
}

export const foldKey = (rolloutId: number, segment: number): string => `${rolloutId}:${segment}`;

export const useInterface = create<Interface>()(
  persist(
    (set) => ({
      theme: 'system',
      isFocused: false,
      isRailNamed: undefined,
      isOutlineOpen: true,
      isInspectorOpen: true,
      isRaw: false,
      isHeatOn: true,
      areChartsOpen: true,
      masksCredentials: false,
      playSpeed: 1,
      replayLayout: {},
      flippedFolds: new Set<string>(),
      dialog: undefined,
      notice: undefined,
      pausedRuns: {},
      comparedOf: {},
      compareSet: [],
      isCompareSideOpen: false,
      compareSideTab: 'watch',
      areLaneFactsOpen: false,
      flippedStretches: new Set<string>(),
      tour: 'new',
      closedCards: new Set<number | string>(),
      library: 'home',
      compareSets: {},

      setTheme: (theme) => set({ theme }),
      setTour: (tour) => set({ tour }),
      setRailNamed: (isRailNamed) => set({ isRailNamed }),
      flip: (option) => set((state) => ({ [option]: !state[option] })),
      setPlaySpeed: (playSpeed) => set({ playSpeed }),
      setReplayLayout: (replayLayout) => set({ replayLayout }),
      flipFold: (rolloutId, segment) =>
        set((state) => {
          const flippedFolds = new Set(state.flippedFolds);
          const key = foldKey(rolloutId, segment);
          if (!flippedFolds.delete(key)) flippedFolds.add(key);
          return { flippedFolds };
        }),
      showDialog: (dialog) => set({ dialog }),
      setNotice: (notice) => set({ notice }),
      flipPause: (runKey) =>
        set(({ pausedRuns }) => {
          const { [runKey]: wasPaused, ...others } = pausedRuns;
          return { pausedRuns: wasPaused ? others : { ...others, [runKey]: true } };
        }),
      flipCompared: (groupId, rolloutId) =>
        set(({ comparedOf }) => {
          const former = comparedOf[groupId] ?? [];
          const next = former.includes(rolloutId)
            ? former.filter((id) => id !== rolloutId)
            : [...former, rolloutId].slice(-2);
          return { comparedOf: { ...comparedOf, [groupId]: next } };
        }),
      clearCompared: (groupId) => set(({ comparedOf }) => ({ comparedOf: { ...comparedOf, [groupId]: [] } })),
      setCompareSideTab: (compareSideTab) => set({ compareSideTab }),
      setCompareSet: (compareSet) => set({ compareSet }),
      flipStretch: (key) =>
        set((state) => {
          const flippedStretches = new Set(state.flippedStretches);
          if (!flippedStretches.delete(key)) flippedStretches.add(key);
          return { flippedStretches };
        }),
      enterLibrary: (library) =>
        set((state) => {
          if (state.library === library) return {};
          const compareSets = { ...state.compareSets, [state.library]: state.compareSet };
          return {
            library,
            compareSets,
            compareSet: compareSets[library] ?? [],
            comparedOf: {},
            flippedFolds: new Set<string>(),
            flippedStretches: new Set<string>(),
            closedCards: new Set<number | string>(),
            dialog: undefined,
          };
        }),
      closeCard: (keys) => set(({ closedCards }) => ({ closedCards: new Set([...closedCards, ...keys]) })),
    }),
    // Folds, focus and dialogs are for one session. Preferences and the compare sets are saved.
    remembered<Interface>('turnwise.interface', {
      theme: z.enum(THEMES),
      tour: z.union([z.enum(['new', 'over']), z.int().nonnegative()]),
      isRailNamed: z.boolean().optional(),
      isOutlineOpen: z.boolean(),
      isInspectorOpen: z.boolean(),
      isHeatOn: z.boolean(),
      areChartsOpen: z.boolean(),
      masksCredentials: z.boolean(),
      isCompareSideOpen: z.boolean(),
      compareSideTab: z.string(),
      areLaneFactsOpen: z.boolean(),
      compareSet: z.array(z.string()),
      compareSets: z.record(z.string(), z.array(z.string())),
      library: z.string(),
      playSpeed: z.literal(PLAY_SPEEDS),
      replayLayout: z.record(z.string(), z.number()),
    }),
  ),
);
