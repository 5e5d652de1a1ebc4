import type { Label } from '../../shared/domain/annotate/taxonomy.ts';

/** A label by its colour and its name: never by colour alone. */
export function LabelName({ label }: { readonly label: Pick<Label, 'name' | 'colour' | 'description'> }) {
  return (
    <span className="label-name" title={label.description}>
      <i className="label-dot" data-colour={label.colour} aria-hidden />
      {label.name}
    </span>
  );
}
