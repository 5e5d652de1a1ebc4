/** The draft of a note. It survives navigation until it is saved or discarded. */
import { useEffect, useRef } from 'react';
import { SEVERITIES } from '../../../../shared/api/contract.ts';
import { type NoteDraft, useLabelling as useStore } from '../../../state/labelling.ts';
import { Button, Segmented } from '../../../ui/Controls.tsx';
import { LabelName } from '../../../ui/Marks.tsx';
import { useFocusReturn } from '../../../ui/useAutoFocus.ts';
import { targetLabel } from './labelModel.ts';
import type { Labelling } from './useLabelling.ts';

const NO_SEVERITY = 'none';
const SEVERITY_CHOICES = [
  { id: NO_SEVERITY, label: '–', title: 'no severity' },
  ...SEVERITIES.map((id) => ({ id, label: id })),
] as const;

const NOTE_FIELD = 'note-field';

/** Focuses the field once React has drawn it. A timer may run after the next keys, and take the focus back from what they did. */
export const focusNote = (): void => queueMicrotask(() => document.getElementById(NOTE_FIELD)?.focus());

interface NoteEditorProps {
  readonly labelling: Labelling;
  readonly draft: NoteDraft;
}

export function NoteEditor({ labelling, draft }: NoteEditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const leave = useFocusReturn(form);
  const { setDraft } = useStore.getState();
  const { taxonomy, draftKey, laneNames, noted } = labelling;
  const { id, target } = draft;
  const about = JSON.stringify(target);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focuses again when the draft or its target changes
  useEffect(focusNote, [id, about]);
  const change = (changes: Partial<NoteDraft>) => setDraft(draftKey, { ...draft, ...changes });
  const choose = (label: string) => {
    const { label: _, ...rest } = draft;
    setDraft(draftKey, label === '' ? rest : { ...rest, label });
  };
  const rate = (severity: (typeof SEVERITY_CHOICES)[number]['id']) => {
    const { severity: _, ...rest } = draft;
    setDraft(draftKey, severity === NO_SEVERITY ? rest : { ...rest, severity });
  };
  return (
    <form
      ref={form}
      className="note-editor"
      aria-label="Note"
      onSubmit={(event) => {
        event.preventDefault();
        labelling.saveDraft();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          event.stopPropagation();
          labelling.saveDraft();
        } else if (event.key === 'Escape') {
          // Leaves the field without closing the note, so that keys go to the transcript again.
          event.preventDefault();
          event.stopPropagation();
          if (draft.note === '' && draft.correction === '' && id === undefined) labelling.dropDraft();
          else leave();
        }
      }}
    >
      <p className="muted">
        {id === undefined ? 'Note on' : 'Changing a note on'}{' '}
        {id === undefined && laneNames !== undefined ? laneNames : `the ${targetLabel(target)}`}
        {noted !== undefined && (
          <span title="Choose “no label” below for a note of its own">
            {' '}
            {draft.label === noted.id ? 'with' : 'in place of'} your label <LabelName label={noted} />
          </span>
        )}
      </p>
      <textarea
        id={NOTE_FIELD}
        aria-label="Note, Markdown"
        placeholder="Note, Markdown. Ctrl+Enter saves it"
        rows={5}
        value={draft.note}
        onChange={(event) => change({ note: event.target.value })}
      />
      <div className="note-fields">
        <select aria-label="Label" value={draft.label ?? ''} onChange={(event) => choose(event.target.value)}>
          <option value="">no label</option>
          {draft.label !== undefined && taxonomy?.labels.every((one) => one.id !== draft.label) && (
            <option value={draft.label}>{draft.label}</option>
          )}
          {taxonomy?.labels.map((label) => (
            <option key={label.id} value={label.id}>
              {label.name}
            </option>
          ))}
        </select>
        <Segmented
          label="Severity"
          chosen={draft.severity ?? NO_SEVERITY}
          onChoose={rate}
          choices={SEVERITY_CHOICES}
        />
      </div>
      <details open={draft.correction !== ''}>
        <summary>Suggested correction</summary>
        <textarea
          aria-label="Suggested correction"
          placeholder="What should be there instead"
          rows={4}
          value={draft.correction}
          onChange={(event) => change({ correction: event.target.value })}
        />
      </details>
      <div className="note-buttons">
        <Button onClick={labelling.dropDraft}>Discard</Button>
        <Button type="submit" isPrimary title="Save (Ctrl+Enter)">
          Save
        </Button>
      </div>
    </form>
  );
}
