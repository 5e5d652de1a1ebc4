/**
 * Exports the code of a rollout as a Python script or a Jupyter notebook. Behaviour of the two tools: shared/domain/DOMAIN.md#tools-of-the-release. The release's
 * `python_code_with_standard_io` starts a fresh process with its `input` on stdin; `jupyter_code` replays the
 * earlier cells.
 */

import type { Segment, ToolCall, ToolOutcome, TurnNumber } from './model.ts';
import { tryParseJson } from './parseJson.ts';
import { printedBy } from './toolOutput.ts';

export interface CodeCell {
  readonly turn: TurnNumber;
  /** Index into the rollout's tool calls. */
  readonly call: number;
  readonly tool?: string;
  readonly code: string;
  /** Content of stdin. Absent if the call has no `input` or an empty one. */
  readonly input?: string;
  readonly outcome: ToolOutcome;
  /** As logged. Absent if nothing was printed. */
  readonly printed?: string;
}

export interface CodeSource {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
}

/** Calls whose code could be parsed, in order. Other calls are skipped. */
export function codeCells({ response, segments, toolCalls }: CodeSource): readonly CodeCell[] {
  return toolCalls.flatMap((call, i): CodeCell[] => {
    if (call.code === undefined) return [];
    const input = inputOf(call.arguments);
    const inner = call.responseSegment === undefined ? undefined : segments[call.responseSegment]?.inner;
    const printed = inner === undefined ? undefined : printedBy(response.slice(inner.start, inner.end));
    return [
      {
        turn: call.turn,
        call: i,
        ...(call.name === undefined ? {} : { tool: call.name }),
        code: call.code,
        ...(input === undefined ? {} : { input }),
        outcome: call.outcome,
        ...(printed === undefined ? {} : { printed }),
      },
    ];
  });
}

function inputOf(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  // Leniently parsed arguments are not strict JSON, so their stdin is unknown.
  const parsed = tryParseJson(json);
  if (typeof parsed !== 'object' || parsed === null || !('input' in parsed)) return undefined;
  return typeof parsed.input === 'string' && parsed.input !== '' ? parsed.input : undefined;
}

const FUTURE = /^[ \t]*from[ \t]+__future__[ \t]+import\b.*(?:\n|$)/gm;
/** Syntax of IPython that is not valid Python. */
const MAGIC = /^[ \t]*[!%]/gm;
const OTHER_LANGUAGE = /bash|shell|terminal|sql|javascript|node/i;

/** Whether the code of a tool is Python, by the name of the tool. */
export const isPythonTool = (tool: string | undefined): boolean =>
  tool === undefined || !OTHER_LANGUAGE.test(tool);

const isPython = ({ tool }: CodeCell): boolean => isPythonTool(tool);

/** A JSON string is a valid Python string. Both escape a lone surrogate. */
const pythonString = (text: string): string => JSON.stringify(text);

const bodyOf = ({ code }: CodeCell): string => {
  const whole = code.endsWith('\n') ? code : `${code}\n`;
  return whole.replace(MAGIC, (magic) => `# ${magic}`);
};

const stdinOf = ({ input = '' }: CodeCell): string => `sys.stdin = io.StringIO(${pythonString(input)})\n`;

/** The code with its stdin set up before it, after the lines that Python requires first. */
function runnable(cell: CodeCell, isScript = true): string {
  const body = isScript ? bodyOf(cell) : cell.code;
  if (cell.input === undefined) return body;
  const last = [...body.matchAll(FUTURE)].at(-1);
  const at = last === undefined ? 0 : last.index + last[0].length;
  return `${body.slice(0, at)}import io, sys\n${stdinOf(cell)}${body.slice(at)}`;
}

const commented = (text: string): string => text.replace(/^/gm, '# ').replace(/# $/, '');

/** On one line, so that no log text can end the comment around it. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

function headOf({ turn, call, tool, outcome }: CodeCell): string {
  return oneLine(`turn ${turn}, call ${call + 1}${tool === undefined ? '' : ` · ${tool}`} · ${outcome}`);
}

const keepsState = (cells: readonly CodeCell[]): boolean =>
  cells.some(({ tool }) => tool?.includes('jupyter'));

const stateNote = (cells: readonly CodeCell[]): string =>
  keepsState(cells)
    ? 'The tool replays earlier cells before each one: run them in order.'
    : 'Each call ran by itself in the log; here they share one interpreter.';

/** One cell as a complete script. `title`: its origin, on one line. */
export function scriptOfCell(cell: CodeCell, title: string): string {
  return `# ${oneLine(title)}\n# ${headOf(cell)}\n${runnable(cell)}`;
}

const RAN: ReadonlySet<ToolOutcome> = new Set(['ok_stdout', 'ok_empty', 'ok']);

/** Why a cell is excluded from the joint script: one that raises or cannot be parsed would end the script. */
function reasonToLeaveOut(cell: CodeCell): string | undefined {
  if (!isPython(cell)) return 'not valid Python, so it is commented out';
  if (!RAN.has(cell.outcome)) return 'it failed in the log, so it is commented out';
  return undefined;
}

/**
 * All cells, one `# %%` section each. Cells that failed in the log or are not valid Python become comments.
 * Each other cell gets its own stdin, as in the log. Lines that Python requires first come first.
 */
export function scriptOf(cells: readonly CodeCell[], title: string): string {
  const run = cells.filter((cell) => reasonToLeaveOut(cell) === undefined);
  const futures = new Set(run.flatMap((cell) => bodyOf(cell).match(FUTURE) ?? []).map((line) => line.trim()));
  const hasInput = run.some(({ input }) => input !== undefined);
  const parts = cells.map((cell) => {
    const reason = reasonToLeaveOut(cell);
    if (reason !== undefined) return `# %% ${headOf(cell)}\n# (${reason})\n${commented(bodyOf(cell))}`;
    return `# %% ${headOf(cell)}\n${hasInput ? stdinOf(cell) : ''}${bodyOf(cell).replace(FUTURE, '')}`;
  });
  const first = [...futures, ...(hasInput ? ['import io, sys'] : [])].map((line) => `${line}\n`).join('');
  return [`# ${oneLine(title)}\n# ${stateNote(cells)}\n${first}`, ...parts].join('\n');
}

/** nbformat 4.5, with outputs as logged, never executed. Deterministic: equal cells give equal bytes. */
export function notebookOf(cells: readonly CodeCell[], title: string): string {
  const hasInput = cells.some(({ input }) => input !== undefined);
  const notebook = {
    cells: [
      {
        cell_type: 'raw',
        id: 'origin',
        metadata: {},
        source: lines(`${oneLine(title)}\n${stateNote(cells)}\nOutputs are as logged.`),
      },
      ...cells.map((cell) => cellOf(cell, hasInput)),
    ],
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, undefined, 1)}\n`;
}

function cellOf(cell: CodeCell, hasInput: boolean) {
  const id = `call-${cell.call + 1}`;
  const metadata = { turnwise: { turn: cell.turn, call: cell.call + 1, outcome: cell.outcome } };
  if (!isPython(cell))
    return { cell_type: 'raw', id, metadata, source: lines(`# ${headOf(cell)}\n${cell.code}`) };
  return {
    cell_type: 'code',
    execution_count: null,
    id,
    metadata,
    outputs:
      cell.printed === undefined
        ? []
        : [{ output_type: 'stream', name: 'stdout', text: lines(`${cell.printed}\n`) }],
    source: lines(`# ${headOf(cell)}\n${withStdin(cell, hasInput).replace(/\n$/, '')}`),
  };
}

/**
 * Keeps magics, because a notebook supports them. If one cell has stdin, all cells set theirs; otherwise a cell
 * would read the unread input of an earlier one.
 */
const withStdin = (cell: CodeCell, hasInput: boolean): string =>
  hasInput ? runnable({ ...cell, input: cell.input ?? '' }, false) : cell.code;

/** Lines with their newline, as notebooks store text. */
const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
