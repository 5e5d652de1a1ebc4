import type { ParamsOf, SamplingPreview } from '../../../shared/api/contract.ts';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { LogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import './continuation.css';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;

/** A preview is requested when the user pauses. */
const SETTLE_MS = 250;

interface ShownPreview {
  /** Perhaps of parameters that have changed since. */
  readonly preview: SamplingPreview | undefined;
  readonly error: string | undefined;
  /** The preview is that of the parameters, and there is an endpoint. */
  readonly isReady: boolean;
}

/** What would be sent for these parameters. Sends nothing. */
export function usePreview(params: ParamsOf<'sampling.preview'> | undefined): ShownPreview {
  const current = JSON.stringify(params);
  const asked = useDebouncedValue(current, SETTLE_MS);
  const { data, error, isPlaceholderData } = useRequest(
    'sampling.preview',
    params === undefined ? undefined : (JSON.parse(asked ?? current) as ParamsOf<'sampling.preview'>),
    { keepPrevious: true },
  );
  return {
    preview: data,
    error: error?.message,
    isReady: asked === current && !isPlaceholderData && data?.endpoint !== undefined,
  };
}

interface SentRequestProps {
  readonly preview: SamplingPreview;
  /** A regular expression that a correct answer matches. */
  readonly pattern: string;
  /** How many are sent, for example `4 requests`. */
  readonly requests: string;
  /** Sampled tokens of all requests together, at most. */
  readonly mostTokens: number;
}

/** What would be sent, where, and how many tokens are sampled at most. */
export function SentRequest({ preview, pattern, requests, mostTokens }: SentRequestProps) {
  const { endpoint, problem, path, body, notes, hasGroundTruth } = preview;
  const isMasking = useInterface((state) => state.masksCredentials);
  return (
    <section className="continuation-sent" aria-label="What is sent">
      <p>
        {endpoint === undefined ? (
          <b>
            {problem === undefined
              ? 'No endpoint: start Turnwise with TURNWISE_ENDPOINT=http://HOST:PORT/v1 and TURNWISE_ENDPOINT_MODEL=NAME.'
              : `No endpoint: ${problem}.`}
          </b>
        ) : (
          <>
            {requests} to <b className="mono">{endpoint.host + path}</b>, model{' '}
            <b className="mono">
              <LogText text={endpoint.model} longest={200} />
            </b>
            .
          </>
        )}{' '}
        At most {counted(mostTokens, 'token')} are sampled.
      </p>
      <p className="muted">
        {notes.join(' ')} Python calls run on this computer in a sandbox, and their outputs are sent, too.{' '}
        {pattern !== ''
          ? 'An answer that matches the pattern is correct.'
          : hasGroundTruth
            ? 'Answers are graded against the ground truth.'
            : 'The log has no ground truth.'}
        {isMasking && ' Credentials are masked here, but sent as they are in the log.'}
      </p>
      <details>
        <summary>The first request, word for word</summary>
        <pre className="mono">
          <LogText text={body} longest={LONGEST} />
        </pre>
      </details>
    </section>
  );
}
