/** For logs with token ids but no token texts: a tokenizer maps the tokens to offsets in the text. */
import { useId, useState } from 'react';
import type { AlignmentRow, RunSources, UnplacedRow } from '../../../shared/api/contract.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useTokenizer } from '../../data/useTokenizer.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';

interface TokenizerSectionProps {
  readonly sources: RunSources;
  readonly hasSteps: boolean;
}

export function TokenizerSection({ sources, hasSteps }: TokenizerSectionProps) {
  const { runKey, tokenizer, idPlaces } = sources;
  const { give, takeBack, choose, canChoose, share, known } = useTokenizer(runKey);
  const setNotice = useInterface((state) => state.setNotice);
  const isBusy = give.isPending || takeBack.isPending;
  const isOf = idPlaces.unplaced > 0 || idPlaces.byTokenizer > 0 || tokenizer !== undefined;
  const error = give.error ?? takeBack.error;
  const start = (path: string) => give.mutate(path);
  return (
    <section aria-label="Tokenizer">
      <h2>Tokenizer</h2>
      <p>{idPlacesText(idPlaces)}</p>
      {tokenizer !== undefined && (
        <p>
          <b>{tokenizer.name}</b>, {count(tokenizer.size)} ids, places the ids of this run, and of logs read
          later.{' '}
          <Button
            disabled={isBusy}
            onClick={() =>
              takeBack.mutate(undefined, {
                onSuccess: () => {
                  give.reset();
                  setNotice('Removed: tokens are as logged');
                },
              })
            }
          >
            {' '}
            Remove{' '}
          </Button>
        </p>
      )}
      {isOf && (
        <>
          {canChoose ? (
            <Button
              disabled={isBusy}
              onClick={() => void choose().then((path) => path !== undefined && start(path))}
            >
              {tokenizer === undefined ? 'Choose a tokenizer.json…' : 'Choose another…'}
            </Button>
          ) : (
            <PathForm known={known} isBusy={isBusy} onGive={start} runKey={runKey} />
          )}
          <small>
            Hugging Face, byte-level BPE (Qwen, Llama 3, GPT): the file next to the weights of the model that
            sampled these rollouts. It is read, and nothing is sent anywhere.
          </small>
        </>
      )}
      {give.isPending && (
        <p className="waiting" role="status">
          <progress aria-label="Rollouts placed" value={share} max={1} /> Placing the ids on the text…
        </p>
      )}
      {error !== null && (
        <p className="is-wrong" role="alert">
          ✕ {error.message}
        </p>
      )}
      {give.data !== undefined && <Report report={give.data} runKey={runKey} hasSteps={hasSteps} />}
    </section>
  );
}

interface PathFormProps {
  readonly known: readonly string[];
  readonly runKey: string;
  readonly isBusy: boolean;
  readonly onGive: (path: string) => void;
}

/** A browser cannot open dialogs for the host's files, so it needs a path below an allowed folder. */
function PathForm({ known, runKey, isBusy, onGive }: PathFormProps) {
  const id = useId();
  const [typed, setText] = useState<string>();
  const text = typed ?? known[0] ?? '';
  const path = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path !== '') onGive(path);
      }}
    >
      <label htmlFor={id}>Path of a tokenizer.json on the machine of the logs</label>
      <span className="path-row">
        <input
          id={id}
          className="text-field mono"
          list={`${id} known`}
          spellCheck={false}
          placeholder="/models/…/tokenizer.json"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={path === '' || isBusy}>
          Place the ids
        </Button>
      </span>
      <datalist id={`${id} known`}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <small>
        It must be in an allowed folder. For any other file: stop Turnwise, run{' '}
        <code>npm run -s turnwise -- tokenizer {runKey} FILE</code>, start it again.
      </small>
    </form>
  );
}

interface ReportProps {
  readonly report: AlignmentRow;
  readonly runKey: string;
  readonly hasSteps: boolean;
}

function Report({ report, runKey, hasSteps }: ReportProps) {
  const { firstUnplaced, rollouts, aligned } = report;
  const advice = misfitAdvice(report);
  return (
    <div className="join-report" role="status">
      <p>
        {rollouts > 0 && aligned === rollouts && firstUnplaced.length === 0 ? (
          <span className="is-right" aria-hidden="true">
            ✓{' '}
          </span>
        ) : null}
        {alignmentText(report)}
      </p>
      {advice !== undefined && <p className="muted">{advice}</p>}
      {firstUnplaced.length > 0 && (
        <ul className="misfits" aria-label="Rollouts that are not placed as a whole">
          {firstUnplaced.map(({ step, groupKey, ordinal, why }) => (
            <li key={`${step} ${groupKey} ${ordinal}`}>
              <Link
                className="is-link"
                title={`group ${groupKey}`}
                href={pathOfRoute({ view: 'rollout', runKey, step, groupKey, ordinal })}
              >
                {hasSteps && `step ${step}, `}
                {groupKey} #{ordinal}
              </Link>{' '}
              <span className="muted">{misfitText(why)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Whether the run's tokens have offsets in its text, and where these come from. */
function idPlacesText({ withTokens, logged, byTokenizer, unplaced }: RunSources['idPlaces']): string {
  if (withTokens === 0) return 'Nothing is logged per token in this run, so there are no ids to place.';
  if (unplaced === 0 && byTokenizer === 0)
    return logged === 0
      ? `${counted(withTokens, 'rollout')} with values per token, but neither ids nor texts of the tokens.`
      : `The log has token positions in ${counted(logged, 'rollout')}. No tokenizer is needed.`;
  const parts = [
    logged > 0 ? `${count(logged)} placed on the text by the log itself` : '',
    byTokenizer > 0 ? `${count(byTokenizer)} placed on the text by the tokenizer` : '',
    unplaced > 0 ? `${count(unplaced)} with ids and no text` : '',
  ].filter((part) => part !== '');
  return `Of ${counted(withTokens, 'rollout')} with tokens: ${parts.join(', ')}.`;
}

/** The result of applying a tokenizer. */
function alignmentText({ size, rollouts, aligned, runs, placed }: AlignmentRow): string {
  if (rollouts === 0)
    return `${count(size)} ids. No rollout of this run has ids without text, so nothing was placed. Logs that are read later will be.`;
  const missed = runs - placed;
  const rest = missed > 0 ? `; ${counted(missed, 'stretch', 'stretches')} of them could not be placed` : '';
  return `${count(size)} ids. ${count(aligned)} of ${counted(rollouts, 'rollout')} placed on the text, ${counted(placed, 'stretch', 'stretches')} of sampled tokens${rest}.`;
}

function misfitText(why: UnplacedRow['why']): string {
  switch (why.kind) {
    case 'nothing':
      return 'its sampled tokens spell no text';
    case 'unknown-ids':
      return `${counted(why.tokens, 'token')} with ids this vocabulary does not have: ${why.ids.join(', ')}`;
    case 'other-text':
      return why.written === ''
        ? `from token ${why.token} on the ids spell “${why.spelled}”, where the text ends`
        : `from token ${why.token} on the ids spell “${why.spelled}”, the text has “${why.written}”`;
  }
}

/** Advice based on why tokens could not be mapped. */
function misfitAdvice({ firstUnplaced }: AlignmentRow): string | undefined {
  const kinds = new Set(firstUnplaced.map(({ why }) => why.kind));
  if (kinds.has('unknown-ids'))
    return 'Ids without an entry mean another model’s tokenizer, or an older version of it: take the tokenizer.json next to the weights.';
  if (kinds.has('other-text'))
    return 'Ids are placed only where they agree with the logged text, apart from white space. If the first tokens differ, it is the wrong tokenizer. If one position differs, the log has changed the text.';
  return undefined;
}
