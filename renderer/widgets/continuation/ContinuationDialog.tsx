/**
 * Continues a rollout from a position, at the endpoint that the environment names. Shows word for word what would be
 * sent. Nothing is sent before the user starts it.
 */
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { ParamsOf, RolloutDetail, SamplingPreview } from '../../../shared/api/contract.ts';
import type { ContinuationPosition } from '../../../shared/domain/continuation.ts';
import { originKey } from '../../../shared/domain/origin.ts';
import vllmScript from '../../../shared/recorder/vllm_batch.py?raw';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { TaskDialog } from '../../shell/dialogs/TaskDialog.tsx';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { LogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { type ContinuationForm, EMPTY_FORM, paramsOfForm, positionText } from './continuationModel.ts';
import { Interrupted } from './Interrupted.tsx';
import { ReadBatch } from './ReadBatch.tsx';
import { Sampled } from './SampledContinuations.tsx';
import { SamplingFields } from './SamplingFields.tsx';
import { SentRequest, usePreview } from './SentRequest.tsx';
import { statusText, useContinuations } from './useContinuations.ts';
import './continuation.css';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;

export function ContinuationDialog() {
  const about = useDialog('continue');
  const detail = useRequest(
    'rollout.get',
    about === undefined ? undefined : { rolloutId: about.rolloutId },
  ).data;
  if (about === undefined || detail === undefined) return null;
  return (
    <TaskDialog name="continue" className="continuation-dialog">
      {(frame) => <Body detail={detail} from={about.position} {...frame} />}
    </TaskDialog>
  );
}

interface BodyProps {
  readonly detail: RolloutDetail;
  readonly from: ContinuationPosition;
  readonly onDone: () => void;
  readonly onWriting: (isWriting: boolean) => void;
}

function Body({ detail, from, onDone, onWriting }: BodyProps) {
  const { rolloutId } = detail.row;
  const [position, setPosition] = useState(from);
  const [form, setForm] = useState(EMPTY_FORM);
  const sampling = useContinuations();
  const isRunning = sampling.state === 'running';
  useEffect(() => onWriting(isRunning), [isRunning, onWriting]);
  const params = paramsOfForm(rolloutId, position, form);
  const { preview, error, isReady } = usePreview(typeof params === 'string' ? undefined : params);
  const problem = typeof params === 'string' ? params : error;
  const isForm = sampling.state === 'form';
  const { runKey } = detail.run;
  const here = originKey({
    runKey,
    step: detail.row.step ?? 0,
    groupKey: detail.group.groupKey,
    ordinal: detail.row.ordinal,
  });
  const interrupted = useRequest('sampling.interrupted', {}).data?.filter(
    ({ origin }) => originKey(origin) === here,
  );
  const start = (): void => {
    if (typeof params !== 'string' && isReady) sampling.start(params);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isForm) start();
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Continue rollout #{detail.row.ordinal}</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        {isForm ? (
          <>
            <Interrupted requests={interrupted ?? []} isOneRollout onResume={sampling.resume} />
            <Position detail={detail} position={position} onChange={setPosition} />
            <Before preview={preview} />
            <Fields
              form={form}
              onChange={setForm}
              sentence={preview?.sentence}
              alternatives={
                position.kind === 'token' && (
                  <Alternatives
                    rolloutId={rolloutId}
                    token={position.token}
                    onChoose={(edit) => setForm({ ...form, edit })}
                  />
                )
              }
            />
            {problem !== undefined ? (
              <p className="is-wrong" role="alert">
                ✕ {problem}
              </p>
            ) : (
              preview !== undefined && (
                <SentRequest
                  preview={preview}
                  pattern={form.pattern}
                  requests={counted(Number(form.n), 'request')}
                  mostTokens={preview.mostTokens}
                />
              )
            )}
            {sampling.failure !== undefined && (
              <p className="is-wrong" role="alert">
                ✕ <LogText text={sampling.failure} longest={LONGEST} />
              </p>
            )}
          </>
        ) : (
          <Sampled {...sampling} />
        )}
      </div>
      <div className="dialog-foot">
        <span className="muted" role="status">
          {statusText(sampling)}
        </span>
        <span className="dialog-buttons">
          {isRunning ? (
            <Button onClick={sampling.stop}>Stop</Button>
          ) : (
            <>
              <Button onClick={onDone}>Close</Button>
              {isForm ? (
                <>
                  <ReadBatch onRead={sampling.read} />
                  <BatchButton params={params} />
                  <Button type="submit" isPrimary disabled={!isReady}>
                    Start sampling
                  </Button>
                </>
              ) : (
                <Button onClick={sampling.again}>Sample again</Button>
              )}
            </>
          )}
        </span>
      </div>
    </form>
  );
}

interface PositionProps {
  readonly detail: RolloutDetail;
  readonly position: ContinuationPosition;
  readonly onChange: (position: ContinuationPosition) => void;
}

function Position({ detail, position, onChange }: PositionProps) {
  const id = useId();
  if (position.kind !== 'turn')
    return <p>From {positionText(position)}: it and what follows are sampled again.</p>;
  return (
    <div className="continuation-position">
      <label htmlFor={id}>From turn</label>
      <select
        id={id}
        value={position.turn}
        onChange={({ target }) => onChange({ ...position, turn: Number(target.value) })}
      >
        {detail.turns.map(({ turn }) => (
          <option key={turn}>{turn}</option>
        ))}
      </select>
      <Segmented
        label="Start or end of the turn"
        chosen={position.at}
        onChoose={(at) => onChange({ ...position, at })}
        choices={[
          { id: 'start', label: 'Start', title: 'Instead of this turn' },
          { id: 'end', label: 'End', title: 'After this turn and the outputs of its tools' },
        ]}
      />
    </div>
  );
}

function Before({ preview }: { readonly preview: SamplingPreview | undefined }) {
  if (preview === undefined) return null;
  return (
    <section className="continuation-before mono" aria-label="Text before the position">
      {preview.before === '' ? (
        <span className="dim">The response begins here.</span>
      ) : (
        <LogText text={`…${preview.before}`} longest={LONGEST} />
      )}
    </section>
  );
}

interface FieldsProps {
  readonly form: ContinuationForm;
  readonly onChange: (form: ContinuationForm) => void;
  readonly sentence: string | undefined;
  readonly alternatives: ReactNode;
}

function Fields({ form, onChange, sentence = '', alternatives }: FieldsProps) {
  const id = useId();
  const isMasking = useInterface((state) => state.masksCredentials);
  return (
    <>
      <label htmlFor={`${id}edit`}>Write here first (optional)</label>
      <textarea
        id={`${id}edit`}
        className="text-field mono"
        rows={2}
        spellCheck={false}
        value={form.edit}
        onChange={({ target }) => onChange({ ...form, edit: target.value })}
      />
      <p className="continuation-edits">
        {sentence.trim() !== '' && !isMasking && (
          <Button onClick={() => onChange({ ...form, edit: sentence })}>Edit the logged sentence</Button>
        )}
        {alternatives}
      </p>
      <SamplingFields form={form} onChange={onChange} />
    </>
  );
}

function Alternatives({
  rolloutId,
  token,
  onChoose,
}: {
  readonly rolloutId: number;
  readonly token: number;
  readonly onChoose: (text: string) => void;
}) {
  const listed = useRequest('rollout.alternatives', { rolloutId, from: token, limit: 1 }).data
    ?.alternatives[0];
  return listed?.map(([text]) => (
    <Button key={text} title="Write this token instead" onClick={() => onChoose(text)}>
      <LogText text={text} longest={100} />
    </Button>
  ));
}

function BatchButton({ params }: { readonly params: ParamsOf<'sampling.preview'> | string }) {
  const client = useClient();
  const { setNotice } = useInterface.getState();
  const write = async (): Promise<void> => {
    if (typeof params === 'string') return;
    try {
      const { id, requests, lines } = await client.request('sampling.batch', params);
      saveText(`${id}.jsonl`, lines, 'application/jsonl');
      setNotice(`${counted(requests, 'request')} written. Read batch… takes the answers.`);
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Button
        title="Save a Python script that answers a batch with vLLM's offline engine, where there is no server"
        onClick={() => saveText('vllm_batch.py', vllmScript, 'text/x-python')}
      >
        Script for vLLM
      </Button>
      <Button
        disabled={typeof params === 'string'}
        title="Save the requests as JSON Lines in OpenAI's batch form, for a server that this computer does not reach"
        onClick={() => void write()}
      >
        Write batch
      </Button>
    </>
  );
}
