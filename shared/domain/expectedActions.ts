/**
 * Actions that a task expects of the policy (tau-bench, tau2-bench), beside those that it took. The ground truth lists
 * them, one per line: `cancel_order {"order_id": "#7"}`, with `user: ` before those of the simulated user.
 */
import { type Action, actionForm, actionsOf } from './actions.ts';
import { type Segment, TOOL_ERROR_OUTCOMES, type ToolCall } from './model.ts';

export interface ExpectedAction {
  readonly tool: string;
  /** JSON text. */
  readonly arguments: string;
  /** The simulated user's calls are part of its messages, so they are not looked up. */
  readonly isOfUser: boolean;
  /** The policy's call of this tool with these arguments, whatever the order of keys. Absent: it made none. */
  readonly call?: Action;
  /** Without `call`: calls of this tool that are no expected action. */
  readonly others: readonly Action[];
}

interface Acting {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
}

const LINE = /^(user: )?([^\s{]+) (\{.*\})$/u;
/** Real tasks expect at most a few dozen. */
const MOST_ACTIONS = 200;
/** UTF-16 units. Longer arguments are not those that a task expects. */
const LONGEST_ARGUMENTS = 100_000;

/**
 * Each call answers one expected action, the first that is the same. Calls that failed answer after those that did
 * not, because the policy may have tried again.
 *
 * @returns undefined unless every line of the ground truth is an action
 */
export function expectedActions(groundTruth: string, acting: Acting): readonly ExpectedAction[] | undefined {
  const lines = groundTruth.split('\n', MOST_ACTIONS + 1);
  if (lines.length > MOST_ACTIONS) return undefined;
  const expected: ExpectedAction[] = [];
  for (const line of lines) {
    const [, user, tool, args] = LINE.exec(line) ?? [];
    if (tool === undefined || args === undefined || args.length > LONGEST_ARGUMENTS) return undefined;
    expected.push({ tool, arguments: args, isOfUser: user !== undefined, others: [] });
  }
  const tools = new Set(expected.map(({ tool }) => tool));
  const calls = new Map<string, Action[]>();
  for (const action of actionsOf(acting)) {
    if (action.kind !== 'call' || action.tool === undefined || !tools.has(action.tool)) continue;
    if (action.text.length > LONGEST_ARGUMENTS) continue;
    const { key } = actionForm(action);
    const same = calls.get(key);
    if (same === undefined) calls.set(key, [action]);
    else same.push(action);
  }
  // Sorted backwards, because `pop` takes the last.
  for (const same of calls.values())
    same.sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)) || b.segment - a.segment);
  const found = expected.map((each): ExpectedAction => {
    if (each.isOfUser) return each;
    const { key } = actionForm({ kind: 'call', turn: 0, segment: 0, tool: each.tool, text: each.arguments });
    const call = calls.get(key)?.pop();
    return call === undefined ? each : { ...each, call };
  });
  const left = Map.groupBy(
    [...calls.values()].flat().sort((a, b) => a.segment - b.segment),
    ({ tool }) => tool,
  );
  return found.map((each) =>
    each.isOfUser || each.call !== undefined ? each : { ...each, others: left.get(each.tool) ?? [] },
  );
}

const hasFailed = ({ outcome }: Action): boolean => outcome !== undefined && TOOL_ERROR_OUTCOMES.has(outcome);
