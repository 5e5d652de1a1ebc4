/**
 * An episode of verifiers v1: a task, its agents and their messages.
 *
 *   {"id":"e1","env":{"id":"math"},"task":{"data":{"question":"6·7?","answer":"42"}},"group":{"id":"g7"},
 *    "run":{"type":"train","work":{"step":3}},"ok":true,"traces":[{"id":"t1","agent":{"name":"solver"},
 *    "nodes":[{"parent":null,"message":{"role":"user","content":"6·7?"},"sampled":false,"token_ids":[11,27],"mask":[false,false]},
 *     {"parent":0,"message":{"role":"assistant","content":"42"},"sampled":true,"token_ids":[5,9,2],
 *      "mask":[false,true,true],"logprobs":[-0.1,-1.9],"advantages":[0.97,0.97]}],"rewards":{"correct":{"score":1,"weight":1}}}]}
 *
 * - `nodes` is a graph with shared prefixes. Every leaf is a separate conversation (compaction, sub-agents),
 *   and its path from the root is one rollout.
 * - A node has the tokens it adds. A sampled one begins with the scaffold of the chat template (mask false).
 *   `logprobs` and `advantages` have one entry per token with mask true; older ones have one per token.
 * - The reward is the weighted sum of `rewards`; the parts stay in `extra`.
 * - `calls[]` has the model calls: `node` is the answer that a call added, `time` its start and end.
 * - An episode that failed before its first trace has `traces: []` and `errors`: a rollout without text.
 *
 * Versions: shared/format/FORMATS.md#prime-rl.
 */
import { bodyOfMessages, type KnownFacts } from './body.ts';
import {
  dateOf,
  idOf,
  indexOf,
  isObject,
  type JsonObject,
  numberOf,
  stringOf,
  textOf,
  without,
} from './fields.ts';
import type { FileContext, LineIssue, ParsedLine, ParsedRollout, ParsedTokens } from './format.ts';
import { joinKeyOfIds } from './primeRlTokens.ts';
import { readStep, refused, warned } from './records.ts';
import { type Stop, stopOf } from './stop.ts';
import {
  floatsOf,
  idsOf,
  logprobsOf,
  maskOf,
  sharedAdvantage,
  turnsWithTokens,
  UNALIGNED,
} from './tokenColumns.ts';

const EPISODE: ReadonlySet<string> = new Set(['traces', 'group']);
const FAILED: ReadonlySet<string> = new Set([...EPISODE, 'errors']);
const TRACE: ReadonlySet<string> = new Set(['nodes', 'id', 'agent', 'is_completed']);
/** Names under which environments log the expected answer of a task. */
const ANSWERS = ['answer', 'ground_truth', 'target', 'expected_answer', 'solution'] as const;

export function readEpisode(record: JsonObject, file: FileContext): ParsedLine | readonly ParsedLine[] {
  const traces = Array.isArray(record['traces']) ? record['traces'].filter(isObject) : [];
  if (isFailure(record)) return readFailure(record, file);
  const agents = new Set(traces.map(agentOf));
  const lines: ParsedLine[] = [];
  const lost: LineIssue[] = [];
  let onPaths = 0;
  for (const trace of traces) {
    const nodes = Array.isArray(trace['nodes']) ? trace['nodes'].map(objectOf) : [];
    const leaves = leavesOf(nodes);
    const branches: (readonly number[])[] = [];
    for (const leaf of leaves.slice(0, MOST_BRANCHES)) {
      const path = pathTo(leaf, nodes);
      onPaths += path.length;
      if (onPaths > MOST_ON_PATHS) break;
      branches.push(path);
    }
    const calls = callsByNode(trace['calls']);
    if (leaves.length > branches.length) {
      const message = `a trace has ${leaves.length} branches; the first ${branches.length} are read`;
      lost.push(warned('unread_branches', message));
    }
    branches.forEach((path, index) => {
      const onPath = path.map((at) => nodes[at] ?? {});
      if (!onPath.some((node) => isObject(node['message']))) {
        lost.push(warned('unread_branch', 'a branch of a trace has no message; not read'));
        return;
      }
      const name = leaves.length === 1 ? undefined : `${index + 1} of ${leaves.length}`;
      lines.push(
        readBranch(
          {
            ...{ record, trace, nodes: onPath, name, index, hasAgents: agents.size > 1 },
            calls: path.map((at) => calls.get(at)).filter(isObject),
          },
          file,
        ),
      );
    });
    if (leaves.length === 0) lost.push(warned('unread_trace', 'a trace has no nodes; not read'));
  }
  const [first] = lines;
  if (first?.kind !== 'rollout') {
    return refused('no_messages', `none of the ${traces.length} traces has a message; nothing to show`);
  }
  return [{ ...first, warnings: [...first.warnings, ...lost] }, ...lines.slice(1)];
}

/**
 * A trace has a few. Paths share prefixes, so many leaves on a long path would multiply the work: hence also the limit
 * of nodes on all paths of a record.
 */
const [MOST_BRANCHES, MOST_ON_PATHS] = [256, 1 << 18];

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** A parent precedes its children. A node that violates this is a root. */
function parentOf(nodes: readonly JsonObject[], i: number): number | undefined {
  const parent = indexOf(nodes[i]?.['parent']);
  return parent !== undefined && parent < i ? parent : undefined;
}

function leavesOf(nodes: readonly JsonObject[]): readonly number[] {
  const parents = new Set(nodes.map((_, i) => parentOf(nodes, i)));
  return nodes.flatMap((_, i) => (parents.has(i) ? [] : [i]));
}

/** From the root. */
function pathTo(leaf: number, nodes: readonly JsonObject[]): readonly number[] {
  const path: number[] = [];
  for (let at: number | undefined = leaf; at !== undefined; at = parentOf(nodes, at)) path.push(at);
  return path.reverse();
}

/** The call that produced each sampled node. A retry that succeeded replaces the call before it. */
function callsByNode(calls: unknown): ReadonlyMap<number, JsonObject> {
  const entries = Array.isArray(calls) ? calls.filter(isObject) : [];
  return new Map(
    entries.flatMap((call): readonly [number, JsonObject][] => {
      const node = indexOf(call['node']);
      return node === undefined ? [] : [[node, call]];
    }),
  );
}

/** An episode that ended before its first trace; prime-rl keeps it for its errors. */
export function isFailure(record: JsonObject): boolean {
  const { traces, errors } = record;
  return (
    Array.isArray(traces) &&
    traces.length === 0 &&
    isObject(record['task']) &&
    Array.isArray(errors) &&
    errors.length > 0
  );
}

function readFailure(record: JsonObject, file: FileContext): ParsedLine {
  const warnings: LineIssue[] = [];
  const facts = { ...factsOf(record, undefined), stop: stopOf('error') };
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...bodyOfMessages([], facts),
      ...groupOf(record, undefined),
      ...workOf(record, file, warnings),
      extra: { errors: record['errors'], episode: without(record, FAILED) },
    },
  };
}

interface Branch {
  readonly record: JsonObject;
  readonly trace: JsonObject;
  readonly nodes: readonly JsonObject[];
  /** Model calls of the sampled nodes, in order. */
  readonly calls: readonly JsonObject[];
  /** `2 of 3`, if a trace has several. */
  readonly name: string | undefined;
  readonly index: number;
  readonly hasAgents: boolean;
}

function readBranch(branch: Branch, file: FileContext): ParsedLine {
  const { record, trace, nodes } = branch;
  const warnings: LineIssue[] = [];
  const firstSampled = nodes.findIndex((node) => node['sampled'] === true);
  // Nothing was sampled: an episode that failed before the first answer is all prompt.
  const start = firstSampled < 0 ? nodes.length : firstSampled;
  const messages = nodes.map((node) => objectOf(node['message']));
  const unread = nodes.filter((node) => !isObject(node['message'])).length;
  if (unread > 0) {
    warnings.push(warned('unread_message', `${unread} of ${nodes.length} nodes have no message; left out`));
  }
  const agent = branch.hasAgents ? agentOf(trace) : undefined;
  const body = bodyOfMessages(
    messages.slice(start).filter(isWritten),
    { ...factsOf(record, agent), stop: stopOfTrace(branch) },
    messages.slice(0, start).filter(isWritten),
  );
  const tokens = tokensOf(nodes, warnings);
  if (tokens.columns !== undefined) warnings.push(UNALIGNED);
  const traceId = idOf(trace['id']);
  const isEffective = file.layout.selection === 'effective';
  const advantage = tokens.columns === undefined ? undefined : sharedAdvantage(tokens.columns);
  const reward = weightedReward(trace['rewards']) ?? numberOf(trace['reward']);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      ...groupOf(record, agent),
      ...workOf(record, file, warnings),
      reward,
      ...spanOf(branch),
      tokens: tokens.columns,
      turns: turnsWithTokens(body, tokens.columns),
      joinKeys: [
        ...(traceId === undefined
          ? []
          : [`trace:${traceId}${branch.name === undefined ? '' : `/${branch.index}`}`]),
        ...(tokens.ids === undefined ? [] : [joinKeyOfIds(tokens.ids)]),
      ],
      ...(isEffective ? { isSelection: true } : {}),
      decision: decisionOf(isEffective, advantage),
      extra: {
        ...(traceId === undefined ? {} : { trace: traceId }),
        ...(agentOf(trace) === undefined ? {} : { agent: agentOf(trace) }),
        ...(branch.name === undefined ? {} : { branch: branch.name }),
        ...without(trace, TRACE),
        episode: without(record, EPISODE),
      },
    },
  };
}

const isWritten = (message: JsonObject): boolean => Object.keys(message).length > 0;

/** Only the effective file tells which rollouts entered the batch. */
function decisionOf(isEffective: boolean, advantage: number | undefined): ParsedRollout['decision'] {
  if (isEffective) return { kept: true, rule: 'prime-rl effective', advantage };
  return advantage === undefined ? undefined : { advantage };
}

/** Several agents on one task have different prompts, so each forms its own group and its own problem. */
const withAgent = (id: string, agent: string | undefined): string =>
  agent === undefined ? id : `${id}/${agent}`;

function groupOf(
  record: JsonObject,
  agent: string | undefined,
): Pick<ParsedRollout, 'groupKey' | 'groupRule'> {
  const group = isObject(record['group']) ? idOf(record['group']['id']) : undefined;
  if (group === undefined) return { groupRule: 'prompt' };
  return { groupKey: withAgent(group, agent), groupRule: 'logged' };
}

function factsOf(record: JsonObject, agent: string | undefined): KnownFacts {
  const task = isObject(record['task']) ? record['task'] : {};
  const id = idOf(task['key']) ?? idOf(task['hash']);
  return {
    problemId: id === undefined ? undefined : withAgent(id, agent),
    groundTruth: truthOf(task),
    source: isObject(record['env']) ? idOf(record['env']['id']) : undefined,
  };
}

function workOf(
  record: JsonObject,
  file: FileContext,
  warnings: LineIssue[],
): Pick<ParsedRollout, 'kind' | 'step'> {
  const run = isObject(record['run']) ? record['run'] : {};
  const work = isObject(run['work']) ? run['work'] : {};
  const kind = kindOf(stringOf(work['type'])) ?? kindOf(stringOf(run['type']));
  return {
    kind: kind ?? file.layout.kind ?? 'eval',
    step: readStep(work['step'], 'step', file, warnings),
  };
}

/**
 * Start and end, in seconds since 1970. A trace logs when its agent ran. One of several branches lasted from
 * its first model call to its last.
 */
function spanOf({ trace, name, calls }: Branch): Pick<ParsedRollout, 'startedAt' | 'endedAt'> {
  const timing = isObject(trace['timing']) ? trace['timing'] : {};
  const agent = timing['agent'] ?? timing['generation'];
  const times = calls.map(({ time }) => time).filter(isObject);
  const span = name === undefined && isObject(agent) ? [agent] : times;
  return { startedAt: dateOf(span[0]?.['start']), endedAt: dateOf(span.at(-1)?.['end']) };
}

function agentOf(trace: JsonObject): string | undefined {
  const { agent } = trace;
  return isObject(agent) ? (idOf(agent['name']) ?? idOf(agent['id'])) : idOf(agent);
}

function truthOf(task: JsonObject): string | undefined {
  const data = isObject(task['data']) ? task['data'] : task;
  for (const name of ANSWERS) {
    const truth = textOf(data[name]);
    if (truth !== undefined) return truth;
  }
  return undefined;
}

function weightedReward(rewards: unknown): number | undefined {
  if (!isObject(rewards)) return undefined;
  let sum: number | undefined;
  for (const part of Object.values(rewards)) {
    const score = isObject(part) ? numberOf(part['score']) : numberOf(part);
    const weight = isObject(part) ? (numberOf(part['weight']) ?? 1) : 1;
    if (score !== undefined) sum = (sum ?? 0) + score * weight;
  }
  return sum;
}

function stopOfTrace({ trace, nodes, calls }: Branch): Stop {
  // A trace keeps the errors of attempts before the one that succeeded.
  const { error, errors } = trace;
  const hasErrors = isObject(error) || (Array.isArray(errors) && errors.length > 0);
  if (hasErrors && trace['ok'] !== true) return stopOf('error');
  const condition = stopOf(trace['stop_condition'], (word) =>
    /(?:^|_)turns?(?:_|$)/i.test(word)
      ? 'turn-limit'
      : /length|tokens?(?:_|$)|truncat/i.test(word)
        ? 'length'
        : undefined,
  );
  if (condition.stopReason !== undefined) return condition;
  // Before verifiers had calls, the node had the reason.
  const last = nodes.findLast((node) => node['sampled'] === true);
  const finish = stopOf(calls.at(-1)?.['finish_reason'] ?? last?.['finish_reason']);
  return finish.stopReason === undefined ? condition : finish;
}

function kindOf(type: string | undefined): ParsedRollout['kind'] | undefined {
  if (type === 'train' || type === 'training') return 'train';
  return type === 'eval' || type === 'evaluation' ? 'eval' : undefined;
}

interface NodeTokens {
  readonly columns?: ParsedTokens;
  /** Token ids of the whole path including the prompt, as the trainer sees it. */
  readonly ids?: Int32Array;
}

/** The path's tokens, from the first sampled one. */
function tokensOf(nodes: readonly JsonObject[], warnings: LineIssue[]): NodeTokens {
  const rows = nodes.map((node) => rowOf(node, warnings));
  if (rows.some((row) => row === undefined)) return {};
  const ids = Int32Array.from(rows.flatMap((row) => row?.ids ?? []));
  if (ids.length === 0) return {};
  const isSampled = rows.flatMap((row) => row?.isSampled ?? []);
  const start = isSampled.indexOf(true);
  if (start < 0) return { ids };
  const logprob = logprobsOf(rows.flatMap((row) => row?.logprobs ?? []).slice(start));
  const advantage = floatsOf(rows.flatMap((row) => row?.advantages ?? []).slice(start));
  return {
    ids,
    columns: {
      count: ids.length - start,
      ids: ids.slice(start),
      mask: maskOf(isSampled.slice(start)),
      logprob: isKnown(logprob) ? logprob : undefined,
      advantage: isKnown(advantage) ? advantage : undefined,
    },
  };
}

const isKnown = (column: Float32Array | undefined): boolean =>
  column?.some((value) => !Number.isNaN(value)) === true;

/** Columns of one node, all as long as its `token_ids`. */
interface NodeRow {
  readonly ids: readonly number[];
  readonly isSampled: readonly boolean[];
  readonly logprobs: readonly unknown[];
  readonly advantages: readonly unknown[];
}

/** undefined: this node's tokens are unreadable, so positions on the path are lost. */
function rowOf(node: JsonObject, warnings: LineIssue[]): NodeRow | undefined {
  const { token_ids: logged, mask } = node;
  if (logged === undefined || logged === null)
    return { ids: [], isSampled: [], logprobs: [], advantages: [] };
  const ids = Array.isArray(logged) ? idsOf(logged) : undefined;
  if (ids === undefined) {
    warnings.push(warned('bad_tokens', 'a node has "token_ids" that are not token ids; no tokens are read'));
    return undefined;
  }
  const hasMask = Array.isArray(mask) && mask.length === ids.length;
  const isSampled = Array.from(ids, (_, i) =>
    hasMask ? mask[i] === true || mask[i] === 1 : node['sampled'] === true,
  );
  return {
    ids: Array.from(ids),
    isSampled,
    logprobs: spread(node, 'logprobs', isSampled, warnings),
    advantages: spread(node, 'advantages', isSampled, warnings),
  };
}

/** One value per token, from one per token or one per sampled token. */
function spread(
  node: JsonObject,
  name: string,
  isSampled: readonly boolean[],
  warnings: LineIssue[],
): readonly unknown[] {
  const values = node[name];
  const none = isSampled.map(() => undefined);
  if (!Array.isArray(values) || values.length === 0) return none;
  // Values at scaffold and tool output are placeholders rather than probabilities.
  if (values.length === isSampled.length) {
    return isSampled.map((is, i): unknown => (is ? values[i] : undefined));
  }
  const sampled = isSampled.filter(Boolean).length;
  if (values.length !== sampled) {
    const message = `a node has ${values.length} entries in "${name}" for ${sampled} sampled of ${isSampled.length} tokens; not read`;
    warnings.push(warned('token_length', message));
    return none;
  }
  let at = 0;
  return isSampled.map((is): unknown => (is ? values[at++] : undefined));
}
