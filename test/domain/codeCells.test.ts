import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { codeCells, notebookOf, scriptOf, scriptOfCell } from '../../shared/domain/codeCells.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

const call = (payload: unknown): string =>
  `<tool_call>\n${JSON.stringify(payload)}\n</tool_call><|im_end|>\n`;
const answered = (text: string): string =>
  `<|im_start|>user\n<tool_response>\n${text}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
const python = (code: string, input = '') => ({
  name: 'python_code_with_standard_io',
  arguments: { code, input },
});

const RESPONSE = [
  call(python('from __future__ import annotations\nprint(int(input()) + 1)', '41\n"é😀\\')),
  answered('Tool call success\nstdout: 42\n'),
  '<tool_call>\n{"name": broken\n</tool_call><|im_end|>\n',
  answered('Failed to decode tool call'),
  call(python('print("second")')),
  answered('Tool call success\nstdout: second\n'),
].join('');

const cells = () => {
  const { segments, toolCalls } = segmentResponse(RESPONSE, { startsInReasoning: false });
  return codeCells({ response: RESPONSE, segments, toolCalls });
};

/** Python runs only the code of these tests, never logged code. */
function run(script: string): string | undefined {
  try {
    return execFileSync('python3', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

describe('code cells', () => {
  it('are the calls whose code can be parsed', () => {
    expect(
      cells().map(({ turn, call: at, outcome, printed, input }) => ({ turn, at, outcome, printed, input })),
    ).toEqual([
      { turn: 1, at: 0, outcome: 'ok_stdout', printed: '42', input: '41\n"é😀\\' },
      { turn: 3, at: 2, outcome: 'ok_stdout', printed: 'second', input: undefined },
    ]);
  });

  it('become scripts that run, with their stdin', (context) => {
    const [first] = cells();
    if (first === undefined) throw new Error('there is a first cell');
    const script = scriptOfCell(first, 'run\u2028rm -rf / # not code\nstep 3');
    expect(script.split('\n').slice(0, 2)).toEqual([
      '# run rm -rf / # not code step 3',
      '# turn 1, call 1 · python_code_with_standard_io · ok_stdout',
    ]);
    // Only comments may precede an import from the future.
    expect(script.indexOf('__future__')).toBeLessThan(script.indexOf('sys.stdin'));
    const printed = run(script);
    if (printed === undefined) return context.skip('there is no Python here');
    expect(printed).toBe('42\n');
  });

  it('become one script of sections', (context) => {
    const script = scriptOf(cells().slice(1), 'title');
    expect(script).toContain('# %% turn 3, call 3');
    expect(script).toContain('Each call ran by itself');
    const printed = run(script);
    if (printed === undefined) return context.skip('there is no Python here');
    expect(printed).toBe('second\n');
  });

  it('become a notebook of version 4.5, with logged outputs', () => {
    const notebook = JSON.parse(notebookOf(cells(), 'title'));
    expect(notebook).toMatchObject({ nbformat: 4, nbformat_minor: 5 });
    const ids = notebook.cells.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['origin', 'call-1', 'call-3']);
    expect(notebook.cells[1]).toMatchObject({
      cell_type: 'code',
      execution_count: null,
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['42\n'] }],
    });
    expect(notebook.cells[1].source.join('')).toContain('sys.stdin = io.StringIO(');
    expect(notebookOf(cells(), 'title')).toBe(notebookOf(cells(), 'title'));
  });

  it('run in one script to its end, each with its own stdin', (context) => {
    const cell = (call: number, code: string, more: object = {}) => ({
      turn: call,
      call,
      code,
      tool: 'python_code_with_standard_io',
      outcome: 'ok_stdout' as const,
      ...more,
    });
    const script = scriptOf(
      [
        cell(0, 'print(input())', { input: '5\n6' }),
        cell(1, 'print(1/0)', { outcome: 'exception' }),
        cell(2, 'if :\n  broken', { outcome: 'exception' }),
        cell(3, 'from __future__ import annotations\nimport sys\nprint(repr(sys.stdin.read()))'),
        cell(4, 'ls -la', { tool: 'bash', outcome: 'ok' }),
        cell(5, '%matplotlib inline\n!pip list\nprint("last")'),
      ],
      'title',
    );
    expect(script).toContain('# print(1/0)');
    expect(script).toContain('# ls -la');
    const printed = run(script);
    if (printed === undefined) return context.skip('there is no Python here');
    expect(printed).toBe("5\n''\nlast\n");
  });

  it('note if a tool keeps state between calls', () => {
    const response = call({ name: 'jupyter_code', arguments: { code: 'x = 1' } });
    const { segments, toolCalls } = segmentResponse(response, { startsInReasoning: false });
    expect(scriptOf(codeCells({ response, segments, toolCalls }), 't')).toContain('replays earlier cells');
  });
});
