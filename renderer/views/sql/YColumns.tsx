/** Which columns are drawn over x: up to six of those that hold numbers. */
import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { MOST_SERIES } from './chartChoice.ts';

interface YColumnsProps {
  readonly columns: readonly string[];
  /** Whether each holds numbers. */
  readonly numeric: readonly boolean[];
  /** Places of columns, in order. */
  readonly chosen: readonly number[];
  readonly onChoose: (chosen: readonly number[]) => void;
}

export function YColumns({ columns, numeric, chosen, onChoose }: YColumnsProps) {
  const isFull = chosen.length >= MOST_SERIES;
  const names = chosen.map((i) => columns[i] ?? '').join(', ');
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="button sql-y" aria-label={`y: ${names}`} title={names}>
          y <span>{names}</span> <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu sql-y-menu"
          align="start"
          sideOffset={4}
          aria-label="Columns on y"
        >
          <DropdownMenu.Label className="menu-label">
            {isFull ? `${MOST_SERIES} columns are the most` : `Up to ${MOST_SERIES} columns`}
          </DropdownMenu.Label>
          {columns.map((name, i) => {
            const isChosen = chosen.includes(i);
            return (
              <DropdownMenu.CheckboxItem
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
                key={i}
                checked={isChosen}
                disabled={numeric[i] === false || (isChosen ? chosen.length === 1 : isFull)}
                // Several are chosen in a row.
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={(isOn) =>
                  onChoose(isOn ? [...chosen, i].sort((a, b) => a - b) : chosen.filter((each) => each !== i))
                }
              >
                <span className="menu-check">{isChosen ? '✓' : ''}</span>
                {name}
              </DropdownMenu.CheckboxItem>
            );
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
