import { useState } from 'react';
import type { ExampleQuery, SqlSource } from '../../../shared/api/contract.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { SavedPanel } from './SavedPanel.tsx';

interface SidePanelProps {
  readonly sources: readonly SqlSource[];
  readonly examples: readonly ExampleQuery[];
  readonly sql: string;
  readonly onInsert: (text: string) => void;
  readonly onTake: (query: { readonly name: string; readonly sql: string }) => void;
}

const TABS = [
  { id: 'schema', label: 'Schema' },
  { id: 'saved', label: 'Queries' },
] as const;

export function SidePanel({ sources, examples, sql, onInsert, onTake }: SidePanelProps) {
  const [tab, setTab] = useState<(typeof TABS)[number]['id']>('saved');
  return (
    <aside className="sql-side" aria-label="Schema and queries">
      <Segmented label="Panel" choices={TABS} chosen={tab} onChoose={setTab} />
      {tab === 'schema' ? (
        <SchemaPanel sources={sources} onInsert={onInsert} />
      ) : (
        <SavedPanel examples={examples} sql={sql} onTake={onTake} />
      )}
    </aside>
  );
}

interface SchemaPanelProps {
  readonly sources: readonly SqlSource[];
  readonly onInsert: (name: string) => void;
}

/** The tables and columns that can be queried. A click or Enter inserts the name into the statement. */
function SchemaPanel({ sources, onInsert }: SchemaPanelProps) {
  const [wanted, setWanted] = useState('');
  const shown = sources.flatMap((source) => {
    const word = wanted.trim().toLowerCase();
    const isAll = source.name.includes(word);
    const columns = isAll ? source.columns : source.columns.filter(({ name }) => name.includes(word));
    return isAll || columns.length > 0 ? [{ source, columns, isOpen: word !== '' }] : [];
  });
  return (
    <section className="sql-schema" aria-label="Schema">
      <input
        type="search"
        aria-label="Find a view or column"
        placeholder="Find a view or column"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      {shown.length === 0 && <p className="dim">No view or column has such a name.</p>}
      {shown.map(({ source, columns, isOpen }) => (
        <details key={source.name} open={isOpen || undefined}>
          <summary title={source.about}>
            <b>{source.form}</b>
          </summary>
          <p className="dim">{source.about}</p>
          <button type="button" className="sql-insert" onClick={() => onInsert(insertOf(source))}>
            <code>{source.form}</code> <span className="dim">insert</span>
          </button>
          {columns.map(({ name, about }) => (
            <button
              type="button"
              key={name}
              className="sql-insert"
              title={about}
              onClick={() => onInsert(name === 'end' ? '"end"' : name)}
            >
              <code>{name}</code> <span className="dim">{about}</span>
            </button>
          ))}
        </details>
      ))}
    </section>
  );
}

const insertOf = ({ kind, name, form }: SqlSource): string => (kind === 'view' ? name : form);
