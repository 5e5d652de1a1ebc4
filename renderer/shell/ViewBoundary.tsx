/** Error boundary that shows the error instead of a failed view. The rest of the window stays usable. */
import { useQuery } from '@tanstack/react-query';
import { Component, type ErrorInfo, type ReactNode, useState } from 'react';
import { useClient } from '../data/DataProvider.tsx';
import { pathOfRoute, type Route } from '../data/route.ts';
import { Button } from '../ui/Controls.tsx';
import { FailedState, WaitingState } from '../ui/States.tsx';
import { VirtualText } from '../ui/VirtualText.tsx';
import './viewBoundary.css';

/** Error messages of Vite and Chromium for a lazy chunk that could not be loaded. */
const LOAD_FAILURE = /preload CSS|dynamically imported module/;

interface ViewBoundaryProps {
  readonly route: Route;
  readonly children: ReactNode;
}

interface ViewBoundaryState {
  readonly error: Error | undefined;
  /** Path of the page that failed. The view is tried again on another page. */
  readonly path: string;
}

export class ViewBoundary extends Component<ViewBoundaryProps, ViewBoundaryState> {
  override state: ViewBoundaryState = {
    error: undefined,
    path: pathOfRoute(this.props.route),
  };

  static getDerivedStateFromError(error: unknown): Partial<ViewBoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(
    { route }: ViewBoundaryProps,
    { path }: ViewBoundaryState,
  ): Partial<ViewBoundaryState> | null {
    const current = pathOfRoute(route);
    return current === path ? null : { error: undefined, path: current };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error('a view failed', error, info.componentStack);
  }

  override render() {
    const { error } = this.state;
    const { route, children } = this.props;
    if (error === undefined) return children;
    if (LOAD_FAILURE.test(error.message)) {
      return (
        <FailedState
          title="A part of the page could not be loaded"
          error={error}
          onRetry={() => window.location.reload()}
        >
          <p>The host that serves it is gone, or was updated since this page was opened.</p>
        </FailedState>
      );
    }
    return (
      <div className="failed-view">
        <FailedState
          title="This view failed: a bug in Turnwise"
          error={error}
          onRetry={() => this.setState({ error: undefined })}
        />
        {'ordinal' in route && <FailedRollout key={this.state.path} route={route} />}
      </div>
    );
  }
}

type RolloutRoute = Extract<Route, { readonly ordinal: number }>;

/** Bytes. Later rows can only be read in the log file. */
const SHOWN_BYTES = 1_048_576;

/** Shows the raw record, so that the text can be read although its view failed. */
function FailedRollout({ route }: { readonly route: RolloutRoute }) {
  const [isShown, setShown] = useState(false);
  if (!isShown) return <Button onClick={() => setShown(true)}>Show the raw record</Button>;
  return <Record route={route} />;
}

function Record({ route }: { readonly route: RolloutRoute }) {
  const client = useClient();
  const { runKey, step, groupKey, ordinal } = route;
  const record = useQuery({
    queryKey: ['failed rollout', runKey, step, groupKey, ordinal],
    queryFn: async ({ signal }) => {
      const page = await client.request('page.open', { runKey, step, groupKey, ordinal }, { signal });
      const { rolloutId = 0 } = page;
      return client.request('rollout.record', { rolloutId, offset: 0, limit: SHOWN_BYTES }, { signal });
    },
    retry: false,
  });
  if (record.error !== null) return <FailedState title="The record cannot be read" error={record.error} />;
  if (record.data === undefined) return <WaitingState title="Reading the log file…" />;
  return (
    <div className="failed-record">
      <VirtualText text={record.data.text} label="Raw record" />
    </div>
  );
}
