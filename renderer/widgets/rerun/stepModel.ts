/** Variables and places of a recorded call at each of its steps. */
import type { PythonStep, PythonTrace, PythonVariable } from '../../../shared/domain/pythonAnswer.ts';

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
