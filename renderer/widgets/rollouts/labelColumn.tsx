import { labelOf, useTaxonomy } from '../../data/annotations.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { LabelName } from '../../ui/Marks.tsx';
import type { RolloutColumn } from './rolloutColumns.tsx';

/** The labels that readers gave a rollout. */
export const LABEL_COLUMN: RolloutColumn = {
  id: 'labels',
  label: 'labels',
  value: (row) => row.labels?.join(' '),
  filterField: 'label',
  hint: 'Labels that reviewers gave it or parts of it',
  minWidth: 120,
  grow: 1,
  isKnown: (row) => row.labels !== undefined,
  cell: (row) => <LabelNames ids={row.labels} />,
};

/** Shows the first label by name and counts the others. The tooltip lists all. */
export function LabelNames({ ids = [] }: { readonly ids?: readonly string[] | undefined }) {
  const taxonomy = useTaxonomy();
  const labels = ids.map((id) => labelOf(taxonomy, id));
  const [first] = labels;
  if (first === undefined) return null;
  return (
    <span className="label-names" title={plainLogText(labels.map(({ name }) => name).join(', '))}>
      <LabelName label={first} />
      {labels.length > 1 && <span className="muted">+{labels.length - 1}</span>}
    </span>
  );
}
