/** Up to five runs beside this one, on the same charts. Those of the same log come first. */
import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { RunDetail, RunSummary } from '../../../../shared/api/contract.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { counted } from '../../../ui/numbers.ts';
import { MOST_RUNS } from './overviewLink.ts';

interface RunPickerProps {
  readonly run: RunDetail;
  readonly compared: readonly string[];
  readonly onCompare: (runKeys: readonly string[]) => void;
}

export function RunPicker({ run, compared, onCompare }: RunPickerProps) {
  const runs = useRequest('run.list', {}).data ?? [];
  const others = runs
    .filter((one) => one.runKey !== run.runKey && one.hasSteps)
    .sort((a, b) => Number(isNear(b, run)) - Number(isNear(a, run)));
  const isFull = compared.length >= MOST_RUNS - 1;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="button" title={`Up to ${MOST_RUNS} runs on the same charts`}>
          {compared.length === 0 ? 'Compare runs' : `${compared.length + 1} runs`} <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu run-menu"
          align="start"
          sideOffset={4}
          aria-label="Compare with"
        >
          <DropdownMenu.Label className="menu-label">
            {others.length === 0
              ? 'This library has no other run with steps'
              : isFull
                ? `${MOST_RUNS} runs are the most`
                : 'Compare with'}
          </DropdownMenu.Label>
          {others.map((other) => {
            const isChosen = compared.includes(other.runKey);
            return (
              <DropdownMenu.CheckboxItem
                key={other.runKey}
                checked={isChosen}
                disabled={isFull && !isChosen}
                // Several are chosen in a row.
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={(isOn) =>
                  onCompare(
                    isOn ? [...compared, other.runKey] : compared.filter((key) => key !== other.runKey),
                  )
                }
              >
                <span className="menu-check">{isChosen ? '✓' : ''}</span>
                {other.name}
                <code className="menu-hint">
                  {other.kind} · {counted(other.steps, 'step')}
                </code>
              </DropdownMenu.CheckboxItem>
            );
          })}
          {compared.length > 0 && (
            <>
              <DropdownMenu.Separator />
              <DropdownMenu.Item onSelect={() => onCompare([])}>This run alone</DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Training and evaluation of one log. */
function isNear(other: RunSummary, run: RunDetail): boolean {
  return other.directory === run.directory;
}
