/** Findings of detectors as text, JSON and SARIF. */
import { pathToFileURL } from 'node:url';
import type { DetectorReport, PlacedFinding, RolloutRow, RunSummary } from '../../shared/api/contract.ts';
import {
  DETECTOR_IDS,
  DETECTORS,
  type DetectorId,
  THRESHOLD_NAMES,
  THRESHOLDS,
} from '../../shared/domain/detectors/detectors.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';

/** The report of one run, with the rows of the rollouts that its findings name. */
export interface CheckedRun {
  readonly run: RunSummary;
  readonly report: DetectorReport;
  readonly rows: ReadonlyMap<number, RolloutRow>;
}

const SHOWN = 3;

export function checkText({ run, report, rows }: CheckedRun): string {
  const { rollouts, ofRollouts, ofSteps, steps } = report;
  const lines = [
    `${run.runKey}: ${counted(rollouts, 'rollout')}${run.hasSteps ? ` in ${counted(steps.length, 'step')}` : ''}`,
  ];
  const heading = (id: DetectorId, found: string): string =>
    `  ${DETECTORS[id].severity.padEnd(8)} ${DETECTORS[id].name}: ${found}`;
  for (const { detector, judged, ids, count, findings } of ofRollouts) {
    const unjudged = judged === rollouts ? '' : `, ${rollouts - judged} could not be judged`;
    lines.push(heading(detector, `${ids.length} of ${judged} rollouts${unjudged}`));
    for (const found of findings.slice(0, SHOWN))
      lines.push(`    ${placeText(run, found, rows)}: ${oneLine(found.message)}`);
    if (count > SHOWN) lines.push(`    and ${count - Math.min(SHOWN, findings.length)} more`);
  }
  for (const { detector, judged, findings } of ofSteps) {
    lines.push(heading(detector, `${findings.length} in ${judged.length} of ${steps.length} steps judged`));
    for (const found of findings.slice(0, SHOWN))
      lines.push(`    ${stepsText(run, found.steps)}: ${found.message}`);
    if (findings.length > SHOWN) lines.push(`    and ${findings.length - SHOWN} more`);
  }
  const changed = THRESHOLD_NAMES.filter((name) => report.thresholds[name] !== THRESHOLDS[name].value);
  const used = changed.map((name) => `${name}=${report.thresholds[name]}`).join(' ');
  lines.push(`  thresholds: ${used === '' ? 'the defaults' : used}`);
  return terminalLines(lines);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

const stepsText = ({ hasSteps }: RunSummary, steps: readonly number[]): string =>
  !hasSteps
    ? 'all rollouts'
    : steps.length === 1
      ? `step ${steps[0]}`
      : `steps ${steps[0]} to ${steps.at(-1)}`;

function placeText(run: RunSummary, found: PlacedFinding, rows: CheckedRun['rows']): string {
  const row = rows.get(found.rolloutId);
  const file = row === undefined ? '' : ` (${row.path}${row.line === undefined ? '' : `:${row.line}`})`;
  const step = run.hasSteps ? `step ${found.step}, ` : '';
  return `${step}rollout ${found.rolloutId}, turn ${found.turn}${file}`;
}

export function checkJson({ run, report, rows }: CheckedRun): string {
  const { thresholds, rollouts, lengthUnit, steps, ofRollouts, ofSteps } = report;
  const about = (id: DetectorId) => ({ id, severity: DETECTORS[id].severity, scope: DETECTORS[id].scope });
  const json = {
    ...{ run: run.runKey, rollouts, thresholds, length_unit: lengthUnit },
    steps: steps.map((one) => ({
      ...{ step: run.hasSteps ? one.step : null, rollouts: one.rollouts },
      ...{ mean_length: one.meanLength ?? null, mean_reward: one.meanReward ?? null },
      pass_rate: one.passRate ?? null,
      length_with_reward: one.lengthWithReward ?? null,
      length_with_correct: one.lengthWithCorrect ?? null,
      ...{ groups: one.groups, one_reward: one.oneReward },
    })),
    detectors: [
      ...ofRollouts.map(({ detector, judged, ids, judgedByStep, byStep, count, findings }) => ({
        ...about(detector),
        ...{ judged, rollouts: ids.length, rollout_ids: [...ids] },
        ...{ judged_by_step: [...judgedByStep], by_step: [...byStep], findings_count: count },
        findings: findings.map((found) => ({
          ...{ rollout_id: found.rolloutId, step: run.hasSteps ? found.step : null, group: found.groupKey },
          ...{ ordinal: found.ordinal, turn: found.turn, segment: found.segment },
          ...{ start: found.start, end: found.end, message: found.message },
          path: rows.get(found.rolloutId)?.path ?? null,
          line: rows.get(found.rolloutId)?.line ?? null,
        })),
      })),
      ...ofSteps.map(({ detector, judged, findings }) => ({
        ...about(detector),
        ...{
          judged: judged.length,
          judged_steps: run.hasSteps ? judged : null,
          findings_count: findings.length,
        },
        findings: findings.map(({ steps: of, message }) => ({ steps: run.hasSteps ? of : null, message })),
      })),
    ],
  };
  return `${terminalJson(json)}\n`;
}

const LEVELS = { critical: 'error', warning: 'warning' } as const;

/** SARIF 2.1.0. Offsets are in the response, which is a part of the log record, so they are properties. */
export function checkSarif(runs: readonly CheckedRun[], version: string): string {
  const sarif = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Turnwise', version, rules: DETECTOR_IDS.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: runs.flatMap(leftOutOf) }],
        results: runs.flatMap(resultsOf),
        properties: {
          thresholds: runs[0]?.report.thresholds ?? {},
          runs: runs.map(({ run, report }) => ({ run: run.runKey, rollouts: report.rollouts })),
        },
      },
    ],
  };
  return `${terminalJson(sarif, 1)}\n`;
}

/** States how many findings of a detector are not listed. */
const leftOutOf = ({ run, report }: CheckedRun) =>
  report.ofRollouts
    .filter(({ count, findings }) => count > findings.length)
    .map(({ detector, count, findings }) => ({
      level: 'warning',
      message: {
        text: `${run.runKey}: the first ${findings.length} of ${count} findings of ${detector} are listed`,
      },
    }));

function ruleOf(id: DetectorId) {
  const { name, meaning, falsePositives, needs, severity } = DETECTORS[id];
  return {
    ...{ id, name: id, shortDescription: { text: name }, fullDescription: { text: meaning } },
    help: { text: `${meaning} False positives: ${falsePositives} Needs: ${needs}.` },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function resultsOf({ run, report, rows }: CheckedRun) {
  const result = (detector: DetectorId, message: string, location: object, properties: object) => ({
    ...{
      ruleId: detector,
      ruleIndex: DETECTOR_IDS.indexOf(detector),
      level: LEVELS[DETECTORS[detector].severity],
    },
    ...{ message: { text: message }, locations: [location], properties },
  });
  const logical = (name: string, parts: readonly string[], kind: string) => ({
    ...{ name, fullyQualifiedName: [run.runKey, ...parts].join('/'), kind },
  });
  const stepParts = (step: number | undefined): string[] =>
    run.hasSteps && step !== undefined ? [`step ${step}`] : [];
  return [
    ...report.ofRollouts.flatMap(({ detector, findings }) =>
      findings.map((found) => {
        const { rolloutId, step, groupKey, ordinal, turn, segment, start, end, message } = found;
        const row = rows.get(rolloutId);
        const parts = [...stepParts(step), `group ${groupKey}`, `rollout ${ordinal}`];
        const location = {
          ...(row === undefined
            ? {}
            : {
                physicalLocation: {
                  artifactLocation: { uri: pathToFileURL(row.path).href },
                  ...(row.line === undefined ? {} : { region: { startLine: row.line } }),
                },
              }),
          logicalLocations: [logical(`rollout ${rolloutId}`, parts, 'rollout')],
        };
        return result(detector, message, location, { rolloutId, turn, segment, start, end });
      }),
    ),
    ...report.ofSteps.flatMap(({ detector, findings }) =>
      findings.map(({ steps, message }) => {
        const one = steps.length === 1 ? steps[0] : undefined;
        const name = stepsText(run, steps);
        const logicalLocation = logical(name, stepParts(one), one === undefined ? 'run' : 'step');
        return result(
          detector,
          message,
          { logicalLocations: [logicalLocation] },
          run.hasSteps ? { steps } : {},
        );
      }),
    ),
  ];
}
