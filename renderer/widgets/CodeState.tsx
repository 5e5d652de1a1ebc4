/**
 * Copies the code of rollouts, so that it can be run elsewhere. To run a call here: `rerun/`. A view provides the rollout
 * (`CodeOf`). Each code cell has its buttons, and each rollout has a menu.
 */
import { Check, ClipboardList, FileCode2, SquareTerminal } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { createContext, type ReactNode, useContext, useState } from 'react';
import type { RolloutDetail } from '../../shared/api/contract.ts';
import {
  type CodeCell,
  codeCells,
  notebookOf,
  scriptOf,
  scriptOfCell,
} from '../../shared/domain/codeCells.ts';
import { useCommands } from '../shell/keys/commands.ts';
import { useInterface } from '../state/interface.ts';
import { IconButton } from '../ui/Controls.tsx';
import { copyText, saveText } from '../ui/exportText.ts';
import { counted } from '../ui/numbers.ts';
import './codeState.css';

const Code = createContext<RolloutDetail | undefined>(undefined);

/** Provides the rollout for the code buttons and menus below it. */
export function CodeOf({
  detail,
  children,
}: {
  readonly detail: RolloutDetail;
  readonly children: ReactNode;
}) {
  return <Code value={detail}>{children}</Code>;
}

async function copied(text: string | undefined, what: string): Promise<boolean> {
  if (text === undefined) return false;
  const isCopied = await copyText(text);
  const { setNotice } = useInterface.getState();
  setNotice(isCopied ? `${what} copied` : 'The clipboard is not available here');
  return isCopied;
}

/** Buttons of one tool call. Renders nothing if its code cannot be parsed. */
export function CodeCellButtons(props: { readonly segment: number; readonly detail?: RolloutDetail }) {
  const { segment } = props;
  const around = useContext(Code);
  const detail = props.detail ?? around;
  const state = detail === undefined ? undefined : codeStateOf(detail);
  if (state?.hasCell(segment) !== true) return null;
  return (
    <span className="code-copies">
      <CellButton
        label="Copy as script"
        hint="This cell with its input, runnable by itself"
        onCopy={() => copied(state.cellScript(segment), 'Script of this cell')}
      >
        <SquareTerminal size={13} />
      </CellButton>
      <CellButton
        label="Copy all cells to here"
        hint="One script of all cells up to this one"
        onCopy={() => copied(state.scriptTo(segment), 'Script of all cells to here')}
      >
        <ClipboardList size={13} />
      </CellButton>
    </span>
  );
}

interface CellButtonProps {
  readonly label: string;
  readonly hint: string;
  readonly onCopy: () => Promise<boolean>;
  readonly children: ReactNode;
}

function CellButton({ label, hint, onCopy, children }: CellButtonProps) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="code-copy"
      aria-label={label}
      title={`${label}: ${hint}`}
      onClick={(event) => {
        event.stopPropagation();
        void onCopy().then(setCopied);
      }}
      onPointerLeave={() => setCopied(false)}
    >
      {isCopied ? <Check size={13} /> : children}
    </button>
  );
}

interface CodeMenuProps {
  readonly detail?: RolloutDetail;
  /** Only one of several visible rollouts may register the commands. */
  readonly hasCommands?: boolean;
  readonly size?: number;
}

/** The menu of the whole rollout, with its commands. */
export function CodeMenu({ hasCommands = true, size = 16, ...props }: CodeMenuProps) {
  const around = useContext(Code);
  const { setNotice } = useInterface.getState();
  const detail = props.detail ?? around;
  const state = detail === undefined ? undefined : codeStateOf(detail);
  const cells = state?.cells ?? 0;
  const save = (extension: 'py' | 'ipynb') => {
    if (detail === undefined || state === undefined) return;
    const name = codeFileName(detail, extension);
    const isPython = extension === 'py';
    saveText(
      name,
      isPython ? state.script() : state.notebook(),
      isPython ? 'text/x-python' : 'application/x-ipynb+json',
    );
    setNotice(`${name}: ${counted(cells, 'cell')} downloaded`);
  };
  const copy = () => void copied(state?.script(), `Script of ${counted(cells, 'cell')}`);
  const isOffered = hasCommands && cells > 0;
  useCommands({
    'code.script': isOffered ? copy : undefined,
    'code.saveNotebook': isOffered ? () => save('ipynb') : undefined,
    'code.savePython': isOffered ? () => save('py') : undefined,
  });
  if (cells === 0) return null;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <IconButton label={`Code: ${counted(cells, 'cell')}`}>
          <FileCode2 size={size} />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
          <DropdownMenu.Item onSelect={() => save('ipynb')}>Save as notebook (.ipynb)</DropdownMenu.Item>
          <DropdownMenu.Item onSelect={() => save('py')}>Save as script (.py)</DropdownMenu.Item>
          <DropdownMenu.Item onSelect={copy}>Copy as script</DropdownMenu.Item>
          <DropdownMenu.Label className="code-note">
            {counted(cells, 'cell')} with their inputs, to run elsewhere.
          </DropdownMenu.Label>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** `demo · step 3 · p7 · #12`. */
export function codeTitle({ row, run }: Pick<RolloutDetail, 'row' | 'run'>): string {
  const step = run.hasSteps ? [`step ${row.step}`] : [];
  return [run.name, ...step, row.groupKey, `#${row.ordinal}`].join(' \u00b7 ');
}

/** A file name that every file system accepts and that differs between rollouts. */
export function codeFileName(detail: Pick<RolloutDetail, 'row' | 'run'>, extension: 'py' | 'ipynb'): string {
  const plain = codeTitle(detail)
    .replaceAll('#', '')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/g, '');
  return `${plain.slice(0, 120) || 'rollout'}.${extension}`;
}

interface CodeState {
  /** Number of calls whose code can be parsed. */
  readonly cells: number;
  /** Whether the segment is one of these calls. */
  readonly hasCell: (segment: number) => boolean;
  /** The cell of one call. Undefined if the segment is not a call. */
  readonly cellScript: (segment: number) => string | undefined;
  /** All cells up to and including this segment. */
  readonly scriptTo: (segment: number) => string;
  readonly script: () => string;
  readonly notebook: () => string;
}

const states = new WeakMap<RolloutDetail, CodeState>();

/** Cached by rollout. Cells and scripts are built on demand, since most are never used. */
export function codeStateOf(detail: RolloutDetail): CodeState {
  const known = states.get(detail) ?? newState(detail);
  states.set(detail, known);
  return known;
}

function newState(detail: RolloutDetail): CodeState {
  const { toolCalls } = detail;
  const title = codeTitle(detail);
  const withCode = toolCalls.filter(({ code }) => code !== undefined);
  const segments = new Set(withCode.map(({ callSegment }) => callSegment));
  let made: readonly CodeCell[] | undefined;
  const cells = (): readonly CodeCell[] => {
    made ??= codeCells(detail);
    return made;
  };
  const segmentOf = ({ call }: CodeCell): number => toolCalls[call]?.callSegment ?? 0;
  return {
    cells: withCode.length,
    hasCell: (segment) => segments.has(segment),
    cellScript: (segment) => {
      const cell = cells().find((one) => segmentOf(one) === segment);
      return cell === undefined ? undefined : scriptOfCell(cell, title);
    },
    scriptTo: (segment) =>
      scriptOf(
        cells().filter((cell) => segmentOf(cell) <= segment),
        title,
      ),
    script: () => scriptOf(cells(), title),
    notebook: () => notebookOf(cells(), title),
  };
}
