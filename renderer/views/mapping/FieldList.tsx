import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { MAPPED_ROLES, type MappedRole, type Mapping } from '../../../shared/format/mapping.ts';
import type { MessageKeys } from '../../../shared/format/mappingProposal.ts';
import { Button, IconButton } from '../../ui/Controls.tsx';
import {
  FIELD_GROUPS,
  labelOf,
  type MovedList,
  movedText,
  pathFault,
  pathOf,
  type RoleMeaning,
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
  readonly onMessages: (path: string, keys: MessageKeys) => void;
  /** Roles of the messages that need a meaning. */
  readonly roles: readonly RoleMeaning[];
  readonly onRole: (word: string, role: MappedRole) => void;
  /** Describes the last click on a value. */
  readonly picked: string | undefined;
  readonly onUndo: (() => void) | undefined;
}

const ROLE_LABELS: Readonly<Record<MappedRole, string>> = {
  assistant: 'the policy',
  user: 'the user',
  tool: 'a tool',
  system: 'the system prompt',
};

export function FieldList(props: FieldListProps) {
  const { mapping, record, target, onTarget, onPath, moved, skipped, onMessages } = props;
  const { roles, onRole, picked, onUndo } = props;
  const chosen = useRef<HTMLDivElement>(null);
  // A click on a value moves on to a field that may be out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: must run again when the target changes
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: 'nearest' });
  }, [target]);
  const hasNotice = moved !== undefined || skipped !== undefined || picked !== undefined;
  return (
    <section className="mapping-pane" aria-label="Fields of a rollout">
      <div className="mapping-pane-head">
        <h2>Fields of a rollout</h2>
      </div>
      {/* Always there, so that the fields do not move under the pointer. */}
      <p className="mapping-moved" role="status">
        {!hasNotice && (
          <span className="dim">Choose a field, then its value in the record; or write its path.</span>
        )}
        {picked !== undefined && (
          <>
            {picked} {onUndo !== undefined && <Button onClick={onUndo}>Undo</Button>}{' '}
          </>
        )}
        {moved !== undefined && movedText(moved)}
        {moved !== undefined && skipped !== undefined && ' '}
        {skipped !== undefined && (
          <>
            <span className="mono">{skipped.path}</span> has {skipped.elements} elements of this shape, and
            only one is read.{' '}
            {skipped.messages === undefined ? (
              <Button onClick={() => onPath('rollouts', skipped.path)}>Read each as a rollout</Button>
            ) : (
              <ReadAsMessages path={skipped.path} keys={skipped.messages} onMessages={onMessages} />
            )}
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
                    ref={field === target ? chosen : undefined}
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
                      ) : path === '' ? (
                        field === target && (
                          <span className="dim" title={hint}>
                            {hint}
                          </span>
                        )
                      ) : value === undefined ? (
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
                    {field === 'messageRole' && roles.length > 0 && (
                      <span className="mapping-roles">
                        {roles.map(({ word, role }) => (
                          <label key={word}>
                            <span className="mono">{oneLine(word, 40)}</span> is{' '}
                            <select
                              className="text-field"
                              aria-label={`${word} is`}
                              value={role ?? ''}
                              onChange={(event) => {
                                const chosen = MAPPED_ROLES.find((one) => one === event.target.value);
                                if (chosen !== undefined) onRole(word, chosen);
                              }}
                            >
                              {role === undefined && <option value="">the user (not chosen)</option>}
                              {MAPPED_ROLES.map((one) => (
                                <option key={one} value={one}>
                                  {ROLE_LABELS[one]}
                                </option>
                              ))}
                            </select>
                          </label>
                        ))}
                      </span>
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

interface ReadAsMessagesProps {
  readonly path: string;
  readonly keys: MessageKeys;
  readonly onMessages: (path: string, keys: MessageKeys) => void;
}

function ReadAsMessages({ path, keys, onMessages }: ReadAsMessagesProps) {
  return (
    <Button
      title={`Each element is a message: its author is ${keys.role}, its text is ${keys.text}`}
      onClick={() => onMessages(path, keys)}
    >
      Read the list as messages
    </Button>
  );
}
