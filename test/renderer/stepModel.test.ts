/** Steps of a recorded call: variables at each, passes over a line, breakpoints. */
import { describe, expect, it } from 'vitest';
import {
  firstPosition,
  framesAt,
  nextPass,
  nextStop,
  passesByLine,
  positionText,
  valuesBefore,
} from '../../renderer/widgets/rerun/stepModel.ts';
import type { PythonStep, PythonTrace } from '../../shared/domain/pythonAnswer.ts';

const step = (
  event: PythonStep['event'],
  line: number,
  values: Readonly<Record<string, string>> = {},
  rest: Partial<PythonStep> = {},
): PythonStep => ({
  event,
  line,
  frame: 0,
  changed: Object.entries(values).map(([name, value]) => ({ name, type: 'int', value })),
  gone: [],
  ...rest,
});
const inHalf = { frame: 1, function: 'half' };

/** `for x in 1, 2: half(x)`, of which the second call raises; then `del x`. */
const TRACE: PythonTrace = {
  isCut: false,
  steps: [
    step('line', 4, { before: '7' }),
    step('line', 5, { x: '1' }),
    step('line', 2, { n: '1' }, inHalf),
    step('return', 2, {}, { ...inHalf, value: '0.5' }),
    step('line', 4),
    step('line', 5, { x: '2' }),
    step('line', 2, { n: '2' }, { frame: 2, function: 'half' }),
    step('exception', 2, {}, { frame: 2, function: 'half', value: 'ValueError: no' }),
    step('return', 2, {}, { frame: 2, function: 'half', value: 'None' }),
    step('exception', 5, {}, { value: 'ValueError: no' }),
    step('line', 6, {}, { gone: ['x'] }),
  ],
};
const shown = (at: number) =>
  framesAt(TRACE, at).map(({ function: name, variables }) =>
    [name ?? 'module', ...variables.map((one) => `${one.name}=${one.value}${one.isChanged ? '!' : ''}`)].join(
      ' ',
    ),
  );

describe('variables at a step', () => {
  it('are those of its frame, and of the module around a function', () => {
    expect(shown(0)).toEqual(['module before=7!']);
    expect(shown(1)).toEqual(['module before=7 x=1!']);
    expect(shown(2)).toEqual(['half n=1!', 'module before=7 x=1']);
    expect(shown(6)).toEqual(['half n=2!', 'module before=7 x=2']);
    expect(shown(10)).toEqual(['module before=7']);
    expect(shown(11)).toEqual([]);
  });

  it('are known from before the call', () => {
    expect([...valuesBefore(TRACE)]).toEqual([['before', '7']]);
    expect([...valuesBefore({ steps: [], isCut: false })]).toEqual([]);
  });
});

describe('ways through the steps', () => {
  it('lead to each pass over a line, and around', () => {
    const passes = passesByLine(TRACE).get(5) ?? [];
    expect(passes).toEqual([1, 5]);
    expect([0, 1, 5].map((at) => nextPass(passes, at))).toEqual([1, 5, 1]);
    expect(nextPass([], 0)).toBeUndefined();
  });

  it('lead to the next breakpoint, else to the end', () => {
    expect(nextStop(TRACE, 0, new Set([2]))).toBe(2);
    expect(nextStop(TRACE, 2, new Set([2]))).toBe(6);
    expect(nextStop(TRACE, 6, new Set([2]))).toBe(11);
    expect(nextStop(TRACE, 0, new Set())).toBe(11);
  });

  it('begin where the exception was raised that ended the code', () => {
    expect(firstPosition(TRACE, false)).toBe(0);
    expect(firstPosition({ ...TRACE, steps: TRACE.steps.slice(0, 10) }, true)).toBe(7);
    // It was raised after the last recorded step.
    expect(firstPosition(TRACE, true)).toBe(0);
  });
});

describe('the position in words', () => {
  const words = (trace: PythonTrace, at: number) =>
    positionText(trace, at, passesByLine(trace)).replace(/^Step .* · /, '');

  it('tells steps at one line apart', () => {
    expect([1, 2, 3, 7, 8, 10, 11].map((at) => words(TRACE, at))).toEqual([
      'line 5 runs next, time 1 of 2',
      'line 2 of half runs next, time 1 of 2',
      'line 2 of half has run and returns 0.5',
      'line 2 of half raises ValueError: no',
      'line 2 of half returns None',
      'line 6 runs next',
      'The end of the code',
    ]);
  });

  it('says that a loop within a line runs it once more, and what a comprehension is', () => {
    const inside = { frame: 1, function: '<genexpr>' };
    const loop: PythonTrace = {
      isCut: false,
      steps: [step('line', 1), step('line', 1), step('line', 1, {}, inside), step('line', 1, {}, inside)],
    };
    expect(loop.steps.map((_, at) => words(loop, at))).toEqual([
      'line 1 runs next, time 1 of 4',
      'line 1 runs once more, time 2 of 4',
      'line 1 of the generator expression runs next, time 3 of 4',
      'line 1 of the generator expression runs once more, time 4 of 4',
    ]);
  });
});
