import { Component, type ErrorInfo, type ReactNode } from 'react';
import { FailedState } from '../ui/States.tsx';

/** How Vite and Chromium say that a lazy chunk did not arrive. */
const LOAD_FAILURE = /preload CSS|dynamically imported module/;

/** A bug in our code is seen, not papered over: the view says what happened, the window stays usable. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: Error | undefined }
> {
  override state: { readonly error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error('a view failed', error, info.componentStack);
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
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
      <FailedState
        title="This view failed: a bug in Turnwise"
        error={error}
        onRetry={() => this.setState({ error: undefined })}
      />
    );
  }
}
