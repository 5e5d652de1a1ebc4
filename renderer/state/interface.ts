/**
 * Interface state and nothing else: how the window is arranged, never what it shows
 * (that is the URL) nor what the host said (that is the query cache).
 */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const PLAY_SPEEDS = [0.5, 1, 2, 4] as const;
type PlaySpeed = (typeof PLAY_SPEEDS)[number];

export type Dialog =
  | 'palette'
  | 'keys'
  | 'removeRun'
  | 'moveRun'
  | 'exportRun'
  | 'openLibrary'
  | 'librarySizes'
  | 'exportPack'
  | 'importPack'
  | 'copyText';

/** Which rollouts a failure pack is to be made of. */
export interface PackScope {
  readonly runKey?: string | undefined;
  readonly filter: string;
  /** Picked by hand. */
  readonly rolloutIds?: readonly number[];
}

interface Interface {
  readonly theme: Theme;
  /** Replay without rail, outline and inspector. */
  readonly isFocused: boolean;
  readonly isOutlineOpen: boolean;
  readonly isInspectorOpen: boolean;
  /** Exact text with its tags instead of rendered Markdown. */
  readonly isRaw: boolean;
  readonly isHeatOn: boolean;
  readonly areChartsOpen: boolean;
  readonly playSpeed: PlaySpeed;
  /** Panel widths of the replay in per cent, as react-resizable-panels reports them; empty until dragged. */
  readonly replayLayout: Readonly<Record<string, number>>;
  /** `rolloutId:segment` of segments whose fold differs from its default. */
  readonly flippedFolds: ReadonlySet<string>;
  readonly dialog: Dialog | undefined;
  /** One short sentence about what was just done; it goes by itself. */
  readonly notice: string | undefined;
  /** Runs whose lists go along with what is read; all others are held still. */
  readonly pinnedRuns: Readonly<Record<string, true>>;
  /** The run the removal dialog asks about. */
  readonly runToRemove: string | undefined;
  /** The run that is to get a library of its own. */
  readonly runToMove: string | undefined;
  /** The run that is to be written out. */
  readonly runToExport: string | undefined;
  /** What the pack is made of whose dialog is open. */
  readonly packScope: PackScope | undefined;
  /** The rollout whose text is copied for a language model. */
  readonly textOf: number | undefined;
  /** The library whose sizes are shown. */
  readonly sizesOf: string | undefined;
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
  /** Job cards put away. */
  readonly closedJobs: ReadonlySet<number>;

  readonly setTheme: (theme: Theme) => void;
  readonly flip: (
    option:
      | 'isFocused'
      | 'isOutlineOpen'
      | 'isInspectorOpen'
      | 'isRaw'
      | 'isHeatOn'
      | 'areChartsOpen'
      | 'isCompareSideOpen'
      | 'areLaneFactsOpen',
  ) => void;
  readonly setPlaySpeed: (speed: PlaySpeed) => void;
  readonly setReplayLayout: (layout: Readonly<Record<string, number>>) => void;
  readonly flipFold: (rolloutId: number, segment: number) => void;
  readonly showDialog: (dialog: Dialog | undefined) => void;
  readonly setNotice: (notice: string | undefined) => void;
  readonly flipPin: (runKey: string) => void;
  readonly askRemoval: (runKey: string) => void;
  readonly askMove: (runKey: string) => void;
  readonly askExport: (runKey: string) => void;
  readonly askPack: (scope: PackScope) => void;
  readonly askText: (rolloutId: number) => void;
  readonly showSizes: (library: string) => void;
  /** A third one takes the place of the first. */
  readonly flipCompared: (groupId: number, rolloutId: number) => void;
  readonly clearCompared: (groupId: number) => void;
  readonly setCompareSet: (paths: readonly string[]) => void;
  readonly flipStretch: (key: string) => void;
  readonly closeJob: (jobId: number) => void;
  /** What names rollouts and jobs by number means others in another library. */
  readonly enterLibrary: (library: string) => void;
}

export const foldKey = (rolloutId: number, segment: number): string => `${rolloutId}:${segment}`;

export const useInterface = create<Interface>()(
  persist(
    (set) => ({
      theme: 'system',
      isFocused: false,
      isOutlineOpen: true,
      isInspectorOpen: true,
      isRaw: false,
      isHeatOn: true,
      areChartsOpen: true,
      playSpeed: 1,
      replayLayout: {},
      flippedFolds: new Set<string>(),
      dialog: undefined,
      notice: undefined,
      pinnedRuns: {},
      runToRemove: undefined,
      runToMove: undefined,
      runToExport: undefined,
      sizesOf: undefined,
      packScope: undefined,
      textOf: undefined,
      comparedOf: {},
      compareSet: [],
      isCompareSideOpen: false,
      areLaneFactsOpen: false,
      flippedStretches: new Set<string>(),
      closedJobs: new Set<number>(),
      library: 'home',
      compareSets: {},

      setTheme: (theme) => set({ theme }),
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
      flipPin: (runKey) =>
        set(({ pinnedRuns }) => {
          const { [runKey]: wasPinned, ...others } = pinnedRuns;
          return { pinnedRuns: wasPinned ? others : { ...others, [runKey]: true } };
        }),
      askRemoval: (runToRemove) => set({ runToRemove, dialog: 'removeRun' }),
      askMove: (runToMove) => set({ runToMove, dialog: 'moveRun' }),
      askExport: (runToExport) => set({ runToExport, dialog: 'exportRun' }),
      askPack: (packScope) => set({ packScope, dialog: 'exportPack' }),
      askText: (textOf) => set({ textOf, dialog: 'copyText' }),
      showSizes: (sizesOf) => set({ sizesOf, dialog: 'librarySizes' }),
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
            closedJobs: new Set<number>(),
            runToRemove: undefined,
            runToMove: undefined,
            runToExport: undefined,
            packScope: undefined,
            textOf: undefined,
            dialog: undefined,
          };
        }),
      closeJob: (jobId) => set(({ closedJobs }) => ({ closedJobs: new Set(closedJobs).add(jobId) })),
    }),
    {
      name: 'turnwise.interface',
      version: 1,
      // Folds, focus and dialogs belong to a sitting; the rest is a preference, or what one has gathered to compare.
      partialize: ({
        theme,
        isOutlineOpen,
        isInspectorOpen,
        isHeatOn,
        areChartsOpen,
        isCompareSideOpen,
        areLaneFactsOpen,
        compareSet,
        compareSets,
        library,
        playSpeed,
        replayLayout,
      }) => ({
        theme,
        isOutlineOpen,
        isInspectorOpen,
        isHeatOn,
        areChartsOpen,
        isCompareSideOpen,
        areLaneFactsOpen,
        compareSet,
        compareSets,
        library,
        playSpeed,
        replayLayout,
      }),
    },
  ),
);
