/**
 * The view of a route. All views but the library's are in chunks of their own, so that the library does not wait for
 * them.
 */

import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pathOfRoute, type Route } from '../data/route.ts';
import { KeyOf } from '../shell/keys/Keys.tsx';
import { loadFonts } from '../theme/loadFonts.ts';
import { EmptyState } from '../ui/States.tsx';
import LibraryView from '../views/library/LibraryView.tsx';
import { loadedView } from './loadedView.tsx';

const RunView = loadedView(() => import('../views/run/RunView.tsx'));
const StepView = loadedView(() => import('../views/step/StepView.tsx'));
const GroupView = loadedView(() => import('../views/group/GroupView.tsx'));
const ReplayView = loadedView(() => import('../views/replay/ReplayView.tsx'));
const RocView = loadedView(() => import('../views/roc/RocView.tsx'));
const TokensView = loadedView(() => import('../views/tokens/TokensView.tsx'));
const ProblemsView = loadedView(() => import('../views/problems/ProblemsView.tsx'));
const ProblemView = loadedView(() => import('../views/problems/ProblemView.tsx'));
const ScheduleView = loadedView(() => import('../views/schedule/ScheduleView.tsx'));
const IssuesView = loadedView(() => import('../views/issues/IssuesView.tsx'));
const SettingsView = loadedView(() => import('../views/settings/SettingsView.tsx'));
const MappingView = loadedView(() => import('../views/mapping/MappingView.tsx'));
const FormatsView = loadedView(() => import('../views/formats/FormatsView.tsx'));
const GlossaryView = loadedView(() => import('../views/glossary/GlossaryView.tsx'));
const CompareView = loadedView(() => import('../views/compare/CompareView.tsx'));
const TreeView = loadedView(() => import('../views/tree/TreeView.tsx'));
const SearchView = loadedView(() => import('../views/search/SearchView.tsx'));
const SqlView = loadedView(() => import('../views/sql/SqlView.tsx'));
const AlikeView = loadedView(() => import('../views/alike/AlikeView.tsx'));
const WarehouseView = loadedView(() => import('../views/warehouse/WarehouseView.tsx'));
const LabelsView = loadedView(() => import('../views/labels/LabelsView.tsx'));

/** In the order in which they are likely to be opened. */
const VIEWS = [
  RunView,
  StepView,
  GroupView,
  ReplayView,
  RocView,
  TokensView,
  ProblemsView,
  ProblemView,
  ScheduleView,
  IssuesView,
  SettingsView,
  MappingView,
  FormatsView,
  GlossaryView,
  CompareView,
  TreeView,
  SearchView,
  SqlView,
  AlikeView,
  LabelsView,
  WarehouseView,
];

export function RouteView({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'library':
      return <LibraryView />;
    case 'run':
      return <RunView key={route.runKey} runKey={route.runKey} />;
    case 'step':
      return <StepView key={`${route.runKey} ${route.step}`} runKey={route.runKey} step={route.step} />;
    case 'group':
      return <GroupView key={`${route.runKey} ${route.step} ${route.groupKey}`} route={route} />;
    case 'rollout':
      return <ReplayView route={route} />;
    case 'roc':
      return <RocView key={route.runKey} runKey={route.runKey} />;
    case 'stepRoc':
      return <RocView key={`${route.runKey} ${route.step}`} runKey={route.runKey} step={route.step} />;
    case 'tokens':
    case 'stepTokens':
    case 'groupTokens':
    case 'rolloutTokens':
      return <TokensView key={pathOfRoute(route)} address={route} />;
    case 'problems':
      return <ProblemsView key={route.runKey} runKey={route.runKey} />;
    case 'problem':
      return <ProblemView key={pathOfRoute(route)} route={route} />;
    case 'schedule':
      return <ScheduleView key={pathOfRoute(route)} runKey={route.runKey} step={route.step} />;
    case 'issues':
      return <IssuesView />;
    case 'settings':
      return <SettingsView />;
    case 'mapping':
      return <MappingView />;
    case 'formats':
      return <FormatsView />;
    case 'glossary':
      return <GlossaryView />;
    case 'compare':
      return <CompareView />;
    case 'groupTree':
      return <TreeView key={pathOfRoute(route)} route={route} />;
    case 'alike':
      return <AlikeView key={pathOfRoute(route)} route={route} />;
    case 'search':
      return <SearchView />;
    case 'sql':
      return <SqlView />;
    case 'warehouse':
      return <WarehouseView />;
    case 'labels':
      return <LabelsView />;
    case 'nowhere':
      return (
        <EmptyState title="No page at this address" isPage>
          <p className="state-facts">{route.path}</p>
          <p>
            Links open a run, a step, a group or a rollout. <KeyOf command="place.up" /> opens the library.
          </p>
        </EmptyState>
      );
  }
}

/** Modules that the first list does not need. They are loaded before the first click. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  ...VIEWS.map(({ load }) => load),
  () => import('../theme/formulas.ts'),
  () => loadFonts(),
];
/** Module state, so that opening another library does not reset it. */
let isBegun = false;

/** Loads one module at a time once the first list is painted, so that requests in between are not delayed. */
export function usePrefetchViews(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (isBegun) return;
    const queries = queryClient.getQueryCache();
    const unsubscribe = queries.subscribe(() => {
      if (isBegun || !hasAnswers(queryClient)) return;
      isBegun = true;
      void warm(queryClient);
    });
    return unsubscribe;
  }, [queryClient]);
}

/** Whether at least one request has finished and none is running. */
function hasAnswers(queryClient: QueryClient): boolean {
  const queries = queryClient.getQueryCache().getAll();
  return queries.some(({ state }) => state.status === 'success') && queryClient.isFetching() === 0;
}

async function warm(queryClient: QueryClient): Promise<void> {
  for (const load of PARTS) {
    do await new Promise((resolve) => requestIdleCallback(resolve));
    while (queryClient.isFetching() > 0);
    // Ignore failures: the view reports them when it is opened.
    await load().catch(() => undefined);
  }
}
