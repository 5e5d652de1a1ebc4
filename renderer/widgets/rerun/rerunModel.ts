/** What a run of a call again shows: its words, and the lines that differ from the log. */

import { commonRuns } from '../../../shared/domain/editScript.ts';
import type { ToolOutcome } from '../../../shared/domain/model.ts';
import type { PythonAnswer } from '../../../shared/domain/pythonAnswer.ts';
import { RERUN_CLASSES, type RerunClass, type RerunVerdict } from '../../../shared/domain/rerun.ts';
import type { Verification } from '../../data/useVerification.ts';
import type { MarkedLine } from '../../editor/MarkedCode.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';

export function outcomeOf(answer: PythonAnswer): ToolOutcome {
  if (answer.kind === 'timed_out') return 'timeout';
  if (answer.kind === 'crashed') return 'infra';
  if (answer.error !== undefined) return 'exception';
  return answer.stdout === '' ? 'ok_empty' : 'ok_stdout';
}

export function verdictText({ class: found, reason: because = '' }: RerunVerdict): string {
  const reason = plainLogText(because);
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

export const CLASS_WORDS: Readonly<Record<RerunClass, string>> = {
  ...{ same: 'same', noise: 'same but for noise', different: 'different', not_run: 'not run' },
};

type Verdicts = readonly RerunVerdict[];

const ofClass = (results: Verdicts, found: RerunClass): Verdicts =>
  results.filter((result) => result.class === found);

export const differentCalls = (results: Verdicts): number => ofClass(results, 'different').length;

/** Names the rollouts, because a filter may have changed the list meanwhile. */
export const verifiedText = ({ results, verified }: Pick<Verification, 'results' | 'verified'>): string =>
  results.length === 0
    ? 'No Python calls to verify'
    : `${counted(results.length, 'Python call')} of ${counted(verified, 'rollout')}`;

/** The classes that occur, with their counts. */
export function verifiedParts(
  results: Verdicts,
): readonly { readonly found: RerunClass; readonly text: string }[] {
  return RERUN_CLASSES.flatMap((found) => {
    const those = ofClass(results, found).length;
    return those === 0 ? [] : [{ found, text: `${count(those)} ${CLASS_WORDS[found]}` }];
  });
}

/** How a verification ended, in one line. */
export function verificationText(
  verification: Pick<Verification, 'results' | 'verified' | 'state' | 'error'>,
): string {
  const { results, state, error } = verification;
  const reasons = notRunReasons(results);
  const parts = verifiedParts(results).map(({ text }) => text);
  return [
    error === undefined ? '' : `✕ ${error} · `,
    state === 'stopped' ? 'Stopped; what was verified is stored · ' : '',
    verifiedText(verification),
    parts.length === 0 ? '' : `: ${parts.join(', ')}`,
    reasons === '' ? '' : `. Not run: ${reasons}`,
  ].join('');
}

const MOST_REASONS = 3;

/** Why calls were not run, the most frequent reasons first. Empty if all were. */
export function notRunReasons(results: Verdicts): string {
  const calls = new Map<string, number>();
  for (const { reason = 'no reason' } of ofClass(results, 'not_run'))
    calls.set(reason, (calls.get(reason) ?? 0) + 1);
  const sorted = [...calls].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(MOST_REASONS).reduce((sum, [, those]) => sum + those, 0);
  const parts = sorted.slice(0, MOST_REASONS).map(([reason, those]) => `${reason} (${count(those)})`);
  return [...parts, ...(rest === 0 ? [] : [`other reasons (${count(rest)})`])].join(', ');
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
