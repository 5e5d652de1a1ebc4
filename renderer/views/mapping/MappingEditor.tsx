import { useMemo, useState } from 'react';
import type { FileInspection } from '../../../shared/api/contract.ts';
import type { Mapping } from '../../../shared/format/mapping.ts';
import { type PathStep, valueAt } from '../../../shared/format/recordPath.ts';
import { useLibrary } from '../../data/DataProvider.tsx';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { Button, Chip } from '../../ui/Controls.tsx';
import { bytes } from '../../ui/numbers.ts';
import { FieldList } from './FieldList.tsx';
import { MappingActions } from './MappingActions.tsx';
import {
  firstTarget,
  labelOf,
  leadsToList,
  type MovedList,
  nextTarget,
  pickOf,
  previewable,
  roleMeanings,
  skippedList,
  type Target,
  unfitReason,
  withList,
  withMessages,
  withPath,
  withRole,
} from './mappingModel.ts';
import { PreviewPane } from './PreviewPane.tsx';
import { RecordPane } from './RecordPane.tsx';
import { parsedRecord } from './recordTreeModel.ts';

/** Debounce delay. With the host's own time, a change is visible within 300 ms. */
const REST_MS = 120;

interface MappingDraft {
  readonly mapping: Mapping;
  /**
   * The list that field paths are relative to. It stays the same while another one is typed, and after it was cleared.
   */
  readonly list: string | undefined;
}

/** Changed mappings that were not saved, by library, file and the mapping they began with. Kept while the window lives. */
const drafts = new Map<string, MappingDraft>();

/** Describes the last click on a value. */
interface PickNotice {
  readonly text: string;
  /** The state before it. Undefined if it changed nothing. */
  readonly before?: { readonly draft: MappingDraft; readonly target: Target };
}

const startOf = (mapping: Mapping): MappingDraft => ({ mapping, list: mapping.rollouts });

interface MappingEditorProps {
  readonly file: FileInspection;
  readonly saved: readonly Mapping[];
  /** The mapping to start from. */
  readonly proposal: Mapping;
}

export function MappingEditor({ file, saved, proposal }: MappingEditorProps) {
  const key = JSON.stringify([useLibrary(), file.path, proposal.name]);
  const [isRestored, setRestored] = useState(drafts.has(key));
  const [draft, setDraft] = useState(() => drafts.get(key) ?? startOf(proposal));
  const { mapping, list } = draft;
  const change = (next: Partial<MappingDraft>) => {
    setDraft({ ...draft, ...next });
    drafts.set(key, { ...draft, ...next });
  };
  const [moved, setMoved] = useState<MovedList>();
  const [picked, setPicked] = useState<PickNotice>();
  const [target, setTarget] = useState<Target>(() => firstTarget(mapping));
  const [at, setAt] = useState(0);
  const wanted = useMemo(() => previewable(mapping), [mapping]);
  const sent = useDebouncedValue(wanted, REST_MS);
  const preview = useRequest('mapping.preview', { path: file.path, mapping: sent }, { keepPrevious: true });

  const records = preview.data?.records ?? [];
  const shown = Math.min(at, Math.max(0, records.length - 1));
  const parsed = useMemo(
    () => preview.data?.records.map(({ json, isCut }) => parsedRecord(json, isCut)) ?? [],
    [preview.data],
  );
  const record = parsed[shown];
  const skipped = useMemo(() => skippedList(mapping, parsed), [mapping, parsed]);
  const roles = useMemo(() => roleMeanings(mapping, parsed), [mapping, parsed]);
  useCommands({
    'sibling.next': () => setAt(Math.min(records.length - 1, shown + 1)),
    'sibling.previous': () => setAt(Math.max(0, shown - 1)),
  });

  const setPath = (field: Target, path: string | undefined) => {
    setPicked(undefined);
    const next = path ?? '';
    if (field !== 'rollouts' || (next !== '' && !leadsToList(next, parsed))) {
      change({ mapping: withPath(mapping, field, path) });
      if (field !== 'rollouts') setMoved(undefined);
      return;
    }
    const changed = withList(mapping, list, next, parsed);
    change({ mapping: changed.mapping, ...(next === '' ? {} : { list: next }) });
    setMoved(changed.moved.length + changed.emptied.length === 0 ? undefined : changed);
  };
  const pick = (steps: readonly PathStep[]) => {
    const value = valueAt(record, steps);
    const unfit = unfitReason(target, value);
    if (unfit !== undefined) {
      setPicked({ text: `Not set: ${unfit}.` });
      return;
    }
    const { path, keys, said } = pickOf(mapping, target, steps, value);
    if (keys === undefined) setPath(target, path);
    else change({ mapping: withMessages(mapping, path, keys) });
    const next = nextTarget(
      keys === undefined ? withPath(mapping, target, path) : withMessages(mapping, path, keys),
      target,
      keys === undefined ? value : undefined,
    );
    setTarget(next);
    setPicked({
      text: next === target ? said : `${said} Next: ${labelOf(next)}.`,
      before: { draft, target },
    });
  };
  const undoPick = () => {
    if (picked?.before === undefined) return;
    change(picked.before.draft);
    setTarget(picked.before.target);
    setPicked(undefined);
    setMoved(undefined);
  };
  const replace = (next: Mapping) => {
    change(startOf(next));
    setMoved(undefined);
    setPicked(undefined);
  };
  const startOver = () => {
    replace(proposal);
    drafts.delete(key);
    setRestored(false);
  };

  const isBehind = preview.isPlaceholderData || sent !== wanted;
  const path = file.path;
  const name = path.split(/[/\\]/).at(-1) ?? path;
  return (
    <div className="page mapping">
      <header className="page-head">
        <h1 title={path}>Map the fields of {name}</h1>
        <Chip title={path}>
          {bytes(file.bytes)}
          {file.container !== 'plain' && `, ${file.container}`}
          {file.unit !== undefined && `, one record per ${file.unit}`}
        </Chip>
        {file.issue !== undefined && (
          <Chip isWarning title={file.issue.message}>
            unknown format
          </Chip>
        )}
        {file.format !== undefined && <Chip title={file.rule}>read as {file.format}</Chip>}
        {isRestored && (
          <Button title="Discard the changes that were not saved" onClick={startOver}>
            Start over
          </Button>
        )}
        <MappingActions
          path={path}
          mapping={mapping}
          preview={isBehind ? undefined : preview.data}
          saved={saved}
          proposal={proposal}
          onMapping={(next) =>
            next.rollouts === mapping.rollouts ? change({ mapping: next }) : replace(next)
          }
          onSaved={() => drafts.delete(key)}
        />
      </header>
      <div className="mapping-body">
        <RecordPane
          records={records}
          at={shown}
          onAt={setAt}
          record={record}
          isWaiting={preview.isPending}
          paths={file.paths}
          target={target}
          mapping={mapping}
          onPick={pick}
        />
        <FieldList
          mapping={mapping}
          record={record}
          target={target}
          onTarget={setTarget}
          onPath={setPath}
          moved={moved}
          skipped={skipped}
          onMessages={(list, keys) => {
            change({ mapping: withMessages(mapping, list, keys) });
            setPicked(undefined);
          }}
          roles={roles}
          onRole={(word, role) => change({ mapping: withRole(mapping, word, role) })}
          picked={picked?.text}
          onUndo={picked?.before === undefined ? undefined : undoPick}
        />
        <PreviewPane
          preview={preview}
          isBehind={isBehind}
          isEmpty={mapping.fields.messages === undefined && mapping.fields.response === undefined}
          at={shown}
          onAt={setAt}
        />
      </div>
      <ShapeRow
        keys={file.keys}
        shape={mapping.shape}
        onShape={(shape) => change({ mapping: { ...mapping, shape } })}
      />
    </div>
  );
}

interface ShapeRowProps {
  /** Top-level fields of the records. */
  readonly keys: readonly string[];
  readonly shape: readonly string[];
  readonly onShape: (shape: readonly string[]) => void;
}

/** More would be hard to read. The chosen shape itself is always shown in full. */
const MAX_KEYS = 60;

/** The fields by which other files are recognised as matching the mapping. */
function ShapeRow({ keys, shape, onShape }: ShapeRowProps) {
  const all = [...new Set([...shape, ...keys.slice(0, MAX_KEYS)])];
  const flip = (key: string) =>
    onShape(
      shape.includes(key)
        ? shape.filter((one) => one !== key)
        : all.filter((one) => one === key || shape.includes(one)),
    );
  return (
    <fieldset className="mapping-shape">
      <legend>Shape</legend>
      <span className="muted">Reused for files whose records have all of these fields:</span>
      {all.map((key) => (
        <button
          key={key}
          type="button"
          className="chip mono"
          aria-pressed={shape.includes(key)}
          onClick={() => flip(key)}
        >
          {shape.includes(key) ? '✓ ' : ''}
          {key}
        </button>
      ))}
      {shape.length === 0 && <span className="is-wrong">none chosen: every unknown file would match</span>}
    </fieldset>
  );
}
