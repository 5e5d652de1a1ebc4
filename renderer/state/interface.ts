/**
 * Interface state and nothing else: how the window is arranged, never what it shows
 * (that is the URL) nor what the host said (that is the query cache).
 */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const PLAY_SPEEDS = [0.5, 1, 2, 4] as const;
type PlaySpeed = (typeof PLAY_SPEEDS)[number];

/** Which rollouts a failure pack is to be made of. */
export interface PackScope {
  readonly runKey?: string | undefined;
  readonly filter: string;
  /** Picked by hand. */
  readonly rolloutIds?: readonly number[];
}

/** The one dialog that is open, with what it is about. */
export type Dialog =
  | DialogOf<'palette' | 'keys' | 'openLibrary' | 'importPack'>
  | DialogOf<'removeRun' | 'moveRun' | 'exportRun', { readonly runKey: string }>
  | DialogOf<'openLogs', { readonly files?: readonly File[] }>
  | DialogOf<'librarySizes', { readonly library: string }>
  | DialogOf<'exportPack', { readonly scope: PackScope }>
  | DialogOf<'copyText', { readonly rolloutId: number }>;
type DialogOf<K extends string, About = object> = K extends string ? { readonly kind: K } & About : never;

interface Interface {
  readonly theme: Theme;
  /** Replay without rail, outline and inspector. */
  readonly isFocused: boolean;
  /** Names beside the icons of the rail; undefined: where the window is wide enough. */
  readonly isRailNamed: boolean | undefined;
  readonly isOutlineOpen: boolean;
  readonly isInspectorOpen: boolean;
  /** Exact text with its tags instead of rendered Markdown. */
  readonly isRaw: boolean;
  readonly isHeatOn: boolean;
  readonly areChartsOpen: boolean;
  /** Blocks in place of credentials in all texts of logs. */
  readonly masksCredentials: boolean;
  readonly playSpeed: PlaySpeed;
  /** Panel widths of the replay in per cent, as react-resizable-panels reports them; empty until dragged. */
  readonly replayLayout: Readonly<Record<string, number>>;
  /** `rolloutId:segment` of segments whose fold differs from its default. */
  readonly flippedFolds: ReadonlySet<string>;
  readonly dialog: Dialog | undefined;
  /** One short sentence about what was just done; it goes by itself. */
  readonly notice: string | undefined;
  /** Followed runs whose lists are held still. */
  readonly pausedRuns: Readonly<Record<string, true>>;
  /** Up to two rollouts of a group, chosen to be seen side by side; by `groupId`. */
  readonly comparedOf: Readonly<Record<number, readonly number[]>>;
  /** Paths of up to four rollouts from any list, to be compared turn by turn. */
  readonly compareSet: readonly string[];
  readonly isCompareSideOpen: boolean;
  /** All facts of the lanes of a comparison, not only those one compares by. */
  readonly areLaneFactsOpen: boolean;
  /** Stretches of a comparison that are opened or closed against their default; keys are the view's. */
  readonly flippedStretches: ReadonlySet<string>;
  /** Whose rollouts and jobs the entries below and above name; `compareSet` of the others is put aside. */
  readonly library: string;
  readonly compareSets: Readonly<Record<string, readonly string[]>>;
  /** Page of the tour that is shown, from 0; `new` until one was taken or declined. */
  readonly tour: 'new' | 'over' | number;
  /** Cards of the library page that are put away: of jobs by id, of unread files by path. */
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
  /** A third one takes the place of the first. */
  readonly flipCompared: (groupId: number, rolloutId: number) => void;
  readonly clearCompared: (groupId: number) => void;
  readonly setCompareSet: (paths: readonly string[]) => void;
  readonly flipStretch: (key: string) => void;
  readonly closeCard: (keys: readonly (number | string)[]) => void;
  /** What names rollouts and jobs by number means others in another library. */
  readonly enterLibrary: (library: string) => void;
}

/** What the dialog of this kind is about; undefined while it is not open. */
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
    // Folds, focus and dialogs belong to a sitting; the rest is a preference, or what one has gathered to compare.
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
      areLaneFactsOpen: z.boolean(),
      compareSet: z.array(z.string()),
      compareSets: z.record(z.string(), z.array(z.string())),
      library: z.string(),
      playSpeed: z.literal(PLAY_SPEEDS),
      replayLayout: z.record(z.string(), z.number()),
    }),
  ),
);
