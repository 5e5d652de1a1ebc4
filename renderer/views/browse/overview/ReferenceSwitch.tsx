/** Shows or hides somebody else's number on a chart; it says whose, how much, and where it is from. */
import type { ReferenceLine } from '../../../state/referenceLines.ts';

interface ReferenceSwitchProps {
  readonly lines: readonly ReferenceLine[];
  readonly shownIds: readonly string[];
  readonly onFlip: (id: string) => void;
  readonly format: (value: number) => string;
}

export function ReferenceSwitch({ lines, shownIds, onFlip, format }: ReferenceSwitchProps) {
  return lines.map(({ id, name, value, source }) => (
    <button
      key={id}
      type="button"
      className="reference-switch"
      aria-pressed={shownIds.includes(id)}
      aria-label={`Reference: ${name} ${format(value)}`}
      title={`${name} ${format(value)} · ${source}`}
      onClick={() => onFlip(id)}
    >
      reference
    </button>
  ));
}
