import { useConnection, useConnectionStatus } from '../data/DataProvider.tsx';
import { Button } from '../ui/Controls.tsx';

export function ConnectionBanner() {
  const connection = useConnection();
  const status = useConnectionStatus();
  if (status === 'open' || status === 'connecting') return null;

  if (status === 'no-token' || status === 'refused') {
    return (
      <div className="banner" role="alert">
        <span>
          <b>{status === 'refused' ? 'The host refused this page.' : 'This page has no access token.'}</b>{' '}
          Every start of Turnwise makes a new one: open the full URL that{' '}
          <span className="mono">npm start</span> printed, with its <span className="mono">#token=…</span>.
        </span>
      </div>
    );
  }
  return (
    <div className="banner" role="alert">
      <span>
        <b>{status === 'lost' ? 'The Turnwise host is gone.' : 'The Turnwise host does not answer.'}</b> What
        you see may be out of date. Trying again; if it was stopped, start it with{' '}
        <span className="mono">npm start</span> and open the URL it prints.
      </span>
      {connection.retryNow !== undefined && <Button onClick={connection.retryNow}>Connect now</Button>}
    </div>
  );
}
