/** Settings, usage and results of a whole evaluation in an Inspect log, read from the run's configuration. */
import { indexOf, isObject, type JsonObject, jsonText, numberOf, textField } from './fields.ts';
import { durationOf } from './timing.ts';

interface LoggedSetting {
  readonly name: string;
  /** Text as it is, a list of plain values with commas, anything else as JSON. */
  readonly value: string;
}

interface SettingGroup {
  readonly title: string;
  readonly settings: readonly LoggedSetting[];
}

export interface ModelUsage {
  readonly model: string;
  /** Token counts, and costs, by their logged name. A negative one is unknown. */
  readonly counts: Readonly<Record<string, number>>;
}

/** `EvalError` of inspect_ai. */
export interface LoggedError {
  readonly message: string;
  readonly traceback?: string;
}

export interface LoggedScore {
  readonly scorer: string;
  /** How the epochs of a sample were reduced to one score. Absent: not logged with the score. */
  readonly reducer?: string;
  readonly metrics: readonly LoggedMetric[];
}

interface LoggedMetric {
  /** `accuracy`, `stderr`, … */
  readonly name: string;
  /** Absent: the log has no number, such as NaN or null. */
  readonly value?: number;
  readonly params: JsonObject;
}

/** How many samples the header states. Absent: not logged. */
interface LoggedSamples {
  /** Samples of the data set, before limits and epochs. */
  readonly dataset?: number;
  /** Samples of the evaluation, each epoch counted. */
  readonly total?: number;
  /** Those of `total` that ended without an error. */
  readonly completed?: number;
  /** The settings that select samples of the data set, as text. Absent: none is set. */
  readonly selection?: string;
}

export interface LoggedEvaluation {
  /** `success`, `error`, `cancelled`, `started`. */
  readonly status?: string;
  readonly error?: LoggedError;
  /** The settings that are looked up first: task and model with their arguments, revision, limits, epochs and retries. */
  readonly facts: readonly LoggedSetting[];
  /** Groups without a setting are left out. */
  readonly groups: readonly SettingGroup[];
  readonly usage: readonly ModelUsage[];
  readonly samples: LoggedSamples;
  readonly scores: readonly LoggedScore[];
  /** The scorer whose score is the reward of the rollouts. */
  readonly mainScorer?: string;
  /** How epochs are reduced: `mean`, `max`, … */
  readonly reducers: readonly string[];
}

/**
 * @param config of the run, as `inspect.ts` writes it
 * @returns undefined for a run of another format; without a status if the log ends before its header
 */
export function evaluationStatus(config: JsonObject): Pick<LoggedEvaluation, 'status'> | undefined {
  const { log } = config;
  if (!isObject(log) || !('task' in config)) return undefined;
  const status = textField(log, 'status');
  return status === undefined ? {} : { status };
}

/**
 * @param config of the run, as `inspect.ts` writes it
 * @returns undefined for a run of another format
 */
export function loggedEvaluation(config: JsonObject): LoggedEvaluation | undefined {
  const { log } = config;
  const status = evaluationStatus(config);
  if (!isObject(log) || status === undefined) return undefined;
  const plan = objectIn(log['plan']);
  const limits = objectIn(config['config']);
  const results = objectIn(log['results']);
  const scorers = listIn(config['scorers']);
  const mainScorer = textField(scorers[0] ?? {}, 'name');
  const error = loggedError(log['error']);
  return {
    ...status,
    ...(error === undefined ? {} : { error }),
    facts: [
      ...settingsOf(pick(config, ['task'])),
      ...argumentsOf(config, 'task_args'),
      ...settingsOf(pick(config, ['model'])),
      ...argumentsOf(config, 'model_args'),
      ...revisionOf(config['revision']),
      limitsOf({ ...objectIn(config['model_generate_config']), ...objectIn(plan['config']), ...limits }),
    ],
    groups: [
      { title: 'Task', settings: settingsOf(pick(config, TASK)) },
      { title: 'Data set', settings: settingsOf(datasetOf(config)) },
      { title: 'Model', settings: settingsOf(pick(config, MODEL)) },
      {
        title: 'Generation',
        settings: settingsOf({ ...objectIn(config['model_generate_config']), ...objectIn(plan['config']) }),
      },
      { title: 'Solver', settings: solverSettings(plan) },
      { title: 'Limits and epochs', settings: settingsOf(limits) },
      { title: 'Scorers', settings: scorers.flatMap(scorerSetting) },
    ].filter(({ settings }) => settings.length > 0),
    usage: usageByModel(objectIn(log['stats'])['model_usage']),
    samples: samplesOf(config, results, limits),
    scores: listIn(results['scores']).flatMap(scoreOf),
    ...(mainScorer === undefined ? {} : { mainScorer }),
    reducers: Array.isArray(limits['epochs_reducer'])
      ? limits['epochs_reducer'].filter((each) => typeof each === 'string')
      : [],
  };
}

const TASK = ['task', 'task_version', 'task_file', 'task_args', 'tags', 'metadata'];
const MODEL = ['model', 'model_base_url', 'model_args', 'model_roles', 'sandbox', 'packages', 'revision'];

/**
 * Limits of the data set and of a sample (`EvalConfig` of inspect_ai 0.3.208), epochs, and how errors of samples and of
 * model calls are retried.
 */
const LIMITS = [
  ...['limit', 'sample_id', 'epochs', 'epochs_reducer'],
  ...['message_limit', 'token_limit', 'time_limit', 'working_limit', 'cost_limit'],
  ...['fail_on_error', 'continue_on_fail', 'retry_on_error', 'max_retries', 'timeout', 'attempt_timeout'],
];

/** Inspect writes an empty object if there are no arguments. Older logs have none. */
function argumentsOf(config: JsonObject, name: string): readonly LoggedSetting[] {
  const value = config[name];
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  return isEmpty ? [{ name, value: 'none in the log' }] : settingsOf({ [name]: value });
}

/** Inspect does not write a limit that is not set. */
function limitsOf(config: JsonObject): LoggedSetting {
  const set = settingsOf(pick(config, LIMITS));
  return {
    name: 'limits set, epochs, retries',
    value: set.length === 0 ? 'none set' : set.map(({ name, value }) => `${name}: ${value}`).join(', '),
  };
}

function revisionOf(revision: unknown): readonly LoggedSetting[] {
  const { type, commit, origin, dirty } = objectIn(revision);
  const parts = [type, commit, dirty === true ? '(with uncommitted changes)' : undefined, origin];
  const value = parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
  return value === '' ? [] : [{ name: 'revision', value }];
}

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});
const listIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const pick = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

/** Leaves out the sample ids, because the problems of the run show them. */
function datasetOf(config: JsonObject): JsonObject {
  const { sample_ids: _ids, ...dataset } = objectIn(config['dataset_info'] ?? config['dataset']);
  return dataset;
}

function samplesOf(config: JsonObject, results: JsonObject, limits: JsonObject): LoggedSamples {
  const dataset = indexOf(datasetOf(config)['samples']);
  const total = indexOf(results['total_samples']);
  const completed = indexOf(results['completed_samples']);
  const selection = settingsOf(pick(limits, ['limit', 'sample_id']));
  return {
    ...(dataset === undefined ? {} : { dataset }),
    ...(total === undefined ? {} : { total }),
    ...(completed === undefined ? {} : { completed }),
    ...(selection.length === 0
      ? {}
      : { selection: selection.map(({ name, value }) => `${name}: ${value}`).join(', ') }),
  };
}

/** Leaves out null, empty texts, and empty lists and objects. */
function settingsOf(record: JsonObject): readonly LoggedSetting[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const isBlank =
      value === undefined ||
      value === null ||
      value === '' ||
      (typeof value === 'object' && Object.keys(value).length === 0);
    return isBlank ? [] : [{ name, value: valueText(value) }];
  });
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  return isPlainList ? value.join(', ') : jsonText(value);
}

function solverSettings(plan: JsonObject): readonly LoggedSetting[] {
  return listIn(plan['steps']).flatMap((step, i) => {
    const solver = textField(step, 'solver');
    if (solver === undefined) return [];
    const params = settingsOf(objectIn(step['params'])).map(({ name, value }) => `${name}: ${value.trim()}`);
    return [{ name: `${i + 1}. ${solver}`, value: params.join('\n') }];
  });
}

function scorerSetting(scorer: JsonObject): readonly LoggedSetting[] {
  const name = textField(scorer, 'name');
  if (name === undefined) return [];
  const options = settingsOf(objectIn(scorer['options'])).map((option) => `${option.name}: ${option.value}`);
  return [{ name, value: options.join('\n') }];
}

/** @returns undefined without a message */
export function loggedError(error: unknown): LoggedError | undefined {
  const message = isObject(error) ? textField(error, 'message') : undefined;
  if (!isObject(error) || message === undefined) return undefined;
  const traceback = textField(error, 'traceback');
  return { message, ...(traceback === undefined || traceback === '' ? {} : { traceback }) };
}

export function usageByModel(usage: unknown): readonly ModelUsage[] {
  return Object.entries(objectIn(usage)).map(([model, logged]) => {
    const counts: Record<string, number> = {};
    for (const [name, value] of Object.entries(objectIn(logged))) {
      const used = durationOf(value);
      if (used !== undefined && used <= Number.MAX_SAFE_INTEGER) counts[name] = used;
    }
    return { model, counts };
  });
}

function scoreOf(score: JsonObject): readonly LoggedScore[] {
  const scorer = textField(score, 'name') ?? textField(score, 'scorer');
  if (scorer === undefined) return [];
  const reducer = textField(score, 'reducer');
  const metrics = Object.entries(objectIn(score['metrics'])).map(([name, metric]): LoggedMetric => {
    const value = numberOf(isObject(metric) ? metric['value'] : metric);
    return { name, ...(value === undefined ? {} : { value }), params: objectIn(objectIn(metric)['params']) };
  });
  return [{ scorer, ...(reducer === undefined ? {} : { reducer }), metrics }];
}
