import { X } from 'lucide-react';
import type { Mapping } from '../../../shared/format/mapping.ts';
import { Button, IconButton } from '../../ui/Controls.tsx';
import {
  FIELD_GROUPS,
  labelOf,
  type MovedList,
  movedText,
  pathFault,
  pathOf,
  type SkippedList,
  sharersOf,
  type Target,
  valueFor,
} from './mappingModel.ts';
import { oneLine } from './recordTreeModel.ts';

interface FieldListProps {
  readonly mapping: Mapping;
  readonly record: unknown;
  /** The field that a click in the record sets. */
  readonly target: Target;
  readonly onTarget: (target: Target) => void;
  readonly onPath: (target: Target, path: string | undefined) => void;
  /** The effects of a changed rollout list on the other fields. */
  readonly moved: MovedList | undefined;
  /** A list that is probably the list of rollouts. */
  readonly skipped: SkippedList | undefined;
}

export function FieldList({ mapping, record, target, onTarget, onPath, moved, skipped }: FieldListProps) {
  return (
    <section className="mapping-pane" aria-label="Fields of a rollout">
      <div className="mapping-pane-head">
        <h2>Fields of a rollout</h2>
        <span className="dim">choose a field, then its value in the record; or write its path</span>
      </div>
      <p
        className={moved === undefined && skipped === undefined ? 'visually-hidden' : 'mapping-moved'}
        role="status"
      >
        {moved !== undefined && movedText(moved)}
        {moved !== undefined && skipped !== undefined && ' '}
        {skipped !== undefined && (
          <>
            <span className="mono">{skipped.path}</span> has {skipped.elements} elements of this shape, and
            only one is read.{' '}
            <Button onClick={() => onPath('rollouts', skipped.path)}>Read each as a rollout</Button>
          </>
        )}
      </p>
      <div className="mapping-fields">
        <div>
          {FIELD_GROUPS.map((group) => (
            <fieldset key={group.title}>
              <legend>
                {group.title} {group.hint !== '' && <span className="dim">{group.hint}</span>}
              </legend>
              {group.fields.map(({ field, label, hint }) => {
                const path = pathOf(mapping, field) ?? '';
                const fault = pathFault(path);
                const sharers = sharersOf(mapping, field);
                const value =
                  path === '' || fault !== undefined ? undefined : valueFor(record, mapping, field);
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field inside handles the keys; a click beside it selects it as well
                  // biome-ignore lint/a11y/noStaticElementInteractions: as above
                  <div
                    key={field}
                    className={field === target ? 'mapping-field is-target' : 'mapping-field'}
                    onClick={() => onTarget(field)}
                  >
                    <label htmlFor={`field-${field}`} title={hint}>
                      {label}
                    </label>
                    <input
                      id={`field-${field}`}
                      className="mono mapping-field-path"
                      spellCheck={false}
                      autoComplete="off"
                      placeholder={field === target ? hint : ''}
                      aria-invalid={fault !== undefined}
                      aria-describedby={`value-${field}`}
                      value={path}
                      onFocus={() => onTarget(field)}
                      onChange={(event) => onPath(field, event.target.value)}
                    />
                    <span id={`value-${field}`} className="mapping-value">
                      {fault !== undefined ? (
                        <span className="is-wrong" title={fault}>
                          ✕ {fault}
                        </span>
                      ) : path === '' ? null : value === undefined ? (
                        record !== undefined && <span className="dim">not in this record</span>
                      ) : (
                        <span className="mono" title={oneLine(value, 600)}>
                          {oneLine(value, 120)}
                        </span>
                      )}
                    </span>
                    {path !== '' && (
                      <IconButton label={`Clear ${label}`} onClick={() => onPath(field, undefined)}>
                        <X size={13} />
                      </IconButton>
                    )}
                    {sharers.length > 0 && (
                      <span className="mapping-shared">△ also used by {sharers.map(labelOf).join(', ')}</span>
                    )}
                  </div>
                );
              })}
            </fieldset>
          ))}
        </div>
      </div>
    </section>
  );
}
