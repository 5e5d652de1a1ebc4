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
 */
import { bodyOfMessages } from './body.ts';
import { idOf, indexOf, isObject, type JsonObject, numberOf, stringOf, textOf, without } from './fields.ts';
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
const TRACE: ReadonlySet<string> = new Set(['nodes', 'id', 'agent', 'is_completed']);
/** Answer fields that environments use in a task. */
const ANSWERS = ['answer', 'ground_truth', 'target', 'expected_answer', 'solution'] as const;

export function readEpisode(record: JsonObject, file: FileContext): ParsedLine | readonly ParsedLine[] {
  const traces = Array.isArray(record['traces']) ? record['traces'].filter(isObject) : [];
  const agents = new Set(traces.map(agentOf));
  const lines: ParsedLine[] = [];
  const lost: LineIssue[] = [];
  for (const trace of traces) {
    const nodes = Array.isArray(trace['nodes']) ? trace['nodes'].map(objectOf) : [];
    const leaves = leavesOf(nodes);
    const branches = leaves.slice(0, MOST_BRANCHES).map((leaf) => pathTo(leaf, nodes));
    if (leaves.length > branches.length) {
      const message = `a trace has ${leaves.length} branches; the first ${branches.length} are read`;
      lost.push(warned('unread_branches', message));
    }
    branches.forEach((path, index) => {
      if (!path.some((node) => isObject(node['message']))) {
        lost.push(warned('unread_branch', 'a branch of a trace has no message; not read'));
        return;
      }
      const name = leaves.length === 1 ? undefined : `${index + 1} of ${leaves.length}`;
      lines.push(readBranch({ record, trace, nodes: path, name, index, hasAgents: agents.size > 1 }, file));
    });
    if (leaves.length === 0) lost.push(warned('unread_trace', 'a trace has no nodes; not read'));
  }
  const [first] = lines;
  if (first?.kind !== 'rollout') {
    return refused('no_messages', `none of the ${traces.length} traces has a message; nothing to show`);
  }
  return [{ ...first, warnings: [...first.warnings, ...lost] }, ...lines.slice(1)];
}

/** A trace has a few. Paths share prefixes, so many leaves on a long path would multiply the work. */
const MOST_BRANCHES = 256;

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
function pathTo(leaf: number, nodes: readonly JsonObject[]): readonly JsonObject[] {
  const path: JsonObject[] = [];
  for (let at: number | undefined = leaf; at !== undefined; at = parentOf(nodes, at)) {
    path.push(nodes[at] ?? {});
  }
  return path.reverse();
}

interface Branch {
  readonly record: JsonObject;
  readonly trace: JsonObject;
  readonly nodes: readonly JsonObject[];
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
  const task = isObject(record['task']) ? record['task'] : {};
  const body = bodyOfMessages(
    messages.slice(start).filter(isWritten),
    {
      groundTruth: truthOf(task),
      source: isObject(record['env']) ? idOf(record['env']['id']) : undefined,
      stop: stopOfTrace(trace, nodes),
    },
    messages.slice(0, start).filter(isWritten),
  );
  const tokens = tokensOf(nodes, warnings);
  if (tokens.columns !== undefined) warnings.push(UNALIGNED);
  const traceId = idOf(trace['id']);
  const run = isObject(record['run']) ? record['run'] : {};
  const work = isObject(run['work']) ? run['work'] : {};
  const runType = stringOf(work['type']) ?? stringOf(run['type']);
  const isEffective = file.layout.selection === 'effective';
  const advantage = tokens.columns === undefined ? undefined : sharedAdvantage(tokens.columns);
  const reward = weightedReward(trace['rewards']) ?? numberOf(trace['reward']);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      ...groupOf(branch),
      kind: kindOf(runType) ?? kindOf(stringOf(run['type'])) ?? file.layout.kind ?? 'eval',
      step: readStep(work['step'], 'step', file, warnings),
      reward,
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

/** `group.id`. Several agents on one task have different prompts, so each forms its own group. */
function groupOf(branch: Branch): Pick<ParsedRollout, 'groupKey' | 'groupRule'> {
  const { record, trace, hasAgents } = branch;
  const group = isObject(record['group']) ? idOf(record['group']['id']) : undefined;
  if (group === undefined) return { groupRule: 'prompt' };
  const agent = hasAgents ? agentOf(trace) : undefined;
  return { groupKey: agent === undefined ? group : `${group}/${agent}`, groupRule: 'logged' };
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

function stopOfTrace(trace: JsonObject, nodes: readonly JsonObject[]): Stop {
  const errors = trace['errors'];
  if (isObject(trace['error']) || (Array.isArray(errors) && errors.length > 0)) return stopOf('error');
  const condition = stopOf(trace['stop_condition'], (word) =>
    /turn/i.test(word) ? 'turn-limit' : /length|token|truncat/i.test(word) ? 'length' : undefined,
  );
  if (condition.stopReason !== undefined) return condition;
  const finish = stopOf(nodes.findLast((node) => node['sampled'] === true)?.['finish_reason']);
  return finish.stopReason === undefined ? condition : finish;
}

function kindOf(type: string | undefined): ParsedRollout['kind'] | undefined {
  if (type === 'train' || type === 'training') return 'train';
  return type === 'eval' || type === 'evaluation' ? 'eval' : undefined;
}

interface NodeTokens {
  readonly columns?: ParsedTokens;
  /** Of the whole path including the prompt, as the trainer sees it. */
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
