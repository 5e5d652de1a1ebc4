/** Exports a failure pack, with a choice of contents, format and destination. */
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import {
  conversationsText,
  PACK_FORMATS,
  PAIR_FORMATS,
  type PackFormat,
} from '../../../shared/api/contract.ts';
import { useRequest } from '../../data/useRequest.ts';
import { type PackScope, useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { bytes, counted } from '../../ui/numbers.ts';
import { ExportProgress, ExportTarget, useCanDownload, useExportTask } from './ExportTarget.tsx';
import { FORMAT_LABELS, PackChoice, PairChoice, renamed } from './PackChoice.tsx';
import { fileName, TaskDialog } from './TaskDialog.tsx';
import './pack.css';

export function ExportPack() {
  const scope = useDialog('exportPack')?.scope;
  if (scope === undefined) return null;
  return (
    <TaskDialog name="exportPack" className="pack-dialog">
      {(frame) => <ExportPackBody scope={scope} {...frame} />}
    </TaskDialog>
  );
}

interface ExportPackBodyProps {
  readonly scope: PackScope;
  readonly onDone: () => void;
  readonly onWriting: (isWriting: boolean) => void;
}

function ExportPackBody({ scope, onDone, onWriting }: ExportPackBodyProps) {
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === scope.runKey);
  const [format, setFormat] = useState<PackFormat>('html');
  const { pairs } = scope;
  const [path, setPath] = useState(
    () => `${fileName(pairs?.name ?? `${scope.runKey ?? 'failures'}-pack`)}.html`,
  );
  const [labels, setLabels] = useState<readonly string[]>([]);
  const [chosenAll, setAll] = useState<boolean>();
  const [hasSiblings, setSiblings] = useState(false);
  const [hasTokens, setTokens] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const [keepsCredentials, setKeepsCredentials] = useState(false);
  const [redact, setRedact] = useState('');
  const setNotice = useInterface((state) => state.setNotice);
  const isKnown = scope.runKey === undefined || run !== undefined;
  const pairChoice = pairs === undefined ? undefined : { pairs: pairs.of, filter: scope.filter };
  // Reviewers who labelled some pairs usually export those.
  const labelled = useRequest('pack.preview', pairChoice && { ...pairChoice, isAll: false }).data?.pairs;
  const isAll = chosenAll ?? (pairs !== undefined && (labelled ?? 0) === 0);
  const choice = {
    ...(run === undefined || pairs !== undefined ? {} : { runId: run.runId }),
    ...(pairs === undefined ? {} : { pairs: pairs.of }),
    filter: scope.filter,
    isAll,
    ...(labels.length === 0 ? {} : { labels: [...labels] }),
    ...(scope.rolloutIds === undefined ? {} : { rolloutIds: [...scope.rolloutIds] }),
  };
  const preview = useRequest('pack.preview', isKnown ? choice : undefined, { keepPrevious: true });
  const [isDownload, setDownload] = useState(useCanDownload());
  const task = useExportTask('pack.export', {
    downloadOf: ({ download, path: name }) => ({ id: download, name }),
    onRunning: onWriting,
    onSuccess: (written) => {
      onDone();
      const what =
        written.conversations === undefined ? packed(written) : conversationsText(written.conversations);
      const masked = written.redactions === 0 ? '' : `, ${counted(written.redactions, 'redaction')}`;
      const end = written.download === undefined ? '' : ' downloaded';
      setNotice(`${what}${masked}, ${bytes(written.bytes)}: ${written.path}${end}`);
    },
  });
  const words = FORMAT_LABELS[format];
  const patterns = redact
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const fault = patterns.map(faultOf).find((one) => one !== undefined);
  const cases = preview.data?.cases ?? 0;
  const formats = pairs === undefined ? PACK_FORMATS : PAIR_FORMATS;
  const isReady = path.trim() !== '' && cases > 0 && fault === undefined && !task.isRunning;
  const write = () => {
    if (!isReady) return;
    task.start({
      ...choice,
      format,
      path: path.trim(),
      isDownload,
      siblings: hasSiblings,
      tokens: hasTokens && words.takesTokens,
      raw: isRaw && words.takesRaw,
      redact: patterns,
      keepsCredentials,
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        write();
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>{pairs === undefined ? 'Export a failure pack' : 'Export pairs'}</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        {pairs === undefined ? (
          <PackChoice
            scope={scope}
            isKnown={isKnown}
            runId={run?.runId}
            runName={run?.name}
            labels={labels}
            onLabels={setLabels}
            isAll={isAll}
            onAll={setAll}
            preview={preview.data}
            error={preview.error}
          />
        ) : (
          <PairChoice
            pairs={pairs}
            isAll={isAll}
            onAll={setAll}
            preview={preview.data}
            error={preview.error}
            labelled={labelled}
          />
        )}
        <fieldset className="pack-formats">
          <legend>Format</legend>
          {formats.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="format"
                checked={format === one}
                onChange={() => {
                  setPath(renamed(path, format, one));
                  setFormat(one);
                }}
              />
              {FORMAT_LABELS[one].label}
            </label>
          ))}
        </fieldset>
        <p className="muted pack-what">{pairs === undefined ? words.what : words.pairs}</p>
        <div className="pack-options">
          {pairs === undefined && (
            <Option label="siblings, for contrast" isOn={hasSiblings} onFlip={setSiblings} />
          )}
          <Option
            label="tokens and heat"
            isOn={hasTokens}
            onFlip={setTokens}
            off={
              words.takesTokens
                ? preview.data?.withTokens === 0
                  ? 'none of these rollouts has them'
                  : undefined
                : `${words.label} cannot hold them`
            }
          />
          <Option
            label="raw records"
            isOn={isRaw}
            onFlip={setRaw}
            off={words.takesRaw ? undefined : `${words.label} cannot hold them`}
          />
          <Option
            label="mask credentials"
            hint="API keys, tokens and passwords in texts, recognised by their form: sk-…, a URL with a password, HF_TOKEN=…"
            isOn={!keepsCredentials}
            onFlip={(isOn) => setKeepsCredentials(!isOn)}
          />
        </div>
        <details open={redact !== ''}>
          <summary>Redact</summary>
          <textarea
            aria-label="Patterns to redact, one per line"
            className="text-field mono"
            rows={3}
            spellCheck={false}
            placeholder="Regular expressions, one per line: sk-[A-Za-z0-9]+"
            value={redact}
            onChange={(event) => setRedact(event.target.value)}
          />
          {fault !== undefined && (
            <p className="is-wrong" role="alert">
              ✕ {fault}
            </p>
          )}
        </details>
        <ExportTarget
          isDownload={isDownload}
          onDownload={setDownload}
          label={format === 'parquet' ? 'The new directory' : 'The new file'}
          hint="A bare file name is saved next to the library. Existing files are never overwritten."
          downloadHint={words.zipped ?? 'The browser saves it among its downloads.'}
          path={path}
          onPath={setPath}
          isDisabled={task.isRunning}
        />
        {task.isRunning && (
          <ExportProgress label="Cases written" written={task.progress?.share} received={task.received} />
        )}
        {task.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {task.error.message}
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button onClick={task.isRunning ? task.stop : onDone}>Cancel</Button>
          <Button type="submit" isPrimary disabled={!isReady}>
            {task.isRunning ? 'Writing…' : `${isDownload ? 'Download' : 'Write'} ${packed(preview.data)}`}
          </Button>
        </span>
      </div>
    </form>
  );
}

/** `27 pairs`, or `3 cases`. */
function packed(counts: { readonly cases: number; readonly pairs?: number } | undefined): string {
  return counts?.pairs === undefined ? counted(counts?.cases ?? 0, 'case') : counted(counts.pairs, 'pair');
}

interface OptionProps {
  readonly label: string;
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onFlip: (isOn: boolean) => void;
  /** Why it cannot be chosen. */
  readonly off?: string | undefined;
}

function Option({ label, hint, isOn, onFlip, off }: OptionProps) {
  return (
    <label className={off === undefined ? undefined : 'dim'} title={hint}>
      <input
        type="checkbox"
        checked={isOn && off === undefined}
        disabled={off !== undefined}
        onChange={(event) => onFlip(event.target.checked)}
      />{' '}
      {label}
      {off !== undefined && ` (${off})`}
    </label>
  );
}

function faultOf(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
