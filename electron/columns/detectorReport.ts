/** Runs the detectors over the rollouts of a filter. Every text is read once, in log order. */
import type {
  DetectorReport,
  ParsedParams,
  PlacedFinding,
  RolloutDetectorReport,
} from '../../shared/api/contract.ts';
import { notFound } from '../../shared/api/errors.ts';
import {
  ROLLOUT_DETECTOR_IDS,
  type RolloutDetectorId,
  type RolloutFinding,
  STEPS_DETECTOR_IDS,
  type ThresholdValues,
  thresholdsWith,
} from '../../shared/domain/detectors/detectors.ts';
import { formatWins } from '../../shared/domain/detectors/formatWins.ts';
import { type Judgement, judgeRollout } from '../../shared/domain/detectors/rolloutFindings.ts';
import { judgeSteps, type StepRollouts, stepFigures } from '../../shared/domain/detectors/stepFindings.ts';
import { median } from '../../shared/domain/detectors/trends.ts';
import { bitOf } from '../../shared/domain/flags.ts';
import { parseScores, type Scores } from '../../shared/domain/scores.ts';
import { UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { JudgedReader, runAndStepOf, runKind } from '../storage/queries/judged.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import type { Matched } from './runOrder.ts';
import type { StepTable } from './stepTable.ts';

type ReportParams = Pick<ParsedParams<'detector.report'>, 'thresholds' | 'limit'>;

/** Rollouts between two checkpoints. */
const BETWEEN_CHECKPOINTS = 64;
/** A median of fewer responses says little. */
const LEAST_RESPONSES = 20;

export function detectorReport(
  db: ReadableLibrary,
  run: RunTable,
  matched: readonly Matched[],
  { thresholds: changed, limit }: ReportParams,
  checkpoint: Checkpoint,
): DetectorReport {
  const thresholds = thresholdsWith(changed);
  const parts = matched.filter(({ mask }) => mask.includes(1));
  const tallies = new Map(ROLLOUT_DETECTOR_IDS.map((id) => [id, new Tally(parts.length, limit)]));
  const groups = run.groups();
  const judge = new Judge(db, run, thresholds);
  let rollouts = 0;
  for (const [at, { table, mask }] of parts.entries()) {
    const [rolloutId, groupId, ordinal] = [
      table.column('rolloutId'),
      table.column('groupId'),
      table.column('ordinal'),
    ];
    const ofStep = judge.step(table);
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] !== 1) continue;
      if (rollouts++ % BETWEEN_CHECKPOINTS === 0) checkpoint(at, parts.length);
      const { judged, findings, turnOf } = ofStep(i);
      const place = {
        rolloutId: rolloutId[i] ?? 0,
        step: table.step,
        groupKey: groups.get(groupId[i] ?? 0)?.groupKey ?? '',
        ordinal: ordinal[i] ?? 0,
      };
      for (const id of judged) tallies.get(id)?.judge(at);
      for (const found of findings)
        tallies.get(found.detector)?.add(at, { ...found, ...place, turn: turnOf(found) });
    }
  }
  const isOfTokens = parts.every(({ table, mask }) => {
    const tokens = table.column('policyTokens');
    return mask.every((matches, i) => matches !== 1 || (tokens[i] ?? UNKNOWN_I32) !== UNKNOWN_I32);
  });
  const steps = parts.map((part) => stepFigures(stepRollouts(part, isOfTokens)));
  const { judged, findings } = judgeSteps(steps, thresholds, runKind(db, run.runId) === 'train');
  return {
    ...{ thresholds, rollouts, lengthUnit: isOfTokens ? 'tokens' : 'characters', steps },
    ofRollouts: [...tallies].map(([id, tally]) => tally.report(id)),
    ofSteps: STEPS_DETECTOR_IDS.map((id) => ({
      detector: id,
      judged: judged[id],
      findings: findings.filter(({ detector }) => detector === id),
    })),
  };
}

/** @throws ApiError `not_found` */
export function rolloutFindings(
  db: ReadableLibrary,
  runOf: (runId: number) => RunTable,
  rolloutId: number,
  changed: ReportParams['thresholds'],
): readonly RolloutFinding[] {
  const place = runAndStepOf(db, rolloutId);
  const run = place === undefined ? undefined : runOf(place.runId);
  const table = run?.steps.find(({ step }) => step === place?.step);
  const at = table?.column('rolloutId').indexOf(rolloutId) ?? -1;
  if (run === undefined || table === undefined || at < 0) throw notFound(`no rollout ${rolloutId}`);
  return new Judge(db, run, thresholdsWith(changed)).step(table)(at).findings;
}

/** Counts of one detector, and its first findings. */
class Tally {
  private readonly limit: number;
  private readonly judgedByStep: Uint32Array;
  private readonly byStep: Uint32Array;
  private readonly ids: number[] = [];
  private readonly findings: PlacedFinding[] = [];
  private count = 0;

  constructor(steps: number, limit: number) {
    this.limit = limit;
    this.judgedByStep = new Uint32Array(steps);
    this.byStep = new Uint32Array(steps);
  }

  judge(at: number): void {
    this.judgedByStep[at] = (this.judgedByStep[at] ?? 0) + 1;
  }

  add(at: number, found: PlacedFinding): void {
    this.count++;
    if (this.findings.length < this.limit) this.findings.push(found);
    if (this.ids.at(-1) === found.rolloutId) return;
    this.ids.push(found.rolloutId);
    this.byStep[at] = (this.byStep[at] ?? 0) + 1;
  }

  report(detector: RolloutDetectorId): RolloutDetectorReport {
    const { judgedByStep, byStep, count, findings } = this;
    const judged = judgedByStep.reduce((sum, one) => sum + one, 0);
    return { detector, judged, ids: Uint32Array.from(this.ids), judgedByStep, byStep, count, findings };
  }
}

const NOTHING: Judgement & { readonly turnOf: () => number } = {
  judged: new Set(),
  findings: [],
  turnOf: () => 0,
};

/** Judges rollouts of one run. What a rule needs of other rollouts is of the whole run, whatever the filter. */
class Judge {
  private readonly reader: JudgedReader;
  private readonly run: RunTable;
  private readonly thresholds: ThresholdValues;
  private typical: { readonly chars: number | undefined } | undefined;

  constructor(db: ReadableLibrary, run: RunTable, thresholds: ThresholdValues) {
    this.reader = new JudgedReader(db);
    this.run = run;
    this.thresholds = thresholds;
  }

  /** @returns judges the rollout at an index of the step */
  step(
    table: StepTable,
  ): (i: number) => typeof NOTHING | (Judgement & { turnOf(found: RolloutFinding): number }) {
    const groups = this.run.groups();
    const [rolloutId, groupId, chars] = [
      table.column('rolloutId'),
      table.column('groupId'),
      table.column('responseChars'),
    ];
    const [correct, reward] = [table.column('isCorrect'), table.column('reward')];
    const [answer, answers] = [table.column('answer'), table.dictionary('answer')];
    const [calls, malformed] = [table.column('toolCalls'), table.column('malformedCalls')];
    const wins = formatWinsOf(table);
    return (i) => {
      // Unknown is negative.
      if ((chars[i] ?? 0) <= 0) return NOTHING;
      const id = rolloutId[i] ?? 0;
      const texts = this.reader.read(id, calls[i] !== 0 || (malformed[i] ?? 0) > 0);
      if (texts === undefined) return NOTHING;
      const value = reward[i] ?? Number.NaN;
      const judgement = judgeRollout(
        {
          ...texts,
          isCorrect: correct[i] === -1 ? undefined : correct[i] === 1,
          reward: Number.isNaN(value) ? undefined : value,
          answer: answers[(answer[i] ?? 0) - 1],
          groundTruth: groups.get(groupId[i] ?? 0)?.groundTruth ?? undefined,
          typicalChars: () => this.typicalChars(),
          isFormatWin: wins[i],
        },
        this.thresholds,
      );
      return { ...judgement, turnOf: ({ segment }) => texts.segments[segment]?.turn ?? 0 };
    };
  }

  /** Reads a column of every step, so only for a rollout that needs it. */
  private typicalChars(): number | undefined {
    this.typical ??= { chars: typicalCharsOf(this.run) };
    return this.typical.chars;
  }
}

function typicalCharsOf({ steps }: RunTable): number | undefined {
  const columns = steps.map((table) => table.column('responseChars'));
  const known = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const column of columns) for (const chars of column) if (chars > 0) known[count++] = chars;
  return count < LEAST_RESPONSES ? undefined : median(known.subarray(0, count));
}

/** Per rollout of the step. Rollouts of a group are adjacent. */
function formatWinsOf(table: StepTable): readonly (boolean | undefined)[] {
  const [groupId, correct, reward] = [
    table.column('groupId'),
    table.column('isCorrect'),
    table.column('reward'),
  ];
  const [answer, flags, scores] = [table.column('answer'), table.column('flags'), table.column('scores')];
  const byCode: readonly Scores[] = [{}, ...table.dictionary('scores').map((json) => parseScores(json))];
  const wins: (boolean | undefined)[] = [];
  for (let from = 0; from < groupId.length; ) {
    let to = from;
    while (to < groupId.length && groupId[to] === groupId[from]) to++;
    const group = Array.from({ length: to - from }, (_, k) => {
      const i = from + k;
      const value = reward[i] ?? Number.NaN;
      const bits = flags[i] ?? UNKNOWN_I32;
      return {
        isCorrect: correct[i] === -1 ? undefined : correct[i] === 1,
        reward: Number.isNaN(value) ? undefined : value,
        isInForm: (answer[i] ?? 0) > 0 && bits !== UNKNOWN_I32 && (bits & bitOf('no_answer_tag')) === 0,
        scores: byCode[scores[i] ?? 0] ?? {},
      };
    });
    wins.push(...formatWins(group));
    from = to;
  }
  return wins;
}

function stepRollouts({ table, mask }: Matched, isOfTokens: boolean): StepRollouts {
  const [reward, correct, groupId] = [
    table.column('reward'),
    table.column('isCorrect'),
    table.column('groupId'),
  ];
  const length = table.column(isOfTokens ? 'policyTokens' : 'responseChars');
  const matching: number[] = [];
  const byGroup = new Map<number, number[]>();
  mask.forEach((matches, i) => {
    if (matches !== 1) return;
    matching.push(i);
    byGroup.set(groupId[i] ?? 0, []);
  });
  groupId.forEach((id, i) => {
    byGroup.get(id)?.push(reward[i] ?? Number.NaN);
  });
  const of = (valueAt: (i: number) => number): Float64Array => Float64Array.from(matching, valueAt);
  return {
    step: table.step,
    lengths: of((i) => ((length[i] ?? -1) < 0 ? Number.NaN : (length[i] ?? 0))),
    rewards: of((i) => reward[i] ?? Number.NaN),
    correct: of((i) => ((correct[i] ?? -1) < 0 ? Number.NaN : (correct[i] ?? 0))),
    groups: [...byGroup.values()],
  };
}
