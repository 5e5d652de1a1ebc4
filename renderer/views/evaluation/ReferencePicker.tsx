/** Chooses the reference lines of a benchmark. Users can add their own, with a source. */
import { ChevronDown } from 'lucide-react';
import { Dialog, DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { type ReferenceLine, useReferenceLines } from '../../state/chartSettings.ts';
import { Button } from '../../ui/Controls.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { percent } from '../../ui/numbers.ts';
import { isBenchmark, PUBLISHED } from './publishedResults.ts';

interface ReferencePickerProps {
  /** The benchmark's name in the log. */
  readonly source: string | undefined;
  /** The benchmark's name within this run. */
  readonly benchmark: string;
}

const NONE: readonly string[] = [];

export function ReferencePicker({ source, benchmark }: ReferencePickerProps) {
  const own = useReferenceLines((state) => state.own);
  const shown = useReferenceLines((state) => state.shownOf[benchmark]) ?? NONE;
  const { flip, remove } = useReferenceLines.getState();
  const [isAdding, setAdding] = useState(false);
  const published = PUBLISHED.filter((line) => isBenchmark(source, line.benchmark));
  const item = (line: ReferenceLine, detail: string) => (
    <DropdownMenu.CheckboxItem
      key={line.id}
      checked={shown.includes(line.id)}
      onSelect={(event) => event.preventDefault()}
      onCheckedChange={() => flip(benchmark, line.id)}
      title={line.source}
    >
      <span className="menu-check">{shown.includes(line.id) ? '✓' : ''}</span>
      {line.name}
      <code className="menu-hint">
        {percent(line.value)} % · {detail}
      </code>
    </DropdownMenu.CheckboxItem>
  );
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <button type="button" className="button">
            Reference lines <ChevronDown size={13} />
          </button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            className="menu run-menu"
            align="end"
            sideOffset={4}
            aria-label="Reference lines"
          >
            <DropdownMenu.Label className="menu-label">
              {published.length === 0
                ? 'No published result is known for this benchmark'
                : `Published, pass@1; ${published[0]?.source}`}
            </DropdownMenu.Label>
            {published.map((line) => item(line, line.benchmark))}
            {own.length > 0 && <DropdownMenu.Label className="menu-label">Your own</DropdownMenu.Label>}
            {own.map((line) => item(line, line.source))}
            <DropdownMenu.Separator />
            {/* Opens after the menu has returned the focus, which would otherwise leave the field. */}
            <DropdownMenu.Item onSelect={() => setTimeout(() => setAdding(true))}>
              Add a line…
            </DropdownMenu.Item>
            {own.map((line) => (
              <DropdownMenu.Item key={line.id} onSelect={() => remove(line.id)}>
                Remove “{line.name}”
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isAdding && <AddLine benchmark={benchmark} onClose={() => setAdding(false)} />}
    </>
  );
}

function AddLine({ benchmark, onClose }: { readonly benchmark: string; readonly onClose: () => void }) {
  const add = useReferenceLines((state) => state.add);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [source, setSource] = useState('');
  const number = Number(value.replace(',', '.'));
  const isValue = value.trim() !== '' && number >= 0 && number <= 100;
  const isWhole = name.trim() !== '' && source.trim() !== '' && isValue;
  return (
    <Modal onClose={onClose}>
      <Dialog.Title className="dialog-title">A reference line</Dialog.Title>
      <form
        className="save-view"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWhole) return;
          const line = { name: name.trim(), value: number / 100, source: source.trim() };
          add(benchmark, { ...line, id: `own ${line.name} ${line.value} ${line.source}` });
          onClose();
        }}
      >
        <input
          className="text-field"
          aria-label="Name of the line"
          placeholder="Name: a model, a run"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <input
          className="text-field"
          aria-label="pass@1 in per cent"
          placeholder="pass@1 in per cent: 0 to 100"
          inputMode="decimal"
          aria-invalid={value !== '' && !isValue}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <input
          className="text-field"
          aria-label="Source"
          placeholder="Source: where the number is from"
          maxLength={300}
          value={source}
          onChange={(event) => setSource(event.target.value)}
        />
        <div className="save-view-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button isPrimary type="submit" disabled={!isWhole}>
            Add
          </Button>
        </div>
      </form>
    </Modal>
  );
}
