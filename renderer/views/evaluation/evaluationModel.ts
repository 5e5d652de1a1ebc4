/** The contents of a benchmark's panel, from the host's counts. */

import type { EvaluationPanel, EvaluationPoint } from '../../../shared/api/contract.ts';
import { csvFile } from '../../../shared/domain/delimited.ts';
import type { PanelLine } from '../../charts/panelModel.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';

/** Measures that depend on k samples of each problem. */
type MeasureByK = 'passAtK' | 'passHatK' | 'majorityAtK';

export const benchmarkName = ({ source }: EvaluationPanel): string =>
  plainLogText(source ?? 'All problems (no source in the log)');

/** Every k that occurs at some step, ascending. */
export function sizesOf(points: readonly EvaluationPoint[], of: MeasureByK): readonly number[] {
  const sizes = new Set(points.flatMap((point) => point[of].map(({ k }) => k)));
  return [...sizes].filter((k) => k > 1).sort((a, b) => a - b);
}

export function atK(point: EvaluationPoint, of: MeasureByK, k: number): number | undefined {
  return point[of].find((one) => one.k === k)?.value;
}

/** The problems behind a value, if it does not cover all of them: `of 118`. */
export function partOfProblems(point: EvaluationPoint, of: MeasureByK, k: number): string | undefined {
  const problems = point[of].find((one) => one.k === k)?.problems;
  return problems === undefined || problems === point.problems ? undefined : `of ${count(problems)}`;
}

/** pass@1 with its interval, and pass@k and majority@k for the largest k. */
export function accuracyLines(
  { points }: EvaluationPanel,
  open: Pick<PanelLine, 'onOpen' | 'opens'>,
): readonly PanelLine[] {
  const steps = points.map(({ step }) => step);
  const largest = (of: MeasureByK) => sizesOf(points, of).at(-1);
  const passK = largest('passAtK');
  const majorityK = largest('majorityAtK');
  return [
    {
      key: 'pass@1',
      name: 'pass@1',
      color: 'var(--right)',
      stroke: 'solid',
      role: 'main',
      describe: 'mean over problems; the band is its 95 % confidence interval over problems',
      steps,
      values: points.map(({ passAt1 }) => passAt1?.mean),
      low: points.map(({ passAt1 }) => passAt1?.low),
      high: points.map(({ passAt1 }) => passAt1?.high),
      ...open,
    },
    ...atKLine(points, 'passAtK', passK, open),
    ...atKLine(points, 'majorityAtK', majorityK, open),
  ];
}

function atKLine(
  points: readonly EvaluationPoint[],
  of: 'passAtK' | 'majorityAtK',
  k: number | undefined,
  open: Pick<PanelLine, 'onOpen' | 'opens'>,
): readonly PanelLine[] {
  if (k === undefined) return [];
  const isPass = of === 'passAtK';
  const name = `${isPass ? 'pass' : 'majority'}@${k}`;
  return [
    {
      key: name,
      name,
      color: isPass ? 'var(--kept)' : 'var(--ink)',
      stroke: isPass ? 'dotted' : 'dash-dot',
      role: 'main',
      describe: isPass ? PASS_AT_K : MAJORITY_AT_K,
      steps: points.map(({ step }) => step),
      values: points.map((point) => atK(point, of, k)),
      ...open,
    },
  ];
}

export const PASS_AT_1 =
  'pass@1: the share of correct samples of each problem, averaged over problems. Interval: 95 %, over problems (samples of a problem are clustered); two problems all correct and two all incorrect are added first, so that few problems do not seem certain (Agresti and Coull 1998). Unknown of one problem';
export const PASS_AT_K =
  'pass@k: 1 − C(n−c, k) / C(n, k) of each problem, unbiased, averaged over problems with at least k samples; ends where fewer than 95 % of the problems have k';
export const PASS_HAT_K =
  'pass^k: C(c, k) / C(n, k) of each problem, the probability that all of k samples are correct, unbiased (Yao et al. 2024, τ-bench), averaged over problems with at least k samples';
export const MAJORITY_AT_K =
  'majority@k: whether the answer most of k samples give is correct, over subsets of k samples. A tie is split, a sample without an answer does not vote, answers are compared as written';

/** Describes the filter in the head of exported files. */
export function chosenText(filter: string): string {
  return filter === '' ? '' : ` · problems with a rollout that matches ${filter}`;
}

/** Explains the interval, above the table. */
export const INTERVAL =
  '95 % interval: of pass@1, over problems, with two problems all correct and two all incorrect added (“plus four”; Agresti and Coull 1998)';

/** `16 samples of each of 30 problems`, `8 samples of 1 problem`. */
export function sizeText({ problems, leastSamples, mostSamples, samples }: EvaluationPoint): string {
  if (problems === 0) return 'no rollout has a known correctness';
  const each =
    leastSamples === mostSamples
      ? counted(leastSamples, 'sample')
      : `${leastSamples} to ${mostSamples} samples`;
  return problems === 1
    ? `${each} of 1 problem`
    : `${each} of each of ${counted(problems, 'problem')} (${samples} in all)`;
}

/** `58.2–66.4`, in per cent. '' if the spread is unknown. */
export function intervalText({ passAt1 }: EvaluationPoint): string {
  if (passAt1?.low === undefined || passAt1.high === undefined) return '';
  return `${percent(passAt1.low)}–${percent(passAt1.high)}`;
}

/** pass@k, pass^k and majority@k of one step by k, with their numbers of problems. Unknown values are blank. */
export function byKCsv(of: string, { passAtK, passHatK, majorityAtK }: EvaluationPoint): string {
  const rows = passAtK.map(({ k, value, problems }) => {
    const majority = majorityAtK.find((one) => one.k === k);
    const drawn = majority === undefined ? '' : majority.isExact ? 'exact' : 'estimated';
    const all = passHatK.find((one) => one.k === k);
    return [k, value, all?.value, problems, majority?.value, majority?.problems, drawn];
  });
  const columns = [
    'k',
    'pass@k',
    'pass^k',
    'problems',
    'majority@k',
    'problems with an answer',
    'majority is',
  ];
  return csvFile(`${of}; from rollouts`, columns, rows);
}

/**
 * Values are shares. Unknown values are blank.
 *
 * @param of the run, and the filter of its problems
 */
export function evaluationCsv(of: string, panels: readonly EvaluationPanel[]): string {
  const points = panels.flatMap(({ points: of }) => of);
  const passes = sizesOf(points, 'passAtK');
  const majorities = sizesOf(points, 'majorityAtK');
  const heads = [
    'benchmark',
    'step',
    'problems',
    'samples',
    'pass@1',
    'pass@1 low',
    'pass@1 high',
    ...passes.map((k) => `pass@${k}`),
    ...passes.map((k) => `pass^${k}`),
    ...majorities.map((k) => `majority@${k}`),
    'mean response tokens',
  ];
  const rows = panels.flatMap((panel) =>
    panel.points.map((point) => [
      panel.source,
      point.step,
      point.problems,
      point.samples,
      point.passAt1?.mean,
      point.passAt1?.low,
      point.passAt1?.high,
      ...passes.map((k) => atK(point, 'passAtK', k)),
      ...passes.map((k) => atK(point, 'passHatK', k)),
      ...majorities.map((k) => atK(point, 'majorityAtK', k)),
      point.meanTokens,
    ]),
  );
  return csvFile(`${of}; from rollouts; ${PASS_AT_1}`, heads, rows);
}
