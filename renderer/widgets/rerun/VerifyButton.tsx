/** Verifies the calls of a list's rollouts, or of the selected ones, and says what differs from the log. */
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { presentHref, useUrlQuery } from '../../data/useRoute.ts';
import { isStartedAt, useVerification, type Verification } from '../../data/useVerification.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';
import {
  differentCalls,
  notRunReasons,
  verificationText,
  verifiedParts,
  verifiedText,
} from './rerunModel.ts';
import './rerun.css';

interface VerifyButtonProps {
  readonly runKey: string;
  /** The selected rollouts, or the list as filtered if none is selected. */
  readonly rollouts: number;
  readonly isSelection: boolean;
  readonly rolloutIds: () => Promise<readonly number[]>;
}

export function VerifyButton({ runKey, rollouts, isSelection, rolloutIds }: VerifyButtonProps) {
  const { verification, start, stop } = useVerification();
  const setNotice = useInterface((state) => state.setNotice);
  const isRunning = verification?.state === 'running';
  // A verification that another list has started does not describe this one.
  const isOwn = verification !== undefined && isStartedAt(verification, presentHref());
  const verify = async (isAgain = false) => {
    const ended = await start({ rollouts, rolloutIds, isAgain });
    if (!isStartedAt(ended, presentHref())) setNotice(verificationText(ended));
  };
  useCommands({
    'calls.verify': isRunning ? undefined : () => void verify(),
    'place.up': isRunning && isOwn ? stop : undefined,
  });
  if (isRunning) {
    const { results, verified } = verification;
    const different = differentCalls(results);
    return (
      <Button
        onClick={stop}
        title="It goes on while you look at other pages. Reloading this one stops it; what was verified is stored"
      >
        {isOwn ? keyed('Stop', 'place.up') : 'Stop'} · {count(verified)} of {count(verification.rollouts)}{' '}
        verified
        {different > 0 && ` · ${count(different)} different so far`}
      </Button>
    );
  }
  return (
    <>
      <Button
        title="Run the Python calls again on this computer, each for at most 10 s, and compare their outputs with the log. The library keeps the results; the log stays as it is. Calls that have a result are not run again. turnwise verify does the same on the command line."
        onClick={() => void verify()}
      >
        {isSelection ? 'Verify calls' : `Verify Python calls of ${allOf(rollouts)}`}
      </Button>
      <span className="verified" role="status">
        {isOwn && <Verified {...{ runKey, verification }} onAgain={() => void verify(true)} />}
      </span>
    </>
  );
}

const allOf = (rollouts: number): string =>
  rollouts === 1 ? 'this rollout' : `all ${counted(rollouts, 'rollout')}`;

interface VerifiedProps {
  readonly runKey: string;
  readonly verification: Verification;
  readonly onAgain: () => void;
}

function Verified({ runKey, verification, onAgain }: VerifiedProps) {
  const { results, stored, state, error } = verification;
  const { text, applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const reasons = notRunReasons(results);
  // A filter that cannot be parsed is replaced: nothing could be added to it.
  const narrowed = text.includes(DIFFERENT) ? text : bothFilters(applied, DIFFERENT);
  return (
    <>
      {error !== undefined && <span className="is-wrong">✕ {error} · </span>}
      {state === 'stopped' && 'Stopped; what was verified is stored · '}
      {verifiedText(verification)}
      {verifiedParts(results).map(({ found, text: part }, i) => (
        <span key={found}>
          {i === 0 ? ': ' : ', '}
          {found === 'different' ? (
            <button
              type="button"
              className="is-link"
              title={`Filter the list: ${DIFFERENT}`}
              onClick={() => setQuery({ q: narrowed })}
            >
              {part}
            </button>
          ) : (
            <span title={found === 'not_run' ? reasons : undefined}>{part}</span>
          )}
        </span>
      ))}
      {stored > 0 && (
        <>
          {' · '}
          {stored === results.length ? 'all' : count(stored)} verified before ·{' '}
          <button type="button" className="is-link" onClick={onAgain}>
            Verify again
          </button>
        </>
      )}
      {results.length > 0 && (
        <>
          {' · '}
          <Link
            className="is-link"
            href={`${pathOfRoute({ view: 'run', runKey })}?${new URLSearchParams({ split: 'rerun', q: 'rerun:any' })}`}
            title="Of the rollouts whose calls were run again"
          >
            chart over steps
          </Link>
        </>
      )}
      {reasons !== '' && <small>Not run: {reasons}</small>}
    </>
  );
}

const DIFFERENT = 'rerun:different';
