/**
 * The code a rollout ran, to be run again elsewhere: as a Python script or as a Jupyter notebook. Turnwise runs
 * none of it. Source of the two tools' behaviour: `domain.md` §2.2 (the release's `python_code_with_standard_io`
 * starts afresh with its `input` on stdin; `jupyter_code` replays the earlier cells).
 */
import type { Segment, ToolCall, ToolOutcome, TurnNumber } from './model.ts';
import { printedBy } from './toolOutput.ts';

export interface CodeCell {
  readonly turn: TurnNumber;
  /** Index into the rollout's tool calls. */
  readonly call: number;
  readonly tool?: string;
  readonly code: string;
  /** What stood on stdin; absent where the call has no `input`, or an empty one. */
  readonly input?: string;
  readonly outcome: ToolOutcome;
  /** As logged; absent where nothing was printed. */
  readonly printed?: string;
}

export interface CodeSource {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
}

/** Calls whose code could be read, in order; the others are no cells. */
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
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null || !('input' in parsed)) return undefined;
    return typeof parsed.input === 'string' && parsed.input !== '' ? parsed.input : undefined;
  } catch {
    // Arguments that were read leniently and are no strict JSON: their stdin is not known.
    return undefined;
  }
}

const FUTURE = /^[ \t]*from[ \t]+__future__[ \t]+import\b.*(?:\n|$)/gm;

/** A JSON string is a Python string, too; a lone surrogate is written as its escape in both. */
const pythonString = (text: string): string => JSON.stringify(text);

/** The code with its stdin before it, behind what Python demands to come first. */
function runnable({ code, input }: CodeCell): string {
  const body = code.endsWith('\n') ? code : `${code}\n`;
  if (input === undefined) return body;
  const preamble = `import io, sys\nsys.stdin = io.StringIO(${pythonString(input)})\n`;
  const last = [...body.matchAll(FUTURE)].at(-1);
  const at = last === undefined ? 0 : last.index + last[0].length;
  return `${body.slice(0, at)}${preamble}${body.slice(at)}`;
}

/** On one line, so that nothing of a log can end the comment it stands in. */
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

/** One cell, runnable by itself. `title`: where it comes from, one line. */
export function scriptOfCell(cell: CodeCell, title: string): string {
  return `# ${oneLine(title)}\n# ${headOf(cell)}\n${runnable(cell)}`;
}

/** All cells, one `# %%` section each. */
export function scriptOf(cells: readonly CodeCell[], title: string): string {
  const parts = cells.map((cell) => `# %% ${headOf(cell)}\n${runnable(cell)}`);
  return [`# ${oneLine(title)}\n# ${stateNote(cells)}\n`, ...parts].join('\n');
}

/** nbformat 4.5, outputs as logged and never executed. Equal cells give equal bytes. */
export function notebookOf(cells: readonly CodeCell[], title: string): string {
  const notebook = {
    cells: [
      {
        cell_type: 'raw',
        id: 'origin',
        metadata: {},
        source: lines(`${oneLine(title)}\n${stateNote(cells)}\nOutputs are those of the log.`),
      },
      ...cells.map((cell) => ({
        cell_type: 'code',
        execution_count: null,
        id: `call-${cell.call + 1}`,
        metadata: { turnwise: { turn: cell.turn, call: cell.call + 1, outcome: cell.outcome } },
        outputs:
          cell.printed === undefined
            ? []
            : [{ output_type: 'stream', name: 'stdout', text: lines(`${cell.printed}\n`) }],
        source: lines(`# ${headOf(cell)}\n${runnable(cell).replace(/\n$/, '')}`),
      })),
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

/** As notebooks store text: lines that keep their newline. */
const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
