/** Edits of a taxonomy, and reading one from a file. Errors include their path. */
import {
  LABEL_COLOURS,
  LABEL_KEYS,
  type Label,
  type LabelKey,
  type Taxonomy,
} from '../../../shared/domain/annotate/taxonomy.ts';

/** `Wrong tool use!` → `wrong-tool-use`. Appends a number if the id is taken. */
export function labelId(name: string, taken: ReadonlySet<string>): string {
  const plain =
    name
      .normalize('NFKD')
      // Removes accents and invisible characters.
      .replaceAll(/[\p{M}\p{Cf}]+/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 40) || 'label';
  if (!taken.has(plain)) return plain;
  for (let i = 2; ; i += 1) if (!taken.has(`${plain}-${i}`)) return `${plain}-${i}`;
}

/** The first unused key. */
function freeKey(labels: readonly Label[]): LabelKey | undefined {
  return LABEL_KEYS.find((key) => labels.every((label) => label.key !== key));
}

export function withNewLabel(taxonomy: Taxonomy, name: string): Taxonomy {
  const { labels } = taxonomy;
  const key = freeKey(labels);
  const colour = LABEL_COLOURS.find((one) => labels.every((label) => label.colour !== one)) ?? 'grey';
  const id = labelId(name, new Set(labels.map((label) => label.id)));
  const label: Label = { id, name, colour, description: '', ...(key === undefined ? {} : { key }) };
  return { ...taxonomy, labels: [...labels, label] };
}

/** If another label has the key, that label loses it. */
export function withLabel(
  taxonomy: Taxonomy,
  id: string,
  changes: Partial<Label> | { readonly key: undefined },
): Taxonomy {
  const key = 'key' in changes ? changes.key : undefined;
  return {
    ...taxonomy,
    labels: taxonomy.labels.map((label) => {
      if (label.id !== id) {
        if (key === undefined || label.key !== key) return label;
        const { key: _, ...rest } = label;
        return rest;
      }
      const { key: own, ...rest } = { ...label, ...changes };
      return own === undefined ? rest : { ...rest, key: own };
    }),
  };
}

export const withoutLabel = (taxonomy: Taxonomy, id: string): Taxonomy => ({
  ...taxonomy,
  labels: taxonomy.labels.filter((label) => label.id !== id),
});

export function withLabelMoved(taxonomy: Taxonomy, id: string, by: 1 | -1): Taxonomy {
  const labels = [...taxonomy.labels];
  const at = labels.findIndex((label) => label.id === id);
  const to = at + by;
  const [label, other] = [labels[at], labels[to]];
  if (label === undefined || other === undefined) return taxonomy;
  labels[at] = other;
  labels[to] = label;
  return { ...taxonomy, labels };
}
