/** What a run of a call again shows: its words, and the lines that differ from the log. */
import { commonRuns } from '../../../shared/domain/editScript.ts';
import type { ToolOutcome } from '../../../shared/domain/model.ts';
import type { PythonAnswer } from '../../../shared/domain/pythonAnswer.ts';
import type { RerunVerdict } from '../../../shared/domain/rerun.ts';
import type { MarkedLine } from '../../editor/MarkedCode.tsx';

export function outcomeOf(answer: PythonAnswer): ToolOutcome {
  if (answer.kind === 'timed_out') return 'timeout';
  if (answer.kind === 'crashed') return 'infra';
  if (answer.error !== undefined) return 'exception';
  return answer.stdout === '' ? 'ok_empty' : 'ok_stdout';
}

export function verdictText({ class: found, reason = '' }: RerunVerdict): string {
  switch (found) {
    case 'same':
      return 'same as logged';
    case 'noise':
      return `same as logged, but for ${reason}`;
    case 'different':
      return `not as logged: ${reason}`;
    case 'not_run':
      return `not compared: ${reason}`;
  }
}

/** Lines beyond these are left out of the diff, which says so. */
export const MOST_DIFF_LINES = 400;

/** The lines of two texts, woven: those of `before` (0) only, of `after` (1) only, and of both. */
export function diffLines(before: string, after: string): readonly MarkedLine[] {
  const texts = [linesOf(before), linesOf(after)] as const;
  const ids = new Map<string, number>();
  const idsOf = (lines: readonly Line[]): Int32Array =>
    Int32Array.from(lines, ({ text }) => {
      const id = ids.get(text) ?? ids.size;
      ids.set(text, id);
      return id;
    });
  const runs = commonRuns(idsOf(texts[0]), idsOf(texts[1]), () => undefined);
  const woven: MarkedLine[] = [];
  let [atA, atB] = [0, 0];
  const take = (of: 0 | 1, from: number, to: number, sign: MarkedLine['sign']): void => {
    for (let line = from; line < to; line += 1) {
      const { start = 0, text = '' } = texts[of][line] ?? {};
      woven.push({ of, line, start, sign, pieces: [{ start, end: start + text.length }] });
    }
  };
  for (let i = 0; i <= runs.length; i += 3) {
    const [a = texts[0].length, b = texts[1].length, length = 0] = runs.subarray(i, i + 3);
    take(0, atA, a, '−');
    take(1, atB, b, '+');
    take(1, b, b + length, '');
    [atA, atB] = [a + length, b + length];
  }
  return woven;
}

interface Line {
  readonly start: number;
  readonly text: string;
}

function linesOf(text: string): readonly Line[] {
  if (text === '') return [];
  let start = 0;
  return text.split('\n').map((line) => {
    const one = { start, text: line };
    start += line.length + 1;
    return one;
  });
}
