/** Verifies the calls of a list's rollouts, or of the selected ones, and says what differs from the log. */
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { differentCalls, notRunReasons, verifiedParts, verifiedText } from './rerunModel.ts';
import { useVerification, type Verification } from './useVerification.ts';
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
  const isRunning = verification?.state === 'running';
  const verify = () => void start(rollouts, rolloutIds);
  useCommands({ 'calls.verify': isRunning ? undefined : verify });
  if (isRunning) {
    const different = differentCalls(verification.results);
    return (
      <Button onClick={stop}>
        {keyed('Stop', 'place.up')} · {count(verification.verified)} of {count(verification.rollouts)}{' '}
        verified
        {different > 0 && ` · ${count(different)} different so far`}
      </Button>
    );
  }
  return (
    <>
      <Button
        title="Run the Python calls again on this computer, each for at most 10 s, and compare their outputs with the log. The library keeps the results; the log stays as it is. It stops when you leave the list; turnwise verify does the same on the command line."
        onClick={verify}
      >
        {isSelection ? 'Verify calls' : `Verify Python calls of ${allOf(rollouts)}`}
      </Button>
      <span className="verified" role="status">
        {verification !== undefined && <Verified {...{ runKey, verification }} />}
      </span>
    </>
  );
}

const allOf = (rollouts: number): string =>
  rollouts === 1 ? 'this rollout' : `all ${counted(rollouts, 'rollout')}`;

interface VerifiedProps {
  readonly runKey: string;
  readonly verification: Verification;
}

function Verified({ runKey, verification: { results, state, error } }: VerifiedProps) {
  const { text, applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const reasons = notRunReasons(results);
  // A filter that cannot be parsed is replaced: nothing could be added to it.
  const narrowed = text.includes(DIFFERENT) ? text : bothFilters(applied, DIFFERENT);
  return (
    <>
      {error !== undefined && <span className="is-wrong">✕ {error} · </span>}
      {state === 'stopped' && 'Stopped; what was verified is stored · '}
      {verifiedText(results)}
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
