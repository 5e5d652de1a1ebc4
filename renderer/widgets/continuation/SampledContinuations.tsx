/** Continuations while they are sampled, and after that with links; those of a file with what failed in it. */
import type { AnsweredBatch, ReadAnswers, SampledContinuations } from '../../../shared/api/contract.ts';
import { maskedText } from '../../../shared/domain/maskedText.ts';
import type { OriginOf } from '../../../shared/domain/origin.ts';
import { comparePath } from '../../data/compareLink.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { pathOfRoute, type RolloutRoute } from '../../data/route.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { Link } from '../../ui/Link.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { gradeText, originText, summaryOf } from './continuationModel.ts';
import type { ContinuationLine, Continuations } from './useContinuations.ts';
import './continuation.css';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;
const MOST_FAILURES = 50;

const close = (): void => useInterface.getState().showDialog(undefined);
const routeOf = (origin: OriginOf): RolloutRoute => ({ view: 'rollout', ...origin });

export function Sampled({ lines, sampled, file }: Pick<Continuations, 'lines' | 'sampled' | 'file'>) {
  if (file !== undefined) return <AnswersRead read={file.read} />;
  return (
    <>
      {sampled !== undefined && <RunLink runKey={sampled.runKey} />}
      <Lines lines={lines} sampled={sampled} />
    </>
  );
}

function AnswersRead({ read }: { readonly read: ReadAnswers | undefined }) {
  if (read === undefined) return null;
  const { continuations, failures } = read;
  return (
    <>
      {continuations.map((sampled) => (
        <section key={sampled.id} aria-label={`Continuations of ${originText(sampled.origin)}`}>
          <p>
            {counted(storedOf(sampled), 'continuation')} of{' '}
            <Link className="is-link" href={pathOfRoute(routeOf(sampled.origin))} onClick={close}>
              {originText(sampled.origin)}
            </Link>
            , {summaryOf(sampled.continuations)}.
          </p>
          <RunLink runKey={sampled.runKey} />
          <Lines
            lines={sampled.continuations.map((row) => ({ index: row.index, text: '', row }))}
            sampled={sampled}
          />
        </section>
      ))}
      <NextBatch batches={continuations} />
      {failures.length > 0 && (
        <section>
          <p>{counted(failures.length, 'line')} gave no continuation:</p>
          <ul className="continuation-lines" aria-label="Lines without a continuation">
            {failures.slice(0, MOST_FAILURES).map(({ line, message }) => (
              <li key={line} className="is-wrong">
                ✕ Line {line}: <LogText text={message} longest={LONGEST} />
              </li>
            ))}
          </ul>
          {failures.length > MOST_FAILURES && (
            <p className="muted">{counted(failures.length - MOST_FAILURES, 'further line')}</p>
          )}
        </section>
      )}
    </>
  );
}

/** Saves the requests that go on where the answers ended. */
function NextBatch({ batches }: { readonly batches: readonly AnsweredBatch[] }) {
  const client = useClient();
  const { setNotice } = useInterface.getState();
  const open = batches.filter(({ waiting }) => waiting > 0);
  const waiting = open.reduce((sum, batch) => sum + batch.waiting, 0);
  if (waiting === 0) return null;
  const write = async (): Promise<void> => {
    try {
      const { requests, lines } = await client.request('sampling.nextBatch', {
        ids: open.map(({ id }) => id),
      });
      saveText(`${open.length === 1 ? open[0]?.id : 'requests'}-next.jsonl`, lines, 'application/jsonl');
      setNotice(`${counted(requests, 'request')} written. Read batch… takes the answers.`);
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <p>
      {counted(waiting, 'continuation')} {waiting === 1 ? 'needs' : 'need'} another answer: Python was called,
      and the calls were run here, or there is no answer yet.{' '}
      <Button onClick={() => void write()}>Write next batch</Button>
    </p>
  );
}

const storedOf = ({ continuations }: SampledContinuations): number =>
  continuations.filter(({ failure }) => failure === undefined).length;

function RunLink({ runKey }: { readonly runKey: string }) {
  return (
    <p>
      <Link className="is-link" href={pathOfRoute({ view: 'run', runKey })} onClick={close}>
        Open run
      </Link>
    </p>
  );
}

interface LinesProps {
  readonly lines: readonly ContinuationLine[];
  readonly sampled: SampledContinuations | undefined;
}

function Lines({ lines, sampled }: LinesProps) {
  const isMasking = useInterface((state) => state.masksCredentials);
  const continued = (index: number): RolloutRoute | undefined =>
    sampled === undefined
      ? undefined
      : {
          ...{ view: 'rollout', runKey: sampled.runKey, step: sampled.step, groupKey: sampled.id },
          ordinal: index,
        };
  return (
    <ol className="continuation-lines" aria-label="Continuations">
      {lines.map(({ index, text, row: end }) => {
        const route = end?.rolloutId === undefined ? undefined : continued(index);
        return (
          <li key={index}>
            <p>
              <b>#{index}</b>{' '}
              {end === undefined ? (
                <span className="dim">{text === '' ? 'waiting…' : 'sampling…'}</span>
              ) : end.failure !== undefined ? (
                <span className="is-wrong">
                  ✕ <LogText text={end.failure} longest={LONGEST} />
                </span>
              ) : (
                <>
                  <span className="mono">
                    <LogText text={end.answer ?? ''} longest={200} />
                  </span>{' '}
                  <span className={end.isCorrect === false ? 'is-wrong' : 'muted'}>{gradeText(end)}</span>
                </>
              )}
              {route !== undefined && sampled !== undefined && (
                <span className="continuation-links">
                  <Link
                    className="is-link"
                    href={comparePath([pathOfRoute(routeOf(sampled.origin)), pathOfRoute(route)])}
                    onClick={close}
                  >
                    Compare with the original
                  </Link>
                  <Link className="is-link" href={pathOfRoute(route)} onClick={close}>
                    Open
                  </Link>
                </span>
              )}
            </p>
            {text !== '' && (
              <pre className="mono">
                <LogText text={isMasking ? maskedText(text) : text} longest={LONGEST} />
              </pre>
            )}
          </li>
        );
      })}
    </ol>
  );
}
