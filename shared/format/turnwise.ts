/**
 * The Turnwise rollout log, version 1: text, group, reward, decision and per-token signals together.
 * Normative: `turnwise.schema.json` beside this file. Lines:
 *
 *   {"v":1,"type":"run","run":"r1","name":"…","model":"…","limits":{…},"down_sampling":{…}}
 *   {"v":1,"type":"stage","run":"r1","from_step":300,"name":"RL-2","max_response_tokens":12288}
 *   {"v":1,"type":"rollout","run":"r1","step":3,"split":"train","group":"p7","index":0,
 *    "problem":{"id":"p7","prompt":"What is 6·7?","ground_truth":"42"},"text":"<reason>…","reward":1}
 *   {"v":1,"type":"decision","run":"r1","step":3,"group":"p7","index":0,"kept":true,"reason":"kept_positive_topk"}
 *   {"v":1,"type":"signal","run":"r1","step":3,"group":"p7","index":0,"tokens":{"entropy":"f16:…"}}
 *   {"v":1,"type":"metric","run":"r1","step":3,"metrics":{"actor/entropy":0.31}}
 */
import { extractAnswer } from '../domain/answer.ts';
import { indexIn } from '../domain/linearSearch.ts';
import { RUN_KINDS, type RunKind, type Segment, STOP_REASONS } from '../domain/model.ts';
import { originKey } from '../domain/origin.ts';
import { readPrompt } from '../domain/prompt.ts';
import { scoresOf } from '../domain/scores.ts';
import { segmentResponse } from '../domain/segment.ts';
import { summariseTurns } from '../domain/turns.ts';
import {
  booleanOf,
  idOf,
  indexOf,
  insteadOfIndex,
  isObject,
  isUnread,
  type JsonObject,
  numberOf,
  rewardOf,
  stringOf,
  textOf,
  whyUnread,
  without,
} from './fields.ts';
import type {
  FileHead,
  LineIssue,
  LogFormat,
  ParsedDecision,
  ParsedLine,
  ParsedProblem,
  RecordReader,
  RolloutAddress,
} from './format.ts';
import {
  leadingMessages,
  type MessageResponse,
  promptOfMessages,
  responseOfMessages,
  textOfContent,
} from './messages.ts';
import { stopOf, stopWithEnding } from './stop.ts';
import { timingOf } from './timing.ts';
import { turnsWithTokens } from './tokenColumns.ts';
import { withLoggedCalls } from './turnwiseCalls.ts';
import { alignTo, type ParsedTokenColumns, readTokens } from './turnwiseTokens.ts';

const TURNWISE_VERSION = 1;

const TYPES: ReadonlySet<unknown> = new Set(['run', 'stage', 'rollout', 'decision', 'signal', 'metric']);
const ENVELOPE = ['v', 'type', 'run'];
const ROLLOUT_COLUMNS: ReadonlySet<string> = new Set([
  ...ENVELOPE,
  ...[
    'step',
    'split',
    'group',
    'index',
    'problem',
    'messages',
    'text',
    'reward',
    'is_correct',
    'answer',
    'stop_reason',
  ],
  ...['tokens', 'extra', 'part', 'pool'],
]);
const RUN_COLUMNS: ReadonlySet<string> = new Set(ENVELOPE);
const STAGE_COLUMNS: ReadonlySet<string> = new Set([...ENVELOPE, 'from_step', 'name']);

export const turnwise: LogFormat = {
  name: 'turnwise',
  title: 'Turnwise rollout log (JSON Lines)',
  source: 'shared/format/turnwise.schema.json; written by shared/recorder/turnwise_recorder.py',
  rule: 'a record with "v", "run" and a "type" of run, stage, rollout, decision, signal or metric',
  reads: 'everything the schema has; unknown fields as extra fields',
  ignores: 'nothing',
  detect: (head: FileHead) =>
    head.records.some((record) => TYPES.has(record['type']) && 'v' in record && 'run' in record),
  open: (): RecordReader => ({ read: readLine }),
};

function readLine(record: JsonObject): ParsedLine {
  const version = record['v'];
  if (typeof version === 'number' && version > TURNWISE_VERSION) {
    return refuse(
      'newer_version',
      `format version ${version}; this Turnwise reads up to version ${TURNWISE_VERSION}`,
    );
  }
  const run = idOf(record['run']);
  if (run === undefined) return refuse('missing_field', '"run" is missing');
  switch (record['type']) {
    case 'rollout':
      return readRollout(record, run);
    case 'decision':
      return addressed(record, run, (address) => ({
        kind: 'decision',
        decision: { address, decision: decisionOf(record) },
      }));
    case 'signal':
      return addressed(record, run, (address) => {
        const { tokens, warnings } = readTokens(record['tokens']);
        return tokens === undefined
          ? refuse('missing_field', 'a signal line needs per-token arrays in "tokens"')
          : { kind: 'signal', signal: { address, tokens }, warnings };
      });
    case 'run':
      return { kind: 'run', run: { run, config: without(record, RUN_COLUMNS) }, warnings: [] };
    case 'stage': {
      const fromStep = indexOf(record['from_step']);
      if (fromStep === undefined)
        return refuse(
          'missing_field',
          `a stage line needs a whole number in "from_step"${insteadOfIndex(record['from_step'])}`,
        );
      const name = stringOf(record['name']) ?? `from step ${fromStep}`;
      return { kind: 'stage', stage: { run, fromStep, name, changes: without(record, STAGE_COLUMNS) } };
    }
    case 'metric':
      return readMetric(record, run);
    default:
      return refuse(
        'unknown_type',
        `"type" is ${JSON.stringify(record['type'])}, which version 1 does not have`,
      );
  }
}

function readMetric(record: JsonObject, run: string): ParsedLine {
  const step = indexOf(record['step']);
  if (step === undefined || !isObject(record['metrics'])) {
    const found = step === undefined ? insteadOfIndex(record['step']) : '';
    const message = `a metric line needs a whole number in "step" and an object in "metrics"${found.replace('it is', '"step" is')}`;
    return refuse('missing_field', message);
  }
  const metrics: Record<string, number> = {};
  for (const [name, value] of Object.entries(record['metrics'])) {
    const number = numberOf(value);
    if (number !== undefined) metrics[name] = number;
  }
  return { kind: 'metric', metric: { run, step, metrics } };
}

function addressed(
  record: JsonObject,
  run: string,
  then: (address: RolloutAddress) => ParsedLine,
): ParsedLine {
  const step = indexOf(record['step']);
  const group = idOf(record['group']);
  const index = indexOf(record['index']);
  if (step === undefined || group === undefined || index === undefined) {
    const unread = (['step', 'index'] as const).filter((name) =>
      isUnread(record[name], indexOf(record[name])),
    );
    const found = unread.map((name) => insteadOfIndex(record[name]).replace('it is', `"${name}" is`));
    return refuse(
      'missing_field',
      unread.length > 0
        ? `"step" and "index" are whole numbers${found.join('')}`
        : '"step", "group" and "index" identify the rollout; at least one is missing',
    );
  }
  const kind = kindOf(record['split']);
  return then({ run, step, group, index, ...(kind === undefined ? {} : { kind }) });
}

function readRollout(record: JsonObject, run: string): ParsedLine {
  const step = indexOf(record['step']);
  const groupKey = idOf(record['group']);
  if (step === undefined || groupKey === undefined) {
    return refuse(
      'missing_field',
      step === undefined
        ? `a rollout needs a whole number in "step"${insteadOfIndex(record['step'])}`
        : 'a rollout needs "group"',
    );
  }
  const index = indexOf(record['index']);
  const part = indexOf(record['part']);
  const messages = Array.isArray(record['messages']) ? record['messages'].filter(isObject) : [];
  const leading = leadingMessages(messages);
  const problem = problemOf(record['problem'], leading);
  const reading = readTokens(record['tokens']);
  const body = responseOf(record, messages.slice(leading.length), reading, problem.startsInReasoning);
  if (body === undefined)
    return refuse('missing_field', 'a rollout needs "messages", "text" or tokens with text');
  const warnings: LineIssue[] = [...reading.warnings, ...unreadNumbers(record)];
  if (isUnread(record['reward'], rewardOf(record['reward']))) {
    const message = `"reward" is ${JSON.stringify(record['reward']).slice(0, 60)}, ${whyUnread(record['reward'])}`;
    warnings.push({ severity: 'warning', code: 'unread_value', message });
  }
  let { tokens } = reading;
  if (tokens !== undefined) {
    const aligned = alignTo(
      body.text,
      body.isSpelledByTokens ? tokens : { ...tokens, ends: explicitEnds(record, tokens) },
    );
    tokens = aligned.tokens;
    warnings.push(...aligned.warnings);
  }
  const toolCalls = withLoggedCalls(body.toolCalls, record['tool_calls']);
  const turns = body.text === '' ? [] : summariseTurns(body.turns, body.segments, toolCalls);
  const logged = textOf(record['answer']);
  const answer = logged ?? extractAnswer(body.text, body.segments);
  const stop = stopOf(record['stop_reason'], (word) => STOP_REASONS.find((reason) => reason === word));
  if (record['stop_reason'] != null && stop.stopReason === undefined)
    warnings.push(unknownStop(record['stop_reason']));
  const timing = isObject(record['timing']) ? record['timing'] : {};
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      run,
      kind: kindOf(record['split']) ?? 'train',
      step,
      groupKey,
      pool: indexOf(record['pool']),
      ordinal: index,
      partOf: part === undefined ? undefined : { key: JSON.stringify([groupKey, index]), number: part },
      problem: problem.problem,
      response: body.text,
      segments: body.segments,
      toolCalls,
      turns: turnsWithTokens({ ...body, toolCalls, turns }, tokens),
      reward: rewardOf(record['reward']),
      isCorrect: booleanOf(record['is_correct']),
      answer,
      answerSource: answer === undefined ? undefined : logged === undefined ? 'derived' : 'logged',
      ...stopWithEnding(stop, {
        ...{ response: body.text, segments: body.segments, toolCalls, answer },
        isAnswerLogged: logged !== undefined,
      }),
      origin: originOf(record['origin']),
      scores: isObject(record['rewards']) ? scoresOf(rewardParts(record['rewards'])) : undefined,
      tokens,
      startedAt: numberOf(timing['start']),
      endedAt: numberOf(timing['end']),
      ...timingOf({ ...timing, kvCache: timing['kv_cache'] }),
      extra: { ...without(record, ROLLOUT_COLUMNS), ...(isObject(record['extra']) ? record['extra'] : {}) },
    },
  };
}

/** The numbers of a rollout that it can be stored without, and what is done then. */
const INSTEAD = {
  index: 'the next free index of the group is used',
  part: 'the line is a rollout of its own',
  pool: 'it is unknown',
} as const;

function unreadNumbers(record: JsonObject): readonly LineIssue[] {
  return (['index', 'part', 'pool'] as const)
    .filter((name) => isUnread(record[name], indexOf(record[name])))
    .map((name) => ({
      severity: 'warning',
      code: 'unread_value',
      message: `"${name}" is a whole number from 0${insteadOfIndex(record[name])}; ${INSTEAD[name]}`,
    }));
}

/** The whole object stays in the extra fields. */
function originOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const [runKey, groupKey] = [idOf(value['run']), idOf(value['group'])];
  const [step, ordinal] = [indexOf(value['step']), indexOf(value['index'])];
  if (runKey === undefined || groupKey === undefined || step === undefined || ordinal === undefined)
    return undefined;
  return originKey({ runKey, step, groupKey, ordinal });
}

/** Parts of a reward are numbers and booleans. Other values stay in the extra fields. */
function rewardParts(rewards: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(rewards).filter(
    ([, value]) => typeof value === 'number' || typeof value === 'boolean',
  );
}

interface Body extends MessageResponse {
  readonly isSpelledByTokens: boolean;
}

/**
 * `text`, else the decoded tokens, else the messages. Messages are used if the tokens decode to less (policy
 * tokens only).
 */
function responseOf(
  record: JsonObject,
  messages: readonly JsonObject[],
  reading: ParsedTokenColumns,
  startsInReasoning: boolean,
): Body | undefined {
  const text = stringOf(record['text']);
  const spelled = reading.text;
  const raw = text ?? (spelled !== undefined && holdsAll(spelled, messages) ? spelled : undefined);
  if (raw !== undefined) {
    const segmented = segmentResponse(raw, { startsInReasoning });
    return { ...segmented, text: raw, isSpelledByTokens: spelled !== undefined && spelled === raw };
  }
  if (messages.length === 0) return undefined;
  return { ...responseOfMessages(messages), isSpelledByTokens: false };
}

/** Whether a text has the content of all messages. If the search takes too long, the answer is no. */
function holdsAll(text: string, messages: readonly JsonObject[]): boolean {
  const hasCalls = messages.some(
    (message) => Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0,
  );
  if (hasCalls && !text.includes('<tool_call>')) return false;
  let searched = 0;
  return messages.every((message) =>
    [message['content'], message['reasoning_content']].every((part) => {
      const at = indexIn(text, textOfContent(part).trim());
      searched += at;
      return at >= 0 && searched <= MOST_SEARCHED;
    }),
  );
}

/** UTF-16 units. */
const MOST_SEARCHED = 1 << 29;

/** Logged offsets. Offsets computed from another text than the response are not used. */
function explicitEnds(record: JsonObject, tokens: { ends?: Uint32Array }): Uint32Array | undefined {
  return isObject(record['tokens']) && record['tokens']['ends'] !== undefined ? tokens.ends : undefined;
}

function problemOf(
  value: unknown,
  leading: readonly JsonObject[],
): { readonly problem: ParsedProblem; readonly startsInReasoning: boolean } {
  const problem = isObject(value) ? value : {};
  const { prompt } = problem;
  const groundTruth = textOf(problem['ground_truth']);
  let text: string;
  let segments: readonly Segment[];
  let startsInReasoning = false;
  if (Array.isArray(prompt)) ({ text, segments } = promptOfMessages(prompt.filter(isObject)));
  else if (
    typeof prompt === 'string' &&
    !leading.some((message) => indexIn(textOfContent(message['content']), prompt) >= 0)
  ) {
    text = prompt;
    ({ segments, startsInReasoning } = readPrompt(prompt));
  } else ({ text, segments } = promptOfMessages(leading));
  return {
    problem: {
      problemId: idOf(problem['id']),
      prompt: text,
      promptSegments: segments,
      groundTruth,
      source: textOf(problem['source']),
    },
    startsInReasoning,
  };
}

function decisionOf(record: JsonObject): ParsedDecision {
  return {
    kept: booleanOf(record['kept']),
    reason: stringOf(record['reason']),
    pErr: numberOf(record['p_err']),
    pFormat: numberOf(record['p_format']),
    penalty: numberOf(record['penalty']),
    advantage: numberOf(record['advantage']),
    rule: stringOf(record['rule']),
  };
}

function kindOf(split: unknown): RunKind | undefined {
  return RUN_KINDS.find((kind) => kind === split);
}

function unknownStop(value: unknown): LineIssue {
  const message = `"stop_reason" is ${JSON.stringify(value)}, which is not one of ${STOP_REASONS.join(', ')}; derived from the text`;
  return { severity: 'warning', code: 'unknown_value', message };
}

function refuse(code: string, message: string): ParsedLine {
  return { kind: 'issue', issue: { severity: 'refused', code, message } };
}
