import { useState } from 'react';
import type { SqlSource } from '../../../shared/api/contract.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { SavedPanel } from './SavedPanel.tsx';
import { SchemaPanel } from './SchemaPanel.tsx';

interface SidePanelProps {
  readonly sources: readonly SqlSource[];
  readonly sql: string;
  readonly onInsert: (text: string) => void;
  readonly onTake: (query: { readonly name: string; readonly sql: string }) => void;
}

const TABS = [
  { id: 'schema', label: 'Schema' },
  { id: 'saved', label: 'Queries' },
] as const;

export function SidePanel({ sources, sql, onInsert, onTake }: SidePanelProps) {
  const [tab, setTab] = useState<(typeof TABS)[number]['id']>('saved');
  return (
    <aside className="sql-side" aria-label="Schema and queries">
      <Segmented label="Panel" choices={TABS} chosen={tab} onChoose={setTab} />
      {tab === 'schema' ? (
        <SchemaPanel sources={sources} onInsert={onInsert} />
      ) : (
        <SavedPanel sql={sql} onTake={onTake} />
      )}
    </aside>
  );
}
