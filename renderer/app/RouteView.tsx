/** The view of a route. All but the library's are chunks of their own, so the library does not wait for them. */

import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect } from 'react';
import { pathOfRoute, type Route } from '../data/route.ts';
import { KeyOf } from '../shell/keys/Keys.tsx';
import { loadFonts } from '../theme/loadFonts.ts';
import { EmptyState } from '../ui/States.tsx';
import LibraryView from '../views/library/LibraryView.tsx';

/** Of every view that is a part of its own. */
const VIEW_LOADERS = {
  run: () => import('../views/run/RunView.tsx'),
  step: () => import('../views/step/StepView.tsx'),
  group: () => import('../views/group/GroupView.tsx'),
  rollout: () => import('../views/replay/ReplayView.tsx'),
  roc: () => import('../views/roc/RocView.tsx'),
  tokens: () => import('../views/tokens/TokensView.tsx'),
  problems: () => import('../views/problems/ProblemsView.tsx'),
  problem: () => import('../views/problems/ProblemView.tsx'),
  schedule: () => import('../views/schedule/ScheduleView.tsx'),
  issues: () => import('../views/issues/IssuesView.tsx'),
  settings: () => import('../views/settings/SettingsView.tsx'),
  mapping: () => import('../views/mapping/MappingView.tsx'),
  formats: () => import('../views/formats/FormatsView.tsx'),
  glossary: () => import('../views/glossary/GlossaryView.tsx'),
  compare: () => import('../views/compare/CompareView.tsx'),
  groupTree: () => import('../views/tree/TreeView.tsx'),
  search: () => import('../views/search/SearchView.tsx'),
  sql: () => import('../views/sql/SqlView.tsx'),
  alike: () => import('../views/alike/AlikeView.tsx'),
  labels: () => import('../views/labels/LabelsView.tsx'),
} as const;

const RunView = lazy(VIEW_LOADERS.run);
const StepView = lazy(VIEW_LOADERS.step);
const GroupView = lazy(VIEW_LOADERS.group);
const ReplayView = lazy(VIEW_LOADERS.rollout);
const RocView = lazy(VIEW_LOADERS.roc);
const TokensView = lazy(VIEW_LOADERS.tokens);
const ProblemsView = lazy(VIEW_LOADERS.problems);
const ProblemView = lazy(VIEW_LOADERS.problem);
const ScheduleView = lazy(VIEW_LOADERS.schedule);
const IssuesView = lazy(VIEW_LOADERS.issues);
const SettingsView = lazy(VIEW_LOADERS.settings);
const MappingView = lazy(VIEW_LOADERS.mapping);
const FormatsView = lazy(VIEW_LOADERS.formats);
const GlossaryView = lazy(VIEW_LOADERS.glossary);
const CompareView = lazy(VIEW_LOADERS.compare);
const TreeView = lazy(VIEW_LOADERS.groupTree);
const SearchView = lazy(VIEW_LOADERS.search);
const SqlView = lazy(VIEW_LOADERS.sql);
const AlikeView = lazy(VIEW_LOADERS.alike);
const LabelsView = lazy(VIEW_LOADERS.labels);

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

/** Everything that the first list does not need, so that the first click does not wait for it. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  ...Object.values(VIEW_LOADERS),
  () => import('../theme/formulas.ts'),
  () => loadFonts(),
];
/** Belongs to the page, so opening another library keeps it. */
let isBegun = false;

/** Loads one part at a time once the first list is painted, so that requests in between are not queued. */
export function usePrefetchViews(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (isBegun) return;
    const queries = queryClient.getQueryCache();
    const unsubscribe = queries.subscribe(() => {
      if (isBegun || !hasAnswers(queryClient)) return;
      isBegun = true;
      void warm();
    });
    return unsubscribe;
  }, [queryClient]);
}

/** Something has been answered, and nothing is being asked. */
function hasAnswers(queryClient: QueryClient): boolean {
  const queries = queryClient.getQueryCache().getAll();
  return queries.some(({ state }) => state.status === 'success') && queryClient.isFetching() === 0;
}

async function warm(): Promise<void> {
  for (const load of PARTS) {
    await new Promise((resolve) => requestIdleCallback(resolve));
    // A failure is no news here: the view itself will say so when it is opened.
    await load().catch(() => undefined);
  }
}
