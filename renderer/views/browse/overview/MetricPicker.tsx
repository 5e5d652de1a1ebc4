/** What the trainer logged under its own names: laid over a chart of ours where the name is known, else a chart of its own. */
import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { LoggedMetric } from '../../../../shared/api/contract.ts';
import { counted } from '../../../ui/numbers.ts';
import { overlayOf } from './loggedMetrics.ts';

interface MetricPickerProps {
  readonly logged: readonly LoggedMetric[];
  readonly chosen: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
}

export function MetricPicker({ logged, chosen, onChoose }: MetricPickerProps) {
  if (logged.length === 0) return null;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="button" title="Metrics the trainer logged">
          {counted(logged.length, 'logged metric')} <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu run-menu"
          align="start"
          sideOffset={4}
          aria-label="Logged metrics"
        >
          <DropdownMenu.Label className="menu-label">As charts of their own</DropdownMenu.Label>
          {logged.map(({ name, steps }) => {
            const isChosen = chosen.includes(name);
            return (
              <DropdownMenu.CheckboxItem
                key={name}
                checked={isChosen}
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={(isOn) =>
                  onChoose(isOn ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              >
                <span className="menu-check">{isChosen ? '✓' : ''}</span>
                {name}
                <code className="menu-hint">
                  {counted(steps.length, 'step')}
                  {overlayOf(name) !== undefined && ' · dashed over ours'}
                </code>
              </DropdownMenu.CheckboxItem>
            );
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
