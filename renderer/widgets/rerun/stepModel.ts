/** Variables and places of a recorded call at each of its steps. */

import type { PythonStep, PythonTrace, PythonVariable } from '../../../shared/domain/pythonAnswer.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';

/** A position is the index of a step, or the number of steps: the end of the code. */
export type StepPosition = number;

interface ShownVariable extends PythonVariable {
  /** Compared with the step before. */
  readonly isChanged: boolean;
}

export interface ShownFrame {
  /** Absent: the module. */
  readonly function?: string;
  readonly variables: readonly ShownVariable[];
}

/** The frame of a step, and the module around a function. What a function did to the module shows once it returns. */
export function framesAt({ steps }: PythonTrace, at: StepPosition): readonly ShownFrame[] {
  const step = steps[at];
  if (step === undefined) return [];
  const own = frameAfter(steps, at, step.frame);
  if (step.frame === 0) return [own];
  return [
    own,
    { variables: frameAfter(steps, at, 0).variables.map((one) => ({ ...one, isChanged: false })) },
  ];
}

function frameAfter(steps: readonly PythonStep[], at: StepPosition, frame: number): ShownFrame {
  const variables = new Map<string, ShownVariable>();
  let name: string | undefined;
  for (const [i, step] of steps.slice(0, at + 1).entries()) {
    if (step.frame !== frame) continue;
    name = step.function;
    for (const one of step.changed) variables.set(one.name, { ...one, isChanged: i === at });
    for (const one of step.gone) variables.delete(one);
  }
  return { ...(name === undefined ? {} : { function: name }), variables: [...variables.values()] };
}

/** Values of the module's variables before the code, by name. */
export function valuesBefore({ steps }: PythonTrace): ReadonlyMap<string, string> {
  const first = steps[0];
  return new Map(first?.changed.map(({ name, value }) => [name, value]));
}

/** Positions at which each line was about to run. */
export function passesByLine({ steps }: PythonTrace): ReadonlyMap<number, readonly StepPosition[]> {
  const passes = new Map<number, StepPosition[]>();
  for (const [at, { event, line }] of steps.entries()) {
    if (event !== 'line') continue;
    const known = passes.get(line);
    if (known === undefined) passes.set(line, [at]);
    else known.push(at);
  }
  return passes;
}

/** Python's names of functions without one. */
const UNNAMED: Readonly<Record<string, string>> = {
  '<lambda>': 'the lambda',
  '<genexpr>': 'the generator expression',
  '<listcomp>': 'the list comprehension',
  '<setcomp>': 'the set comprehension',
  '<dictcomp>': 'the dict comprehension',
};

/**
 * Where a step is, in words. Steps that follow each other can be at one line: a loop within a line, or a function that
 * returns from the line that has run. The words say which, because the marked line does not move.
 */
export function positionText(
  { steps }: PythonTrace,
  at: StepPosition,
  passes: ReadonlyMap<number, readonly StepPosition[]>,
): string {
  const step = steps[at];
  if (step === undefined) return 'The end of the code';
  const { event, line, frame, function: name } = step;
  const value = plainLogText(step.value ?? '');
  const within = name === undefined ? '' : ` of ${UNNAMED[name] ?? plainLogText(name)}`;
  const where = `Step ${count(at + 1)} of ${count(steps.length)} · line ${line}${within}`;
  const before = steps[at - 1];
  const isSameLine = before?.event === 'line' && before.line === line && before.frame === frame;
  if (event === 'return') return `${where} ${isSameLine ? 'has run and returns' : 'returns'} ${value}`;
  if (event === 'exception') return `${where} raises ${value}`;
  const runs = isSameLine ? 'runs once more' : 'runs next';
  const all = passes.get(line) ?? [];
  return all.length < 2
    ? `${where} ${runs}`
    : `${where} ${runs}, time ${count(all.indexOf(at) + 1)} of ${count(all.length)}`;
}

/** The next pass over a line after a position, or its first one. */
export function nextPass(passes: readonly StepPosition[], at: StepPosition): StepPosition | undefined {
  return passes.find((pass) => pass > at) ?? passes[0];
}

/** The next position at a line with a breakpoint, or the end. */
export function nextStop({ steps }: PythonTrace, at: StepPosition, lines: ReadonlySet<number>): StepPosition {
  const found = steps.findIndex(({ event, line }, i) => i > at && event === 'line' && lines.has(line));
  return found < 0 ? steps.length : found;
}

/** The first position to show: that of the exception that ended the code, else the first line. */
export function firstPosition({ steps }: PythonTrace, hasFailed: boolean): StepPosition {
  let raised = 0;
  if (!hasFailed) return raised;
  for (const [at, { event }] of [...steps.entries()].reverse()) {
    if (event === 'line') break;
    if (event === 'exception') raised = at;
  }
  return raised;
}
