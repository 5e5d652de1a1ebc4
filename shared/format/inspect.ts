/**
 * Inspect evaluation logs: `.eval` (a zip archive with one member per sample and a header) and `.json` (one
 * object with everything).
 *
 * UKGovernmentBEIS/inspect_ai, `src/inspect_ai/log/_log.py` (`EvalLog`, `EvalSample`):
 *
 *   {"version": 2, "status": "success", "eval": {"task": "arithmetic", "model": "m", "eval_id": "e1", …},
 *    "samples": [{"id": 1, "epoch": 1, "input": "6·7?", "target": "42", "messages": […],
 *                 "scores": {"match": {"value": "C", "answer": "42"}}, "attachments": {…}, …}]}
 *
 * - Epochs are the rollouts of a group and count from 1.
 * - A score is C, I, P (partial), N (no answer), a number or a boolean. The first scorer's is the reward.
 * - Usage is logged per call of the model, in the events `model`; the sample has only the sum per model.
 * - Long texts are stored once in `attachments` and referenced by `attachment://` and their hash.
 */
import type { StopReason, ToolCall, Turn } from '../domain/model.ts';
import { GRADES, type Scores, scoresOf } from '../domain/scores.ts';
import type { RolloutBody } from './body.ts';
import { idOf, indexOf, isObject, type JsonObject, numberOf, stringOf, textOf, without } from './fields.ts';
import type {
  FileContext,
  FileHead,
  LineIssue,
  LogFormat,
  ParsedLine,
  ParsedRollout,
  RecordReader,
} from './format.ts';
import { shortEvents } from './inspectEvents.ts';
import {
  contextWith,
  type LoggedContext,
  type LoggedRequest,
  requestsOfTurns,
  toolsText,
} from './loggedContext.ts';
import { TURN_USAGE } from './loggedSample.ts';
import { restOfMessages, roleOf } from './messageShape.ts';
import { found, refused, warned } from './records.ts';
import { type Stop, stopOf } from './stop.ts';
import { bodyOfTask, messagesIn } from './taskBody.ts';
import { textLength } from './textLength.ts';
import { secondsOfDate, timingOf } from './timing.ts';
import { UNALIGNED } from './tokenColumns.ts';
import { readLogprobs } from './tokenLogprobs.ts';

const COLUMNS: ReadonlySet<string> = new Set([
  ...['id', 'input', 'target', 'messages', 'output', 'attachments'],
  ...['started_at', 'completed_at', 'total_time'],
  // The messages contain the result of the events, except the usage per call, times and retries.
  ...['events', 'events_data', 'store'],
]);
/** Fields of a message that repeat the log's bookkeeping. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'id',
  'source',
  'function',
  'model',
  'internal',
  'metadata',
]);

export const inspect: LogFormat = {
  name: 'inspect',
  title: 'Inspect evaluation log (.eval or .json)',
  source: 'UKGovernmentBEIS/inspect_ai, src/inspect_ai/log/_log.py, log version 2 (compared November 2026)',
  rule: 'an object "eval" with "task" beside "samples"; or samples with "epoch", "target" and "messages" or "output"',
  reads:
    'messages with reasoning and tool calls, attachments, epochs as the rollouts of a group, scores by scorer, limits, errors, log-probabilities, usage of each call of the model, events in short; settings, results, usage and times of the whole log',
  ignores: 'inputs and outputs of events, store and reductions',
  detect: (head: FileHead) => head.records.some((record) => isLog(record) || isSample(record)),
  open: (file: FileContext) => new InspectReader(file),
};

function isLog(record: JsonObject): boolean {
  return isObject(record['eval']) && 'task' in record['eval'] && ('samples' in record || 'plan' in record);
}

function isSample(record: JsonObject): boolean {
  return (
    'id' in record &&
    'epoch' in record &&
    'target' in record &&
    'input' in record &&
    (Array.isArray(record['messages']) || isObject(record['output']))
  );
}

/** Properties shared by all samples. */
interface Evaluation {
  readonly run?: string;
  readonly source?: string;
  readonly scorer?: string;
  readonly config: JsonObject;
}

class InspectReader implements RecordReader {
  private readonly file: FileContext;
  private readonly header: Evaluation | undefined;

  constructor(file: FileContext) {
    this.file = file;
    this.header = file.header === undefined ? undefined : evaluationOf(file.header);
  }

  read(record: JsonObject, number: number): ParsedLine | readonly ParsedLine[] {
    if (!isLog(record)) {
      const rollout = readSample(record, this.header, this.file);
      return number === 1 && this.header !== undefined ? [runLine(this.header), rollout] : rollout;
    }
    const evaluation = evaluationOf(record);
    const { samples } = record;
    if (!Array.isArray(samples) || samples.length === 0) {
      const status = stringOf(record['status']) ?? 'unknown';
      return refused(
        'no_samples',
        `the log has no samples (status ${status}); found ${found(samples)} in "samples"`,
      );
    }
    return [
      runLine(evaluation),
      ...samples.map((sample: unknown, i) =>
        isObject(sample)
          ? readSample(sample, evaluation, this.file)
          : refused('bad_sample', `sample ${i + 1} of the log is ${found(sample)}, not an object`),
      ),
    ];
  }
}

function evaluationOf(log: JsonObject): Evaluation {
  const spec = isObject(log['eval']) ? log['eval'] : {};
  const task = stringOf(spec['task']);
  const model = stringOf(spec['model']);
  const dataset = isObject(spec['dataset']) ? stringOf(spec['dataset']['name']) : undefined;
  const scorers = Array.isArray(spec['scorers']) ? spec['scorers'] : [];
  const [first] = scorers;
  const name = [task, model].filter((part) => part !== undefined).join(' · ');
  const { samples: _samples, reductions: _reductions, eval: _eval, ...rest } = log;
  return {
    run: stringOf(spec['eval_id']) ?? stringOf(spec['run_id']),
    source: dataset ?? task,
    scorer: isObject(first) ? stringOf(first['name']) : undefined,
    config: {
      ...spec,
      ...(name === '' ? {} : { name }),
      ...(dataset === undefined ? {} : { dataset, dataset_info: spec['dataset'] }),
      ...timesOf(log['stats'], spec['created']),
      log: rest,
    },
  };
}

/** When the evaluation ran. A log that was cut short has empty texts. */
function timesOf(stats: unknown, created: unknown): JsonObject {
  const { started_at, completed_at } = isObject(stats) ? stats : {};
  const started = stringOf(started_at) || stringOf(created);
  const completed = stringOf(completed_at);
  return {
    ...(started ? { started_at: started } : {}),
    ...(completed ? { completed_at: completed } : {}),
  };
}

function runLine({ run, config }: Evaluation): ParsedLine {
  return { kind: 'run', run: { ...(run === undefined ? {} : { run }), config }, warnings: [] };
}

function readSample(sample: JsonObject, evaluation: Evaluation | undefined, file: FileContext): ParsedLine {
  const id = idOf(sample['id']);
  if (id === undefined) {
    return refused('missing_field', `an Inspect sample needs "id"; found ${found(sample['id'])}`);
  }
  const warnings: LineIssue[] = [];
  const attachments = isObject(sample['attachments']) ? sample['attachments'] : {};
  const resolved = new Attachments(attachments);
  const score = mainScore(sample['scores'], evaluation?.scorer);
  const body = bodyOfSample(sample, resolved, warnings, {
    problemId: id,
    groundTruth: targetOf(sample['target']),
    ...(evaluation?.source === undefined ? {} : { source: evaluation.source }),
    ...(score.answer === undefined ? {} : { answer: score.answer }),
    stop: stopOfSample(sample),
  });
  if (resolved.tooLong > 0) {
    warnings.push(
      warned(
        'long_attachment',
        `${resolved.tooLong} references to attachments were left as they are: with the others, they have more than ${resolved.longest} characters`,
      ),
    );
  }
  if (resolved.missing > 0) {
    warnings.push(
      warned('missing_attachment', `${resolved.missing} referenced attachments are missing from the sample`),
    );
  }
  const epoch = indexOf(sample['epoch']);
  const messages = Array.isArray(sample['messages']) ? sample['messages'].filter(isObject) : [];
  const rest = restOfMessages(messages, BOOKKEEPING);
  const usage = usageOfTurns(sample, messages, body.turns);
  const tokens = tokensOf(sample['output'], body, warnings);
  const scores = scoresIn(sample['scores']);
  const startedAt = secondsOfDate(sample['started_at']);
  const endedAt = secondsOfDate(sample['completed_at']);
  const { masked = 0, ...events } = shortEvents(sample['events'], { startedAt, endedAt }) ?? {};
  const seconds = numberOf(sample['total_time']);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...(evaluation?.run === undefined ? {} : { run: evaluation.run }),
      kind: 'eval',
      ...(file.layout.step === undefined ? {} : { step: file.layout.step }),
      groupKey: id,
      groupRule: 'logged',
      ...(epoch === undefined || epoch === 0 ? {} : { ordinal: epoch - 1 }),
      ...body,
      ...(usage === undefined ? {} : { turns: turnsWithUsage(body.turns, usage) }),
      context: contextWith(
        body.context,
        requestsOf(sample, messages, body.turns),
        cutResponses(sample, body.toolCalls),
        toolsOf(sample, messages),
      ),
      ...(score.reward === undefined ? {} : { reward: score.reward }),
      ...(score.isCorrect === undefined ? {} : { isCorrect: score.isCorrect }),
      ...(scores === undefined ? {} : { scores }),
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(endedAt === undefined ? {} : { endedAt }),
      ...timingOf({ durationMs: seconds === undefined ? undefined : seconds * 1000 }),
      ...(tokens === undefined ? {} : { tokens }),
      extra: {
        ...without(sample, COLUMNS),
        ...(rest === undefined ? {} : { messages: rest }),
        ...(usage === undefined ? {} : { [TURN_USAGE]: usage }),
        ...events,
      },
      ...(masked === 0 ? {} : { maskedInExtra: masked }),
    },
  };
}

function bodyOfSample(
  sample: JsonObject,
  attachments: Attachments,
  warnings: LineIssue[],
  facts: Parameters<typeof bodyOfTask>[1],
): RolloutBody {
  const input = attachments.resolve(sample['input']);
  const list = attachments.resolve(sample['messages']);
  if (Array.isArray(list) && list.length > 0) {
    const messages = messagesIn(list, warnings);
    const firstGenerated = messages.findIndex((message) => message['source'] === 'generate');
    // Few-shot examples are assistant messages of the prompt. Only the log knows which messages were
    // generated.
    return firstGenerated < 0
      ? bodyOfTask(messages, facts)
      : bodyOfTask(messages.slice(firstGenerated), facts, messages.slice(0, firstGenerated));
  }
  const prompt = Array.isArray(input)
    ? messagesIn(input, warnings)
    : [{ role: 'user', content: textOf(input) ?? '' }];
  const answered = attachments.resolve(choiceOf(sample['output'])?.['message']);
  if (isObject(answered)) return bodyOfTask([answered], facts, prompt);
  warnings.push(warned('no_messages', 'the sample has neither messages nor an output, so it has no text'));
  return bodyOfTask([], facts, prompt);
}

/**
 * Logged usage of the model call behind each turn; null: unknown. Skips calls of subagents and graders, which
 * produced no message of the sample. undefined: no call is known.
 */
function usageOfTurns(
  sample: JsonObject,
  messages: readonly JsonObject[],
  turns: readonly Turn[],
): readonly (JsonObject | null)[] | undefined {
  const { events, output } = sample;
  const calls = (Array.isArray(events) ? events : []).filter(isObject);
  const outputs = [output, ...calls.filter(({ event }) => event === 'model').map((call) => call['output'])];
  const byMessage = new Map<string, JsonObject>();
  for (const each of outputs) {
    const message = choiceOf(each)?.['message'];
    const id = isObject(message) ? stringOf(message['id']) : undefined;
    const usage = isObject(each) ? each['usage'] : undefined;
    if (id !== undefined && isObject(usage)) byMessage.set(id, usage);
  }
  const answers = answersIn(messages);
  if (answers.length !== turns.length) return undefined;
  const usage = answers.map(({ id }) => (typeof id === 'string' ? byMessage.get(id) : undefined) ?? null);
  return usage.some((each) => each !== null) ? usage : undefined;
}

/** The messages of the policy, without those of few-shot examples. */
function answersIn(messages: readonly JsonObject[]): readonly JsonObject[] {
  const firstGenerated = messages.findIndex(({ source }) => source === 'generate');
  return messages.slice(Math.max(0, firstGenerated)).filter((message) => roleOf(message) === 'assistant');
}

/**
 * The request behind each turn: its length in tokens, messages of the sample that it lacks, and whether an event
 * `compaction` precedes it.
 */
function requestsOf(
  { events }: JsonObject,
  messages: readonly JsonObject[],
  turns: readonly Turn[],
): LoggedContext | undefined {
  const positions = new Map(messages.map(({ id }, i) => [stringOf(id), i] as const));
  const byMessage = new Map<string, LoggedRequest>();
  let compactedBy: string | undefined;
  for (const event of (Array.isArray(events) ? events : []).filter(isObject)) {
    if (event['event'] === 'compaction') compactedBy = 'events[], a compaction event';
    const message = event['event'] === 'model' ? choiceOf(event['output'])?.['message'] : undefined;
    const id = isObject(message) ? stringOf(message['id']) : undefined;
    const before = positions.get(id);
    if (id === undefined || before === undefined) continue;
    const { output } = event;
    const tokens = contextTokens(isObject(output) && isObject(output['usage']) ? output['usage'] : {});
    const dropped = before - (messagesSent(event) ?? before);
    if (tokens !== undefined || dropped > 0 || compactedBy !== undefined)
      byMessage.set(id, {
        field: 'events[].output.usage',
        ...(tokens === undefined ? {} : { tokens }),
        ...(dropped <= 0 ? {} : { droppedMessages: dropped }),
        ...(compactedBy === undefined ? {} : { compactedBy }),
      });
    compactedBy = undefined;
  }
  return requestsOfTurns(
    turns,
    answersIn(messages).map(({ id }) => byMessage.get(stringOf(id) ?? '') ?? null),
  );
}

/** A log may be written without inputs. Newer logs refer to ranges of a pool of messages (`input_refs`) instead of repeating them. */
function messagesSent({ input, input_refs: ranges }: JsonObject): number | undefined {
  if (!Array.isArray(ranges)) return Array.isArray(input) && input.length > 0 ? input.length : undefined;
  const sent = ranges.reduce((sum: number, range: unknown) => {
    const [from, to] = Array.isArray(range) ? range : [];
    return sum + Math.max(0, (indexOf(to) ?? 0) - (indexOf(from) ?? 0));
  }, 0);
  return sent === 0 ? undefined : sent;
}

/** Everything but the sampled tokens, because some providers count cached tokens apart. */
function contextTokens(usage: JsonObject): number | undefined {
  const total = indexOf(usage['total_tokens']);
  const sampled = sampledTokens(usage);
  const tokens = total === undefined || sampled === undefined ? undefined : total - sampled;
  return tokens === undefined || tokens <= 0 ? undefined : tokens;
}

/** The definitions that the first request of the policy was sent with. */
function toolsOf({ events }: JsonObject, messages: readonly JsonObject[]): LoggedContext | undefined {
  const answers = new Set(answersIn(messages).map(({ id }) => id));
  const calls = (Array.isArray(events) ? events : []).filter(isObject);
  const first = calls.find(({ output }) => {
    const message = choiceOf(output)?.['message'];
    return isObject(message) && answers.has(message['id']);
  });
  const tools = first?.['tools'];
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  return { tools: { field: 'events[].tools', text: toolsText(tools) } };
}

/** Tool events say of which responses Inspect cut the end off. */
function cutResponses({ events }: JsonObject, calls: readonly ToolCall[]): LoggedContext | undefined {
  const cut = new Set(
    (Array.isArray(events) ? events : [])
      .filter(isObject)
      .filter(({ event, truncated }) => event === 'tool' && Array.isArray(truncated))
      .map(({ id }) => stringOf(id)),
  );
  const truncated = calls.flatMap(({ callId }, call) =>
    callId !== undefined && cut.has(callId) ? [{ call, field: 'events[].truncated' }] : [],
  );
  return truncated.length === 0 ? undefined : { truncated };
}

function turnsWithUsage(turns: readonly Turn[], usage: readonly (JsonObject | null)[]): readonly Turn[] {
  return turns.map((turn, i) => {
    const policyTokens = sampledTokens(usage[i] ?? {});
    return policyTokens === undefined ? turn : { ...turn, policyTokens };
  });
}

/**
 * `output_tokens` includes reasoning at some providers, but not at Google. The total shows which. 0 means that the
 * provider returned no usage.
 */
function sampledTokens(usage: JsonObject): number | undefined {
  const count = (name: string): number => indexOf(usage[name]) ?? 0;
  const [output, reasoning] = [count('output_tokens'), count('reasoning_tokens')];
  const isApart = count('total_tokens') === count('input_tokens') + output + reasoning;
  const sampled = isApart ? output + reasoning : output;
  return sampled === 0 ? undefined : sampled;
}

/** A message of a few bytes may name an attachment of 100 kB. Messages, input and output name it once each. */
const MOST_REFERENCES = 8;

class Attachments {
  missing = 0;
  tooLong = 0;
  private length = 0;
  /** UTF-16 units of the attachments of the sample, each as often as it may be referenced. */
  readonly longest: number;
  private readonly texts: JsonObject;

  constructor(texts: JsonObject) {
    this.texts = texts;
    this.longest = MOST_REFERENCES * textLength(Object.values(texts));
  }

  /**
   * Replaces `attachment://` references by their text. Values nested deeper than any message are returned
   * unchanged.
   */
  resolve(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null || depth > 16) return value;
    if (Array.isArray(value)) return value.map((inner) => this.resolve(inner, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.resolve(inner, depth + 1)]),
    );
  }

  private text(value: string): string {
    const prefix = 'attachment://';
    if (!value.startsWith(prefix)) return value;
    const key = value.slice(prefix.length);
    const text = Object.hasOwn(this.texts, key) ? stringOf(this.texts[key]) : undefined;
    if (text === undefined) this.missing++;
    else if (this.length + text.length > this.longest) this.tooLong++;
    else {
      this.length += text.length;
      return text;
    }
    return value;
  }
}

interface Score {
  readonly reward?: number;
  readonly isCorrect?: boolean;
  readonly answer?: string;
}

/** Without a score of this scorer, the sample has no reward, because another scorer measures something else. */
function mainScore(scores: unknown, scorer: string | undefined): Score {
  if (!isObject(scores)) return {};
  const score = scorer === undefined ? Object.values(scores)[0] : scores[scorer];
  if (!isObject(score)) return {};
  const { value } = score;
  const answer = textOf(score['answer']);
  const graded = typeof value === 'string' && Object.hasOwn(GRADES, value) ? GRADES[value] : undefined;
  const reward = graded ?? numberOf(value) ?? (typeof value === 'boolean' ? Number(value) : undefined);
  const isCorrect =
    value === 'C' || value === true
      ? true
      : value === 'I' || value === 'N' || value === false
        ? false
        : undefined;
  return {
    ...(reward === undefined ? {} : { reward }),
    ...(isCorrect === undefined ? {} : { isCorrect }),
    ...(answer === undefined || answer === '' ? {} : { answer }),
  };
}

/** A dictionary is one score per key. Lists and deeper dictionaries are in the extra fields only. */
function scoresIn(logged: unknown): Scores | undefined {
  if (!isObject(logged)) return undefined;
  return scoresOf(
    Object.entries(logged).flatMap(([scorer, score]) => {
      const value = isObject(score) ? score['value'] : undefined;
      return isObject(value)
        ? Object.entries(value).map(([key, part]) => [`${scorer}.${key}`, part] as const)
        : [[scorer, value] as const];
    }),
  );
}

/** Several targets are alternative accepted answers. */
function targetOf(target: unknown): string | undefined {
  const text = Array.isArray(target) ? target.map((each) => textOf(each) ?? '').join(' | ') : textOf(target);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** A limit ended the sample: `token`, `message`, `time`, `operator` and others. */
function stopOfSample(sample: JsonObject): Stop {
  if (isObject(sample['error'])) return stopOf('error');
  const limit = isObject(sample['limit']) ? sample['limit']['type'] : undefined;
  if (limit === undefined) return stopOf(choiceOf(sample['output'])?.['stop_reason']);
  return stopOf(limit, (type) => LIMITS.get(type) ?? 'aborted');
}

const LIMITS: ReadonlyMap<string, StopReason> = new Map([
  ['token', 'length'],
  ['context', 'length'],
  ['message', 'turn-limit'],
]);

function choiceOf(output: unknown): JsonObject | undefined {
  const choices = isObject(output) ? output['choices'] : undefined;
  const [first] = Array.isArray(choices) ? choices : [];
  return isObject(first) ? first : undefined;
}

/**
 * Only the last generation's tokens are logged. They are the rollout's if it has one turn and they decode to
 * it.
 */
function tokensOf(output: unknown, body: RolloutBody, warnings: LineIssue[]): ParsedRollout['tokens'] {
  const { tokens, text } = readLogprobs(choiceOf(output)?.['logprobs']);
  if (tokens === undefined) return undefined;
  if (body.turns.length === 1 && text === body.response) return tokens;
  if (body.turns.length === 1) {
    warnings.push(UNALIGNED);
    return { ...tokens, ends: undefined };
  }
  const message = 'log-probabilities are logged for the last generation of several; not read';
  warnings.push(warned('partial_tokens', message));
  return undefined;
}
