/** The empty, waiting and failed states of all views. */
import type { ReactNode } from 'react';
import './controls.css';

interface StateProps {
  readonly title: string;
  /** Set if the page has no other heading. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

export function EmptyState({ title, children, isPage = false }: StateProps) {
  return (
    <div className="state">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** Invisible for the first 300 ms, since most responses arrive sooner and a flash is worse than a pause. */
export function WaitingState({ title }: { readonly title: string }) {
  return (
    <div className="state waiting" role="status">
      <p>{title}</p>
    </div>
  );
}

interface FailedStateProps extends StateProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

export function FailedState({ title, error, onRetry, children, isPage = false }: FailedStateProps) {
  return (
    <div className="state" role="alert">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p className="state-facts">{error.message}</p>
      {children}
      {onRetry !== undefined && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
