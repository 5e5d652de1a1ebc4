interface ShapeRowProps {
  /** Top-level fields of the records. */
  readonly keys: readonly string[];
  readonly shape: readonly string[];
  readonly onShape: (shape: readonly string[]) => void;
}

/** More would be a wall; the shape itself is always shown whole. */
const MAX_KEYS = 60;

/** By these fields further files are recognised as fit for the mapping. */
export function ShapeRow({ keys, shape, onShape }: ShapeRowProps) {
  const all = [...new Set([...shape, ...keys.slice(0, MAX_KEYS)])];
  const flip = (key: string) =>
    onShape(
      shape.includes(key)
        ? shape.filter((one) => one !== key)
        : all.filter((one) => one === key || shape.includes(one)),
    );
  return (
    <fieldset className="mapping-shape">
      <legend>Shape</legend>
      <span className="muted">Reused for files whose records have all of these fields:</span>
      {all.map((key) => (
        <button
          key={key}
          type="button"
          className="chip mono"
          aria-pressed={shape.includes(key)}
          onClick={() => flip(key)}
        >
          {shape.includes(key) ? '✓ ' : ''}
          {key}
        </button>
      ))}
      {shape.length === 0 && <span className="is-wrong">none chosen: every unknown file would fit</span>}
    </fieldset>
  );
}
