/** A tour of the demo run: five pages, each with something to see and a key to try. It can be closed at any time. */
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { comparePath } from '../data/compareLink.ts';
import { pathOfRoute } from '../data/route.ts';
import { navigateTo, useRoute } from '../data/useRoute.ts';
import { useInterface } from '../state/interface.ts';
import { Button, IconButton } from '../ui/Controls.tsx';
import { KeyOf } from './keys/Keys.tsx';
import './tour.css';

/** Key of the run in fixtures/demo. */
export const DEMO_RUN = 'synthetic-grpo-roc-demo';
const GROUP = { runKey: DEMO_RUN, step: 300, groupKey: 'lattice-paths' };
const rollout = (ordinal: number): string => pathOfRoute({ view: 'rollout', ...GROUP, ordinal });

interface TourPage {
  readonly title: string;
  readonly path: string;
  readonly text: ReactNode;
}

const PAGES: readonly TourPage[] = [
  {
    title: 'A run, step by step',
    path: pathOfRoute({ view: 'run', runKey: DEMO_RUN }),
    text: (
      <>
        Each chart has a point for each training step. The pass rate rises while failed tool calls become
        rarer. Click a point to list its rollouts, or <em>Split</em> the charts by class. The run is
        generated, with three faults to be found: decisions by another rule at step 200, lost workers at 50
        and 340, and ten logged outputs at 400 that their code does not print.
      </>
    ),
  },
  {
    title: 'A group, and which rollouts were kept',
    path: pathOfRoute({ view: 'group', ...GROUP }),
    text: (
      <>
        32 attempts at one problem; Resample-on-Correct kept half of them for training.{' '}
        <em>How the rule chose</em> shows the numbers behind each decision, and{' '}
        <KeyOf command="whatIf.flip" /> tries other settings.
      </>
    ),
  },
  {
    title: 'A rollout, turn by turn',
    path: `${rollout(8)}?turn=2`,
    text: (
      <>
        Reasoning, code and what the code printed. <KeyOf command="turn.next" /> and{' '}
        <KeyOf command="turn.previous" /> go through the turns. Shaded tokens have a high entropy: the policy
        was unsure there. <KeyOf command="hit.next" /> goes to the next one.
      </>
    ),
  },
  {
    title: 'Two rollouts, side by side',
    path: comparePath([rollout(8), rollout(9)]),
    text: (
      <>
        The first difference, and then turn for turn what is equal and what is not.{' '}
        <KeyOf command="difference.next" /> goes to the next difference. <KeyOf command="compare.add" /> adds
        any rollout to a comparison.
      </>
    ),
  },
  {
    title: 'Labels, notes and packs',
    path: pathOfRoute({ view: 'labels' }),
    text: (
      <>
        In a replay, <KeyOf command="label.1" /> to <KeyOf command="label.9" /> label the rollout and{' '}
        <KeyOf command="note.write" /> writes a note. All of them are listed here, and{' '}
        <KeyOf command="pack.export" /> exports them as a file. <KeyOf command="keys.show" /> lists the keys
        of every page; <KeyOf command="ingest.openFiles" /> opens logs of your own.
      </>
    ),
  },
];

/** Opens the first page of the tour, or the page `at`. */
export function showTour(at = 0): void {
  const page = PAGES[at];
  useInterface.getState().setTour(page === undefined ? 'over' : at);
  if (page !== undefined) navigateTo(page.path);
}

/** Shown on the pages of the demo run until the user takes or declines the tour. */
export function TourOffer() {
  const isNew = useInterface(({ tour }) => tour === 'new');
  const route = useRoute();
  if (!isNew || !('runKey' in route) || route.runKey !== DEMO_RUN) return null;
  return (
    <span className="tour-offer">
      <button type="button" onClick={() => showTour()} title="Five pages of this demo, two minutes">
        Take the tour
      </button>
      <IconButton label="No tour" onClick={() => useInterface.getState().setTour('over')}>
        <X size={12} />
      </IconButton>
    </span>
  );
}

export function Tour() {
  const at = useInterface(({ tour }) => tour);
  const route = useRoute();
  const page = typeof at === 'number' ? PAGES[at] : undefined;
  if (typeof at !== 'number' || page === undefined) return null;
  // It waits while one looks at a run of one's own.
  if ('runKey' in route && !route.runKey.startsWith(DEMO_RUN)) return null;
  const isLast = at === PAGES.length - 1;
  const isElsewhere = page.path.split('?')[0] !== pathOfRoute(route);
  return (
    <aside className="tour" aria-label="Tour">
      <h2>{page.title}</h2>
      {isElsewhere ? (
        <p>
          You left the page that this step is about.{' '}
          <button type="button" className="is-link" onClick={() => showTour(at)}>
            Back to it
          </button>
        </p>
      ) : (
        <p aria-live="polite">{page.text}</p>
      )}
      <footer>
        <span className="dim">
          {at + 1} of {PAGES.length}
        </span>
        {at > 0 && <Button onClick={() => showTour(at - 1)}>Back</Button>}
        <Button onClick={() => showTour(at + 1)}>{isLast ? 'Done' : 'Next'}</Button>
        <IconButton label="End the tour" onClick={() => showTour(PAGES.length)}>
          <X size={14} />
        </IconButton>
      </footer>
    </aside>
  );
}
