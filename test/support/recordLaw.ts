/**
 * The invariant of reading: every record yields rollouts, joins one, is documented by its format as something
 * else, or is refused exactly once. Nothing is dropped silently, and results are consistent.
 */
import type { RecordUnit } from '../../electron/ingest/containers/container.ts';
import { parseRecord } from '../../electron/ingest/parseRecord.ts';
import type { Segment } from '../../shared/domain/model.ts';
import type { ParsedLine, ParsedRollout, ParsedTokens, RecordReader } from '../../shared/format/format.ts';

/** Outcome of a record. */
type Outcome = 'blank' | 'rollout' | 'joined' | 'documented' | 'refused';

/** Formats with documented records that are not rollouts. */
const DOCUMENTED: Readonly<Record<string, readonly ParsedLine['kind'][]>> = {
  turnwise: ['run', 'stage', 'metric'],
  'turnwise-pack': ['annotation', 'reading', 'taxonomy', 'run', 'stage', 'skip'],
  inspect: ['run'],
  'tau2-bench': ['run'],
  verifiers: ['run'],
  'prime-rl': ['metric', 'skip'],
  'openai-stream': ['skip'],
  skyrl: ['metric', 'skip'],
  tinker: ['metric', 'skip'],
  verl: ['skip'],
  'verl-trace': ['skip'],
  'verl-metrics': ['metric', 'skip'],
  'verl-console': ['metric', 'skip'],
};

export interface Reading {
  readonly outcome: Outcome;
  readonly rollouts: number;
  readonly refused: number;
  /** For a joined record: its rollouts and the facts it adds. */
  readonly addresses: readonly string[];
}

/** @throws Error naming the broken invariant */
export function readByLaw(
  format: string,
  reader: RecordReader,
  bytes: Uint8Array,
  { number, unit }: { readonly number: number; readonly unit: RecordUnit },
): Reading {
  const outcome = parseRecord(reader, bytes, number, unit);
  if (outcome.kind === 'read') return judge(format, outcome.lines, isFarTooDeep(bytes));
  const isBlank = Buffer.from(bytes).toString('utf8').trim() === '';
  if (!isBlank) throw new Error('a record that is not blank was passed over');
  return { outcome: 'blank', rollouts: 0, refused: 0, addresses: [] };
}

/** Whether nesting may exhaust a reader's stack, the only error a reader may throw. */
export function isFarTooDeep(bytes: Uint8Array): boolean {
  return /\[{20000}|(?:\{"a":){20000}/.test(Buffer.from(bytes).toString('latin1'));
}

export function judge(format: string, lines: readonly ParsedLine[], mayExhaustStack = false): Reading {
  if (lines.length === 0) throw new Error('the record was dropped: neither read nor refused');
  let refused = 0;
  let rollouts = 0;
  const addresses: string[] = [];
  for (const line of lines) {
    if ('warnings' in line) {
      const bad = line.warnings.find((warning) => warning.severity !== 'warning');
      if (bad !== undefined) throw new Error(`a record that was read carries a refusal: ${bad.message}`);
    }
    if (line.kind === 'rollout') {
      rollouts++;
      checkRollout(line.rollout);
    } else if (line.kind === 'signal') {
      addresses.push(`signal ${JSON.stringify(line.signal.address)}`);
      checkTokens(line.signal.tokens);
    } else if (line.kind === 'decision') {
      addresses.push(`decision ${JSON.stringify(line.decision.address)}`);
    } else if (line.kind !== 'issue') {
      if (DOCUMENTED[format]?.includes(line.kind) !== true) {
        throw new Error(`${format} documents no records that are "${line.kind}"`);
      }
      if (line.kind === 'metric') {
        whole('step', line.metric.step);
        for (const value of Object.values(line.metric.metrics)) finite('metric', value);
      }
      if (line.kind === 'stage') whole('step', line.stage.fromStep);
    } else {
      if (line.issue.severity !== 'refused') throw new Error('a record that was not read is only warned of');
      if (line.issue.code === 'unreadable_record' && !mayExhaustStack) {
        throw new Error(`the reader threw: ${line.issue.message}`);
      }
      refused++;
    }
  }
  if (rollouts > 0) return { outcome: 'rollout', rollouts, refused, addresses };
  if (addresses.length > 0) return { outcome: 'joined', rollouts, refused, addresses };
  if (refused > 1) throw new Error(`a record that was not read is ${refused} refusals, not one`);
  return { outcome: refused === 1 ? 'refused' : 'documented', rollouts, refused, addresses };
}

function checkRollout(rollout: ParsedRollout): void {
  const { problem, response, segments, tokens } = rollout;
  tile('prompt', problem.prompt, problem.promptSegments);
  tile('response', response, segments);
  hold(
    'turn 0 is the prompt',
    problem.promptSegments.every(({ turn }) => turn === 0),
  );
  hold(
    'turns of a response count from 1',
    segments.every(({ turn }) => turn >= 1),
  );
  for (const call of rollout.toolCalls) {
    hold('a call has a segment', segments[call.callSegment] !== undefined);
    hold(
      'a response has a segment',
      call.responseSegment === undefined || segments[call.responseSegment] !== undefined,
    );
    for (const value of [call.latencyMs, call.queueMs, call.startedAt])
      if (value !== undefined) finite('time of a call', value);
    hold(`a worker is ${typeof call.worker}`, ['string', 'undefined'].includes(typeof call.worker));
  }
  for (const turn of rollout.turns) {
    whole('turn', turn.turn);
    for (const count of [turn.segments, turn.toolCalls, turn.toolErrors, turn.policyTokens]) {
      if (count !== undefined) whole('count of a turn', count);
    }
  }
  for (const value of [rollout.step, rollout.ordinal]) if (value !== undefined) whole('step or index', value);
  const { reward, startedAt, endedAt, decision } = rollout;
  for (const value of [reward, startedAt, endedAt]) if (value !== undefined) finite('number', value);
  const { durationMs, worker, gpu, kvCache } = rollout.timing ?? {};
  if (durationMs !== undefined) finite('duration', durationMs);
  for (const name of [worker, gpu]) hold('a name is a text', name === undefined || typeof name === 'string');
  for (const value of [kvCache ?? []].flat(2)) finite('use of the cache', value);
  for (const value of Object.values(decision ?? {})) if (typeof value === 'number') finite('decision', value);
  for (const text of [problem.prompt, response]) {
    hold(`a text is ${typeof text}`, typeof text === 'string');
  }
  for (const text of [
    rollout.run,
    rollout.groupKey,
    rollout.role,
    problem.problemId,
    rollout.answer,
    problem.groundTruth,
    problem.source,
    ...(rollout.joinKeys ?? []),
  ]) {
    hold(`a text is ${typeof text}`, text === undefined || typeof text === 'string');
  }
  if (tokens !== undefined) checkTokens(tokens, response.length);
}

/** Outer ranges cover the text without gap or overlap; inner ranges lie inside them. */
function tile(what: string, text: string, segments: readonly Segment[]): void {
  let position = 0;
  for (const { outer, inner } of segments) {
    hold(`segments of the ${what} tile`, outer.start === position && outer.end >= outer.start);
    hold(`inner ranges of the ${what} lie inside`, inner.start >= outer.start && inner.end <= outer.end);
    hold(`inner ranges of the ${what} are ranges`, inner.start <= inner.end);
    position = outer.end;
  }
  hold(`segments cover the ${what}`, position === text.length);
}

function checkTokens(tokens: ParsedTokens, length = Number.POSITIVE_INFINITY): void {
  whole('token count', tokens.count);
  const { ends, ids, mask, entropy, logprob, trainerLogprob, advantage, top } = tokens;
  for (const column of [ends, ids, mask, entropy, logprob, trainerLogprob, advantage, top]) {
    hold('columns of tokens have their length', column === undefined || column.length === tokens.count);
  }
  let before = 0;
  for (const end of ends ?? []) {
    hold('ends of tokens grow', end >= before);
    before = end;
  }
  hold('tokens end inside the text', before <= length);
}

function hold(law: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(law);
}

const finite = (what: string, value: number): void => hold(`${what} is ${value}`, Number.isFinite(value));
const whole = (what: string, value: number): void =>
  hold(`${what} is ${value}`, Number.isSafeInteger(value) && value >= 0);
