import { useIngestActions } from '../../app/useIngestActions.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';

/** The empty library. A browser cannot hand over paths, so it says how to start with one. */
export function Welcome() {
  const { demo, openDialog, canOpenDialog } = useIngestActions();
  const failure = demo.error ?? openDialog.error;
  return (
    <div className="welcome">
      <div className="welcome-card">
        <h1>Read the rollouts behind a run</h1>
        <p>
          Turnwise opens the logs of a reinforcement-learning run and shows, turn by turn, what the policy
          wrote, what its tools answered, and what the trainer kept. Logs are opened read-only and nothing
          leaves this machine.
        </p>
        <ul className="welcome-ways">
          {canOpenDialog ? (
            <li>
              <span>A log directory, or single files. Dropping them here does the same.</span>
              <span style={{ display: 'flex', gap: 8 }}>
                <Button onClick={() => openDialog.mutate('files')}>Files…</Button>
                <Button isPrimary onClick={() => openDialog.mutate('directory')}>
                  Directory…
                </Button>
              </span>
            </li>
          ) : (
            <li>
              <span>
                Your own logs: start Turnwise with their path. A page in a browser cannot hand over paths.
              </span>
              <span className="mono">npm start -- PATH</span>
            </li>
          )}
          <li>
            <span>A small generated run, to look around.</span>
            <Button isPrimary={!canOpenDialog} disabled={demo.isPending} onClick={() => demo.mutate()}>
              Open the demo run
            </Button>
          </li>
        </ul>
        <p>
          <Link href="/formats">Formats that are read</Link> ·{' '}
          <Link href="/mapping">Map the fields of another log</Link>
        </p>
        {failure !== null && (
          <p className="is-wrong" role="alert">
            {failure.message}
          </p>
        )}
      </div>
    </div>
  );
}
