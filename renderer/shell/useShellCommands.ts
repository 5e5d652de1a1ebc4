/** Commands that exist in every view, and those that the desktop menu sends. */
import { useEffect } from 'react';
import type { IngestProgress } from '../../shared/api/contract.ts';
import { useClient } from '../data/DataProvider.tsx';
import { filterLinkOf } from '../data/filterLink.ts';
import { labelsPath } from '../data/labelsLink.ts';
import { copiedLink } from '../data/libraryLink.ts';
import { useIsRocLogged } from '../data/rocChoice.ts';
import { parentRoute, pathOfRoute, rocRoute, tokensRoute } from '../data/route.ts';
import { useRequest } from '../data/useRequest.ts';
import { goTo, navigateTo, useRoute } from '../data/useRoute.ts';
import { useLimitOf, useRunOf } from '../data/useRunOf.ts';
import { useVerification } from '../data/useVerification.ts';
import { useInterface } from '../state/interface.ts';
import { queryLeftAt } from '../state/routeMemory.ts';
import { copyText } from '../ui/exportText.ts';
import { counted } from '../ui/numbers.ts';
import { compareTarget } from './compareSet.ts';
import { runCommand, useCommands } from './keys/commands.ts';
import { isCommandId } from './keys/keymap.ts';
import { keyWord } from './keys/keysInForce.ts';
import { nextTheme } from './TopBar.tsx';
import { showTour } from './Tour.tsx';
import { useIngestActions } from './useIngestActions.ts';
import { useLibraryCommands } from './useLibraryActions.ts';
import { useRunRoute } from './useRunRoute.ts';

/** `2 issues, 5 caveats`. Empty: none. */
export function jobIssues({ issues, caveats = 0 }: IngestProgress): string {
  const lost = issues - caveats;
  const parts = [
    ...(lost > 0 ? [counted(lost, 'issue')] : []),
    ...(caveats > 0 ? [counted(caveats, 'caveat')] : []),
  ];
  return parts.join(', ');
}

/** The notice when a job ends. While it runs, the library page and the top bar show it. */
export function jobNotice(job: IngestProgress): string | undefined {
  if (job.state === 'running') return undefined;
  if (job.state === 'failed') return `Not read: ${job.message ?? job.paths.join(', ')}`;
  const { duplicates = 0, runs = 0 } = job;
  const same =
    duplicates === 1
      ? '1 file has the same content as one read before (see Issues)'
      : `${counted(duplicates, 'file')} have the same content as files read before (see Issues)`;
  if (job.state === 'done' && job.rollouts === 0 && job.issues === 0)
    return duplicates === 0 ? 'Nothing new to read' : `Nothing new to read: ${same}`;
  const issues = jobIssues(job);
  const ofRuns = runs > 1 ? ` of ${counted(runs, 'run')}` : '';
  const others = duplicates === 0 ? '' : `; ${same}`;
  return `${job.state === 'cancelled' ? 'Cancelled after' : 'Read'} ${counted(job.rollouts, 'new rollout')}${ofRuns}${issues === '' ? '' : `, ${issues}`}${others}`;
}

export function useShellCommands(): void {
  const client = useClient();
  const route = useRoute();
  const { verification } = useVerification();
  const { demo, openDialog, chooseLogs, canOpenDialog } = useIngestActions();
  const info = useRequest('host.info', {}).data;
  const isDesktop = info?.shell === 'desktop';
  const limit = useLimitOf(route);
  const ofRun = useRunRoute(route);
  const run = useRunOf(ofRun);
  const hasRoc = useIsRocLogged(run);
  // It can be simulated for groups of several rollouts.
  const roc =
    hasRoc || (run?.rollouts ?? 0) > (run?.groups ?? 0) ? rocRoute(ofRun, run?.hasSteps) : undefined;
  const tokens = tokensRoute(ofRun, run?.hasSteps);
  const hasCompareSet = useInterface((state) => state.compareSet.length > 0);
  const ofLibraries = useLibraryCommands();
  const { showDialog, setTheme, setNotice, flip } = useInterface.getState();

  const problems = (tab?: string) => {
    if (!('runKey' in ofRun)) return undefined;
    const { runKey } = ofRun;
    return () => {
      // Within the page, a tab keeps the filter, as a click on it does.
      const filter = route.view === 'problems' ? new URLSearchParams(location.search).get('q') : null;
      const query = new URLSearchParams({
        ...(tab === undefined ? {} : { tab }),
        ...(tab === undefined || filter === null ? {} : { q: filter }),
      });
      goTo({ view: 'problems', runKey }, query.size === 0 ? '' : `?${query}`);
    };
  };

  useCommands(
    {
      'palette.show': () => showDialog({ kind: 'palette' }),
      'keys.show': () => showDialog({ kind: 'keys' }),
      'place.up': () => {
        const parent = parentRoute(route, run?.hasSteps, limit);
        if (parent !== undefined) goTo(parent, queryLeftAt(pathOfRoute(parent)));
      },
      'place.copyLink': () =>
        void copyText(copiedLink(window.location, isDesktop)).then((isCopied) =>
          setNotice(
            isCopied
              ? 'Link copied. The command palette of any Turnwise opens it.'
              : 'The clipboard is not available here',
          ),
        ),
      'place.library': () => goTo({ view: 'library' }),
      'place.problems': problems(),
      'problems.changes': problems('changes'),
      'problems.failures': problems('failures'),
      'problems.detectors': problems('detectors'),
      'problems.suspicious': problems('suspicious'),
      'place.roc': roc === undefined ? undefined : () => goTo(roc),
      'place.tokens': tokens === undefined ? undefined : () => goTo(tokens),
      'place.schedule':
        'runKey' in route && 'step' in route
          ? () => goTo({ view: 'schedule', runKey: route.runKey, step: route.step })
          : undefined,
      'place.tree':
        'groupKey' in route
          ? () => {
              const { runKey, step, groupKey } = route;
              goTo({ view: 'groupTree', runKey, step, groupKey });
            }
          : undefined,
      'place.search': () => goTo({ view: 'search' }, queryLeftAt('/search')),
      'place.sql': () => goTo({ view: 'sql' }, queryLeftAt('/sql')),
      'place.labels': () =>
        'runKey' in route
          ? navigateTo(labelsPath({ runKey: route.runKey }))
          : goTo({ view: 'labels' }, queryLeftAt('/labels')),
      'pack.export': () =>
        showDialog({
          kind: 'exportPack',
          scope: {
            // Of the lists and charts of a run, what their filter leaves.
            filter: 'runKey' in route ? filterLinkOf(new URLSearchParams(location.search)).applied : '',
            ...('runKey' in route ? { runKey: route.runKey } : {}),
          },
        }),
      'pack.import': () => showDialog({ kind: 'importPack' }),
      'continuations.resume': () => showDialog({ kind: 'resume' }),
      'place.warehouse': info?.hasWarehouse === true ? () => goTo({ view: 'warehouse' }) : undefined,
      'place.verification': verification === undefined ? undefined : () => navigateTo(verification.from),
      'place.issues': () => goTo({ view: 'issues' }),
      'place.settings': () => goTo({ view: 'settings' }),
      ...ofLibraries,
      'compare.open': () => {
        const target = compareTarget(useInterface.getState().compareSet, queryLeftAt('/compare'));
        if (target === undefined)
          setNotice(`No rollouts chosen yet: ${keyWord('compare.add')} on a rollout adds it`);
        else navigateTo(target);
      },
      'compare.clear': hasCompareSet ? () => useInterface.getState().setCompareSet([]) : undefined,
      'mapping.show': () => goTo({ view: 'mapping' }),
      'formats.show': () => goTo({ view: 'formats' }),
      'glossary.show': () => goTo({ view: 'glossary' }),
      'focus.flip': route.view === 'rollout' ? () => flip('isFocused') : undefined,
      'theme.next': () => setTheme(nextTheme(useInterface.getState().theme)),
      'credentials.flip': () => {
        flip('masksCredentials');
        const { masksCredentials } = useInterface.getState();
        setNotice(`Credentials in messages: ${masksCredentials ? 'masked' : 'as logged'}`);
      },
      'ingest.demo': () => demo.mutate(),
      'tour.start': () => demo.mutate(undefined, { onSuccess: () => showTour() }),
      'ingest.openFiles': chooseLogs,
      'ingest.openDirectory': canOpenDialog ? () => openDialog.mutate('directory') : undefined,
    },
    'fallback',
  );

  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.event === 'ingest.progress') {
          const notice = jobNotice(event.payload);
          if (notice !== undefined) setNotice(notice);
        }
        if (event.event === 'shell.command' && isCommandId(event.payload.command))
          runCommand(event.payload.command);
      }),
    [client, setNotice],
  );
}
