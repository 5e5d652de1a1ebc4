/** The labels of this library: names, keys, colours, order. Changes are saved immediately. */

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Taxonomy } from '../../../shared/api/contract.ts';
import { DEFAULT_TAXONOMY } from '../../../shared/domain/annotate/taxonomy.ts';
import { parseTaxonomyFile } from '../../../shared/format/taxonomy.ts';
import { annotationsChanged } from '../../data/annotations.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { notSaved } from '../../data/failures.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { LabelEditor } from './LabelEditor.tsx';
import { withLabel, withLabelMoved, withNewLabel, withoutLabel } from './taxonomyModel.ts';

/** An imported file may contain thousands of labels; each editor has ten controls. */
const FIRST_LABELS = 100;

export function TaxonomyTab() {
  const answer = useRequest('taxonomy.get', {});
  const stored = answer.data?.taxonomy;
  const [edited, setEdited] = useState<Taxonomy>();
  const [name, setName] = useState('');
  const client = useClient();
  const queryClient = useQueryClient();
  const { setNotice } = useInterface.getState();
  const taxonomy = edited ?? stored;
  const { shown, more } = useFirstItems(taxonomy?.labels ?? [], 'label', FIRST_LABELS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change from another window replaces the local edit
  useEffect(() => setEdited(undefined), [stored]);
  if (answer.error !== null)
    return (
      <FailedState
        title="The labels could not be read"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (taxonomy === undefined || answer.data === undefined)
    return <WaitingState title="Reading the labels…" />;
  const counts = new Map(answer.data.counts.map((one) => [one.label, one] as const));

  const store = async (next: Taxonomy, said?: string) => {
    setEdited(next);
    try {
      await client.request('taxonomy.set', {
        taxonomy: { ...next, labels: next.labels.map((label) => ({ ...label })) },
      });
      await annotationsChanged(queryClient);
      if (said !== undefined) setNotice(said);
    } catch (error) {
      setEdited(undefined);
      setNotice(notSaved(error));
    }
  };
  const importFile = async (file: File | undefined) => {
    if (file === undefined) return;
    const read = parseTaxonomyFile(await file.text());
    if (read.ok) await store(read.value, `${read.value.labels.length} labels of ${file.name}`);
    else setNotice(`${file.name}: ${read.message}`);
  };
  return (
    <div className="labels-scroll taxonomy">
      <div className="labels-scope">
        <TextField
          aria-label="Name of the taxonomy"
          value={taxonomy.name}
          onChange={(event) => setEdited({ ...taxonomy, name: event.target.value })}
          onBlur={() => edited !== undefined && edited.name.trim() !== '' && void store(edited)}
        />
        <Segmented
          label="A rollout or turn can have"
          chosen={taxonomy.choice}
          onChoose={(choice) => void store({ ...taxonomy, choice })}
          choices={[
            { id: 'many', label: 'several labels', title: 'A rollout or turn can have several labels' },
            {
              id: 'one',
              label: 'one label',
              title: 'A second label of the same reviewer replaces the first',
            },
          ]}
        />
        <Button
          onClick={() =>
            saveText('taxonomy.json', `${JSON.stringify(taxonomy, undefined, 2)}\n`, 'application/json')
          }
        >
          Save to a file
        </Button>
        <label className="button">
          Read from a file
          <input
            type="file"
            accept="application/json,.json"
            className="visually-hidden"
            onChange={(event) => {
              void importFile(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
        </label>
        {!answer.data.isDefault && (
          <Button onClick={() => void store(DEFAULT_TAXONOMY, 'The default labels')}>Reset to default</Button>
        )}
      </div>
      <p className="muted">Labels of this library. Removing one here keeps the annotations that have it.</p>
      <ul className="label-editors">
        {shown.map((label, i) => (
          <LabelEditor
            key={label.id}
            label={label}
            uses={counts.get(label.id)?.annotations ?? 0}
            isFirst={i === 0}
            isLast={i === taxonomy.labels.length - 1}
            onType={(changes) => setEdited(withLabel(taxonomy, label.id, changes))}
            onSave={(changes) => void store(withLabel(taxonomy, label.id, changes))}
            onMove={(by) => void store(withLabelMoved(taxonomy, label.id, by))}
            onRemove={() =>
              void store(withoutLabel(taxonomy, label.id), `${label.name} removed from the taxonomy`)
            }
          />
        ))}
      </ul>
      {more}
      <form
        className="labels-scope"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return;
          void store(withNewLabel(taxonomy, name.trim()), `${name.trim()} added`);
          setName('');
        }}
      >
        <input
          type="text"
          aria-label="Name of a new label"
          placeholder="Name of a new label"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={name.trim() === ''}>
          Add a label
        </Button>
      </form>
    </div>
  );
}
