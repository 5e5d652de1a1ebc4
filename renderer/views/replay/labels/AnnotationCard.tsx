import { Pencil, Trash2 } from 'lucide-react';
import type { AnnotationRow, Taxonomy } from '../../../../shared/api/contract.ts';
import { FLAG_MEANINGS } from '../../../../shared/domain/flags.ts';
import { labelOf } from '../../../data/annotations.ts';
import { Chip, IconButton } from '../../../ui/Controls.tsx';
import { LogText } from '../../../ui/LogText.tsx';
import { fitsField, isShort, LongText } from '../../../ui/LongText.tsx';
import { LabelName } from '../../../ui/Marks.tsx';
import { withLongWord } from '../../../ui/SourceText.tsx';
import { dayAndTime, isoTime } from '../../../ui/times.ts';
import { MarkdownText } from '../text/MarkdownText.tsx';
import { targetLabel } from './labelModel.ts';

interface AnnotationCardProps {
  readonly annotation: AnnotationRow;
  readonly taxonomy: Taxonomy | undefined;
  readonly onShow: (() => void) | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

const STATE_LABELS = {
  moved: { label: 'moved', title: 'The text has changed; this is its new position' },
  orphaned: { label: 'orphaned', title: 'Its text is no longer in the rollout' },
} as const;

export function AnnotationCard({ annotation, taxonomy, onShow, onEdit, onRemove }: AnnotationCardProps) {
  const { label, note, correction, severity, target, place, author, updatedAt, flag, conflicts } = annotation;
  const isEditable = fitsField(note ?? '') && fitsField(correction ?? '');
  const state = place === undefined || place.state === 'exact' ? undefined : STATE_LABELS[place.state];
  return (
    <li className="annotation">
      <header>
        {label === undefined ? (
          <span className="muted">note</span>
        ) : (
          <LabelName label={labelOf(taxonomy, label)} />
        )}
        {severity !== undefined && <span className={`severity is-${severity}`}>{severity}</span>}
        {state !== undefined && <Chip title={state.title}>{state.label}</Chip>}
        {conflicts > 0 && (
          <Chip title="An imported pack has another version: decide under Labels">
            {conflicts} other version
          </Chip>
        )}
        <span className="annotation-buttons">
          <IconButton
            label={isEditable ? 'Edit this annotation' : 'Its text is too long for a field'}
            disabled={!isEditable}
            onClick={onEdit}
          >
            <Pencil size={13} />
          </IconButton>
          <IconButton label="Delete this annotation" onClick={onRemove}>
            <Trash2 size={13} />
          </IconButton>
        </span>
      </header>
      {onShow === undefined ? (
        <p className="dim">{targetLabel(target)}</p>
      ) : (
        <button type="button" className="annotation-place" onClick={onShow} title="Show in the text">
          <span className="is-link">{targetLabel(target)}</span>
        </button>
      )}
      {target.kind === 'span' && (
        <blockquote className="mono">
          <LogText text={target.anchor.quote} />
          {target.anchor.quoteEnd !== undefined && (
            <>
              <span className="dim"> … </span>
              <LogText text={target.anchor.quoteEnd} />
            </>
          )}
        </blockquote>
      )}
      {note !== undefined && (
        <div className={withLongWord('annotation-note', note)}>
          {isShort(note) ? <MarkdownText text={note} start={0} source="note" /> : <LongText text={note} />}
        </div>
      )}
      {correction !== undefined && (
        <div className="annotation-note">
          <p className="muted">suggested correction</p>
          <pre className="mono">
            <LongText text={correction} />
          </pre>
        </div>
      )}
      {flag !== undefined && <p className="dim">flag confirmed: {FLAG_MEANINGS[flag]}</p>}
      <footer className="dim">
        <LogText text={author} /> · <time dateTime={isoTime(updatedAt)}>{dayAndTime(updatedAt)}</time>
      </footer>
    </li>
  );
}
