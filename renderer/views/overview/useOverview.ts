/** Everything the charts of a run show, from the URL and the host. */
import { useQueries } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { RunDetail, StepFacts } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { isCopyOfWarehouse } from '../../../shared/domain/warehouseCopies.ts';
import { axisOf, hasTimes, isWithin, type PanelLine, valueAt } from '../../charts/panelModel.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { hrefInLibrary } from '../../data/libraryLink.ts';
import { useLibraries, useRunsOf } from '../../data/otherLibraries.ts';
import { pathOfRoute } from '../../data/route.ts';
import { distinctNames, type NamedRun } from '../../data/runNames.ts';
import { type SeriesRun, type StepSeriesState, useStepSeries } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useRunsElsewhere, useSteps } from '../../data/warehouse.ts';
import { missingOf, useUnreadOf } from '../../widgets/PartlyRead.tsx';
import { type ClassRewards, comparedSteps, type MixEffect, mixEffect } from './mixModel.ts';
import type { ChartSpec } from './overviewCharts.ts';
import {
  lastMatching,
  type OverviewPanels,
  overviewPanels,
  type RunFacts,
  rolloutsIn,
} from './overviewLines.ts';
import { type OverviewLink, overviewLinkOf, type RunRef } from './overviewLink.ts';
import { classesOf, DECIDED_BY, SPLIT_LABELS, type SplitClass } from './splits.ts';
import { responseLimits, type StageSpan, stageSpans } from './stageModel.ts';

export interface Overview extends OverviewPanels {
  /** All runs on the charts, this one first. */
  readonly runs: readonly RunFacts[];
  /** Present if the run is split. */
  readonly split: Split | undefined;
  /** Runs in the URL that are not available, and why. */
  readonly missing: readonly string[];
  readonly axis: readonly number[];
  /** The last step, under a filter the last one with matching rollouts, if there is one. */
  readonly last: number | undefined;
  /** Start of each step, in seconds since the first one shown. Absent: one is unknown, or several runs are shown. */
  readonly seconds: ReadonlyMap<number, number> | undefined;
  readonly stages: readonly StageSpan[];
  readonly all: StepSeriesState;
  readonly matching: StepSeriesState;
  readonly isFiltered: boolean;
  /** Within the range, if there is one. */
  readonly rollouts: number | undefined;
  readonly matches: number | undefined;
  /** Describes the data (run, filter, range) in exported files. */
  readonly source: string;
}

const NONE: readonly SeriesRun[] = [];

export interface Split {
  /** In the order of their colours. */
  readonly classes: readonly RunFacts[];
  /** Rollouts by step, over all classes. */
  readonly sizes: ReadonlyMap<number, number>;
  /** Absent: some rollout is in several classes or in none. */
  readonly mix?: MixEffect;
}

interface SplitLines extends Omit<Split, 'mix'> {
  /** Facts of all classes together, at the steps of the range. Empty: a rollout may be in several classes. */
  readonly inRange: readonly StepFacts[];
}

/** The former list while its items are the same: the list of responses is new on every render. */
function useSameList<Item>(list: readonly Item[]): readonly Item[] {
  const former = useRef(list);
  const isSame =
    list.length === former.current.length && list.every((item, i) => Object.is(item, former.current[i]));
  if (!isSame) former.current = list;
  return former.current;
}

/** The change between the first and the last step of the range. Its intervals follow when the rewards by problem are known. */
function useMix(runId: number, filter: string, lines: SplitLines | undefined): MixEffect | undefined {
  const shown = lines?.classes ?? [];
  const steps = comparedSteps(lines?.inRange ?? []);
  const questions = (steps ?? []).flatMap(({ step }) =>
    shown.map(({ condition }) => ({ runId, step, filter: bothFilters(filter, condition ?? '') })),
  );
  const client = useClient();
  const answers = useQueries({
    queries: questions.map((question) => ({
      queryKey: ['step.problemRewards', question] as const,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.request('step.problemRewards', question, { signal }),
    })),
  });
  const rewards = useSameList(answers.map(({ data }) => data));
  return useMemo(() => {
    if (lines === undefined) return undefined;
    const shown = lines.classes;
    const pairs = shown.flatMap((_, i): ClassRewards[] => {
      const [before, after] = [rewards[i], rewards[shown.length + i]];
      return before === undefined || after === undefined ? [] : [[before, after]];
    });
    return mixEffect(
      shown.flatMap(({ all: facts }) => (facts === undefined ? [] : [facts])),
      lines.inRange,
      pairs.length === shown.length ? pairs : undefined,
    );
  }, [lines, rewards]);
}

interface FoundRun extends NamedRun, Pick<SeriesRun, 'runId' | 'elsewhere'> {}
interface ShownRun extends FoundRun {
  readonly ref: RunRef;
}

/** @param steps the steps of this run that are shown; a frozen list freezes its charts as well */
export function useOverview(run: RunDetail, steps: readonly number[], specs: readonly ChartSpec[]): Overview {
  const { elsewhere } = useSteps(run.runKey, run.runId);
  const [query] = useUrlQuery();
  const link = useMemo(() => overviewLinkOf(query), [query]);
  const { applied: filter } = useFilterLink();
  const known = useRunLists(link.runs);
  const metrics = useRequest('metric.list', { runId: run.runId }).data?.metrics;
  const others = useMemo(
    () =>
      link.runs.flatMap((ref): readonly ShownRun[] => {
        const found = known.find(ref);
        return found === undefined ? [] : [{ ...found, ref }];
      }),
    [link.runs, known],
  );
  const shown = useMemo<readonly ShownRun[]>(
    () => [
      { ...run, ref: { runKey: run.runKey }, elsewhere: { run: run.runKey, steps: elsewhere } },
      ...others,
    ],
    [run, others, elsewhere],
  );
  const isFiltered = filter !== '';
  const askedWith = (condition: string): readonly SeriesRun[] =>
    shown.map(({ runId, ref, elsewhere }) => ({
      ...{ runId, library: ref.library, filter: condition, elsewhere },
    }));
  const all = useStepSeries(askedWith(''));
  const matching = useStepSeries(isFiltered ? askedWith(filter) : NONE);
  const classes = useClasses(link);
  const ofClasses = useStepSeries(
    classes.map(({ condition }) => ({
      ...{ runId: run.runId, filter: bothFilters(filter, condition) },
      elsewhere: { run: run.runKey, steps: elsewhere },
    })),
  );

  const held = useMemo(() => new Set(steps), [steps]);
  const [allFacts, matchingFacts] = [useSameList(all.data), useSameList(matching.data)];
  const runs = useMemo(() => {
    const names = distinctNames(shown);
    return shown.map(({ ref }, i): RunFacts => {
      const name = names[i] ?? ref.runKey;
      const kept = (answer: StepSeriesState['data'][number]) =>
        i === 0 ? answer?.filter(({ step }) => held.has(step)) : answer;
      return { ref, name, all: kept(allFacts[i]), matching: kept(matchingFacts[i]) };
    });
  }, [shown, held, allFacts, matchingFacts]);
  const answers = useSameList(ofClasses.data);
  const lines = useMemo((): SplitLines | undefined => {
    const [whole] = runs;
    if (classes.length === 0 || whole === undefined) return undefined;
    const lines = classes.flatMap(({ name, condition }, i): readonly RunFacts[] => {
      const facts = answers[i]?.filter(({ step }) => held.has(step));
      const isEmpty = facts?.every(({ rollouts }) => rollouts === 0) === true;
      return isEmpty ? [] : [{ ref: whole.ref, name, condition, all: facts, matching: undefined }];
    });
    const steps = (isFiltered ? whole.matching : whole.all) ?? [];
    return {
      classes: lines,
      sizes: new Map(steps.map(({ step, rollouts }) => [step, rollouts])),
      // A rollout may have several labels.
      inRange: link.split === 'label' ? [] : steps.filter(({ step }) => isWithin(step, link.range)),
    };
  }, [runs, classes, held, isFiltered, link.range, link.split, answers]);
  const mix = useMix(run.runId, filter, lines);
  const split = useMemo(
    () => (lines === undefined ? undefined : { ...lines, ...(mix === undefined ? {} : { mix }) }),
    [lines, mix],
  );
  const { window, metrics: chosen, range, isZoomed } = link;
  const made = useMemo(
    () =>
      overviewPanels({
        runs: split?.classes ?? runs,
        isFiltered: isFiltered && split === undefined,
        ...(split === undefined || link.split === undefined
          ? {}
          : { split: { sizes: split.sizes, decides: DECIDED_BY[link.split] } }),
        logged: metrics ?? [],
        chosen,
        window,
        zoom: isZoomed ? range : undefined,
        specs,
        openStep: ({ runKey, library }, step, condition, to) => {
          const q = bothFilters(filter, condition);
          const search = new URLSearchParams({
            ...(to === undefined ? { tab: 'rollouts' } : {}),
            ...(q === '' ? {} : { q }),
          });
          const place = pathOfRoute({ view: to ?? 'step', runKey, step });
          const path = search.size === 0 ? place : `${place}?${search}`;
          navigateTo(library === undefined ? path : hrefInLibrary(library, path));
        },
      }),
    [runs, split, link.split, isFiltered, metrics, chosen, window, isZoomed, range, filter, specs],
  );
  const axis = useMemo(() => axisOf(made.panels.flatMap(({ lines }) => lines)), [made]);
  const stages = useMemo(() => stageSpans(run, steps), [run, steps]);
  const seconds = useMemo(
    () => (runs.length > 1 ? undefined : timesOf(runs[0]?.all ?? [], axis)),
    [runs, axis],
  );
  const panels = useMemo(
    () =>
      made.panels.map((panel) =>
        panel.limit === undefined || others.length > 0 || split !== undefined
          ? panel
          : { ...panel, lines: [...panel.lines, ...limitLines(run, axis)] },
      ),
    [made, run, axis, others, split],
  );
  const [first] = runs;
  const unread = useUnreadOf()(run);
  return {
    ...made,
    panels,
    runs,
    split,
    missing: known.missing,
    axis,
    last: lastMatching(runs, axis) ?? axis.at(-1),
    seconds,
    stages: stages.filter(({ from }) => !isZoomed || isWithin(from, range)),
    all,
    matching: split === undefined ? matching : ofClasses,
    isFiltered,
    rollouts: rolloutsIn(first?.all, range),
    matches: rolloutsIn(first?.matching, range),
    source: [
      runs.map(({ name }) => name).join(', '),
      ...(unread.length === 0 ? [] : [`partly read: ${missingOf(unread)} missing`]),
      ...(isFiltered ? [`filter ${filter}`] : []),
      ...(split === undefined || link.split === undefined
        ? []
        : [`split by ${SPLIT_LABELS[link.split].toLowerCase()}`]),
      ...(window > 1 ? [`mean over ${window} steps`] : []),
      ...(isZoomed && range !== undefined ? [`steps ${range.from} to ${range.to}`] : []),
    ].join(' · '),
  };
}

function timesOf(facts: readonly StepFacts[], axis: readonly number[]): Overview['seconds'] {
  const starts = new Map(facts.map(({ step, schedule }) => [step, schedule?.startedAt]));
  const first = starts.get(axis[0] ?? Number.NaN);
  if (first === undefined) return undefined;
  const seconds = new Map(axis.map((step) => [step, (starts.get(step) ?? Number.NaN) - first]));
  return hasTimes(axis, seconds) ? seconds : undefined;
}

const NO_CLASSES: readonly SplitClass[] = [];

function useClasses({ split, splitFilter, runs }: OverviewLink): readonly SplitClass[] {
  const isByLabel = split === 'label';
  const taxonomy = useRequest('taxonomy.get', isByLabel ? {} : undefined).data;
  return useMemo(() => {
    if (split === undefined || runs.length > 0) return NO_CLASSES;
    return classesOf(split, { labels: taxonomy?.taxonomy.labels ?? [], filter: splitFilter });
  }, [split, splitFilter, runs, taxonomy]);
}

/** The logged response limit, drawn beside the lengths. */
function limitLines(run: RunDetail, axis: readonly number[]): readonly PanelLine[] {
  const line: PanelLine = {
    key: 'limit',
    name: 'limit',
    color: 'var(--ink3)',
    stroke: 'sparse',
    role: 'logged',
    isLimit: true,
    describe: 'response limit in tokens, as logged for the run or its stage',
    steps: axis,
    values: responseLimits(run, axis),
  };
  return axis.some((step) => valueAt(line, step) !== undefined) ? [line] : [];
}

interface RunLists {
  find(ref: RunRef): FoundRun | undefined;
  /** Runs of which all or some steps are not available, and why. */
  readonly missing: readonly string[];
}

/** Looks up the compared runs in this library, in the warehouse and in other open libraries. */
function useRunLists(refs: readonly RunRef[]): RunLists {
  const own = useRequest('run.list', refs.length === 0 ? undefined : {}).data;
  const libraries = useLibraries();
  const others = useMemo(() => [...new Set(refs.flatMap(({ library }) => library ?? []))].sort(), [refs]);
  const open = useMemo(
    () => others.filter((id) => libraries?.some((one) => one.id === id && one.isOpen) === true),
    [others, libraries],
  );
  const lists = useSameList(useRunsOf(open).map(({ runs }) => runs));
  const warehouse = useRunsElsewhere();
  return useMemo(() => {
    const listOf = ({ library }: RunRef) => (library === undefined ? own : lists[open.indexOf(library)]);
    const nameOf = ({ library }: RunRef) =>
      library === undefined ? undefined : (libraries?.find(({ id }) => id === library)?.name ?? library);
    const thereOf = ({ runKey, library }: RunRef) =>
      library === undefined
        ? warehouse.runs.find(({ run, isOwn }) => run === runKey && isOwn !== true)
        : undefined;
    const find = (ref: RunRef): FoundRun | undefined => {
      const { runKey } = ref;
      const here = listOf(ref)?.find((run) => run.runKey === runKey);
      const there = thereOf(ref);
      const elsewhere = there && { run: runKey };
      if (here !== undefined) return { ...here, libraryName: nameOf(ref), elsewhere };
      // Until the library has answered, the run may be in it, too.
      if (there === undefined || own === undefined) return undefined;
      return { runKey, name: runKey, kind: there.split, directory: '', elsewhere };
    };
    const missing = refs.flatMap((ref) => {
      const { runKey, library } = ref;
      const found = find(ref);
      const list = listOf(ref);
      const isOnlyCopy = found?.elsewhere === undefined && isCopyOfWarehouse(found?.directory ?? '');
      if (isOnlyCopy && !warehouse.isAsking)
        return [
          `${runKey}: only what was copied from a warehouse${warehouse.error === null ? '' : `, which could not be asked (${warehouse.error.message})`}`,
        ];
      if (found !== undefined) return [];
      if (library === undefined)
        return list === undefined || warehouse.isAsking ? [] : [`${runKey} is not in this library`];
      if (libraries !== undefined && !open.includes(library))
        return [`${runKey} is in the library ${library}, which is not open`];
      return list === undefined ? [] : [`${runKey} is not in the library ${library}`];
    });
    return { find, missing };
  }, [refs, own, libraries, open, lists, warehouse.runs, warehouse.isAsking, warehouse.error]);
}
