/** Saved queries: the user's own, and examples. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { ExampleQuery, ParamsOf, SavedQuery } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { Button, IconButton } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { useFocusReturn } from '../../ui/useAutoFocus.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';

/** A library of somebody else may contain thousands. */
const FIRST_QUERIES = 50;
/** Characters. */
const [LONGEST_NAME, LONGEST_TITLE] = [200, 2_000];

interface SavedPanelProps {
  readonly examples: readonly ExampleQuery[];
  readonly sql: string;
  readonly onTake: (query: { readonly name: string; readonly sql: string }) => void;
}

export function SavedPanel({ examples, sql, onTake }: SavedPanelProps) {
  const client = useClient();
  const queryClient = useQueryClient();
  const saved = useRequest('query.list', {}).data;
  const queries = saved ?? [];
  const { shown, more } = useFirstItems(queries, 'query', FIRST_QUERIES, 'queries');
  const [name, setName] = useState('');
  const [renamed, setRenamed] = useState<string>();
  /** A renamed query gets a new row, which must take the focus from the old one. */
  const [newName, setNewName] = useState<string>();
  const [removed, setRemoved] = useState<SavedQuery>();
  const onSuccess = () => void queryClient.invalidateQueries({ queryKey: ['query.list'] });
  const save = useMutation({
    mutationFn: (query: ParamsOf<'query.save'>) => client.request('query.save', query),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: (query: SavedQuery) => client.request('query.remove', { name: query.name }),
    onSuccess: (_, query) => {
      setRemoved(query);
      onSuccess();
    },
  });
  const isTaken = queries.some((query) => query.name === name.trim());
  const saveNew = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ name, sql }, { onSuccess: () => setName('') });
  };
  const error = save.error ?? remove.error;
  return (
    <section className="sql-saved" aria-label="Saved queries">
      <form onSubmit={saveNew}>
        <input
          aria-label="Name of the query"
          placeholder="Name of this query"
          maxLength={LONGEST_NAME}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={name.trim() === '' || sql.trim() === ''}>
          {isTaken ? 'Replace' : 'Save'}
        </Button>
      </form>
      {error !== null && (
        <p className="is-wrong" role="alert">
          {error.message}
        </p>
      )}
      {removed !== undefined && (
        <p role="status">
          Removed {plainLogText(removed.name)}.{' '}
          <Button onClick={() => save.mutate(removed, { onSuccess: () => setRemoved(undefined) })}>
            Undo
          </Button>
        </p>
      )}
      {saved?.length === 0 && <p className="dim">No saved queries in this library yet.</p>}
      <ul>
        {shown.map((query) => (
          <li key={query.name}>
            {renamed === query.name ? (
              <Rename
                name={query.name}
                onDone={(next) => {
                  setRenamed(undefined);
                  if (next === undefined || next === query.name) return;
                  setNewName(next);
                  save.mutate({ name: next, sql: query.sql, formerName: query.name });
                }}
              />
            ) : (
              <button
                type="button"
                className="sql-take"
                title={plainLogText(query.sql, LONGEST_TITLE)}
                onClick={() => onTake(query)}
              >
                <b>{plainLogText(query.name)}</b>
                <span className="dim">saved {new Date(query.createdAt).toLocaleDateString('en-CA')}</span>
              </button>
            )}
            <IconButton
              label={`Rename ${plainLogText(query.name)}`}
              autoFocus={query.name === newName}
              onClick={() => setRenamed(query.name)}
            >
              <Pencil size={13} />
            </IconButton>
            <IconButton label={`Remove ${plainLogText(query.name)}`} onClick={() => remove.mutate(query)}>
              <Trash2 size={13} />
            </IconButton>
          </li>
        ))}
      </ul>
      {more}
      <h3>Examples</h3>
      <ul>
        {examples.map((query) => (
          <li key={query.name}>
            <button type="button" className="sql-take" title={query.sql} onClick={() => onTake(query)}>
              <b>{query.name}</b>
              <span className="dim">{query.about}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Rename(props: { readonly name: string; readonly onDone: (name: string | undefined) => void }) {
  // A library of somebody else may contain longer names than the field takes.
  const [name, setName] = useState(props.name.slice(0, LONGEST_NAME));
  const form = useRef<HTMLFormElement>(null);
  useFocusReturn(form);
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        props.onDone(name.trim() === '' ? undefined : name.trim());
      }}
    >
      <input
        aria-label={`New name of ${plainLogText(props.name)}`}
        // biome-ignore lint/a11y/noAutofocus: it replaces the rename button that the user pressed
        autoFocus
        maxLength={LONGEST_NAME}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          props.onDone(undefined);
        }}
      />
      <Button type="submit">Rename</Button>
    </form>
  );
}
