/**
 * Facts from the path of a log. Trainers write one directory or file per step and often omit step and split
 * in the records.
 *
 *   {out}/rollouts/step_12/train/effective/traces.jsonl     prime-rl
 *   {out}/token_exports/step_12/rank_0.jsonl                prime-rl
 *   {out}/dumped_evals/global_step_40_evals/aime24.jsonl    SkyRL
 *   {out}/iteration_000010/train_rollout_summaries.jsonl    tinker-cookbook
 *   {out}/episodes/train_step_5_epoch_0/episode_….json      rLLM
 *   {out}/rollout/4/8.jsonl, {out}/eval-rollout/4/8.jsonl   AReaL
 *   {out}/train_data_step12.jsonl                           NeMo-RL
 *   {out}/completions/completions_00012.parquet             TRL
 *   {out}/rollout_data/12.jsonl, {out}/train_data/12.jsonl   slime, exported; verl
 *   {out}/validation_data/12.jsonl, {out}/12.jsonl          verl
 *   {out}/{trial}/agent/trajectory.json                      Harbor
 *
 * `{out}` is the directory of the run. Fields of records take precedence.
 */
import type { RunKind } from '../domain/model.ts';

export interface Layout {
  readonly step?: number;
  readonly kind?: RunKind;
  /** Which of two files about the same rollouts this is (prime-rl). */
  readonly selection?: 'all' | 'effective';
  /** Last part of the file name without extensions, in lower case: `results`, `8`. */
  readonly stem: string;
  /** Number of directories between the run's directory and the file; 0: directly in it. */
  readonly depth: number;
  /** The file name contains the step, so its siblings are other steps of the same run. */
  readonly isStepOfFile?: true;
}

const STEP_DIRECTORY =
  /^(?:(train|val|eval)[_-])?(?:global[_-]?step|step|iteration|iter|checkpoint)[_-]?(\d+)(?:[_-](?:evals?|epoch[_-]?\d+))*$/i;
/** A bare number is a step only below one of these. */
const NUMBERED = /^(?:rollout|eval-rollout)$/i;
/** Directories that collect files of a run and are no run themselves. */
const GATHERING = /^(?:rollouts?|eval-rollout|token_exports|dumped_evals|episodes)$/i;
/** Directories of files that carry their step in the name. */
const GATHERING_FILES = /^(?:completions|(?:rollout|train|val|validation)_data)$/i;
const STEP_FILE =
  /^(?:(train|val|eval)[_-]data[_-])?(?:(?:completions|eval|global[_-]?step|step|rollout)[_-]?)?(\d+)$/i;
/** One file per step and process; the second number is the process. */
const RANK = /(?<=^\d+)_\d+$/;
const STEP_DATA_FILE = /^(train|val|eval)_data_step(\d+)$/i;

/** Whether its path says that a file is a step of the run in `directory`, not of one in a directory below. */
export function isStepIn(directory: string, path: string): boolean {
  const { step, depth } = layoutOf(path);
  const home = namesIn(path).slice(0, -1 - depth);
  return step !== undefined && home.join('/') === namesIn(directory).join('/');
}

const namesIn = (path: string): string[] => path.split(/[\\/]/).filter((name) => name !== '');

/** @param path absolute or relative, with `/` */
export function layoutOf(path: string): Layout {
  const names = namesIn(path);
  const file = names.pop() ?? '';
  const stem = file
    .replace(/(?:\.(?:jsonl?|ndjson|parquet|arrow|feather|gz|zst|db|eval|traj))+$/i, '')
    .toLowerCase();
  const at = names.findLastIndex(
    (name, i) => STEP_DIRECTORY.test(name) || (/^\d+$/.test(name) && NUMBERED.test(names[i - 1] ?? '')),
  );
  const above = names[at < 0 ? names.length - 1 : at - 1] ?? '';
  const inStep = at < 0 ? [] : names.slice(at + 1);
  const directory = at < 0 ? undefined : STEP_DIRECTORY.exec(names[at] ?? '');
  const fileStep = STEP_DATA_FILE.exec(stem) ?? STEP_FILE.exec(stem.replace(RANK, ''));
  const step = at < 0 ? numberIn(fileStep?.[2]) : numberIn(directory?.[2] ?? names[at]);
  const isGathered = at >= 0 ? GATHERING.test(above) : fileStep !== null && GATHERING_FILES.test(above);
  const isTrial = at < 0 && stem === 'trajectory' && above === 'agent' && names.length > 2;
  const words = [fileStep?.[1], directory?.[1], ...inStep, isGathered ? above : undefined, stem];
  const kind = words.map(kindOf).find((found) => found !== undefined);
  const selection = inStep.find((name) => name === 'all' || name === 'effective');
  return {
    stem,
    depth: isTrial ? 2 : (at < 0 ? 0 : names.length - at) + (isGathered ? 1 : 0),
    ...(at < 0 && step !== undefined ? { isStepOfFile: true } : {}),
    ...(step === undefined ? {} : { step }),
    ...(kind === undefined ? {} : { kind }),
    ...(selection === undefined ? {} : { selection }),
  };
}

function numberIn(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : undefined;
}

function kindOf(word: string | undefined): RunKind | undefined {
  if (word === undefined) return undefined;
  if (/^(?:train|training|rollout)(?:$|[_-])/i.test(word)) return 'train';
  return /^(?:val|validation|evals?|test|dumped_evals)(?:$|[_-])/i.test(word) ? 'eval' : undefined;
}
