/** The tree of what rollouts do. */
import { describe, expect, it } from 'vitest';
import type { Action } from '../../shared/domain/actions.ts';
import { type ActingMember, actionTree } from '../../shared/domain/actionTree.ts';
import type { ToolOutcome } from '../../shared/domain/model.ts';

const call = (tool: string, text: string, outcome: ToolOutcome = 'ok'): Action => ({
  kind: 'call',
  turn: 1,
  segment: 0,
  tool,
  text,
  outcome,
});
const answer = (text: string): Action => ({ kind: 'answer', turn: 1, segment: 0, text });
const member = (id: number, isCorrect: boolean | undefined, ...actions: Action[]): ActingMember => ({
  id,
  actions,
  ...(isCorrect === undefined ? {} : { isCorrect }),
});
const grow = (members: readonly ActingMember[], maxNodes = 1_000) => actionTree(members, { maxNodes });
/** One line per node: its action, its members, correct of known, what came back. */
const drawn = ({ nodes }: ReturnType<typeof grow>) =>
  nodes.map(
    ({ depth, action, members, correct, correctKnown, outcomes, after }) =>
      `${'  '.repeat(depth)}${action === undefined ? '-' : `${action.tool ?? 'answer'} ${action.text}`} [${members}] ${correct}/${correctKnown}${outcomes.map(({ outcome, rollouts }) => ` ${outcome} ${rollouts}`).join('')}${after > 0 ? ` +${after}` : ''}`,
  );

describe('a tree of actions', () => {
  it('shares a path while the actions are the same, whatever their formatting', () => {
    const tree = grow([
      member(0, true, call('find', '{"a":1,"b":[2]}'), call('get', '{"x":1}'), answer('7')),
      member(1, false, call('find', '{ "b": [2.0], "a": 1 }', 'error'), answer('8')),
      member(2, undefined, call('find', '{"a":2}'), call('get', '{}'), answer('7')),
      member(3, true, call('find', '{"a":1,"b":[2]}'), call('get', '{"x":1e0}'), answer('7.0')),
    ]);
    expect(drawn(tree)).toEqual([
      '- [0,1,2,3] 2/3',
      '  find {"a":1,"b":[2]} [0,1,3] 2/3 ok 2 error 1',
      '    get {"x":1} [0,3] 2/2 ok 2',
      '      answer 7 [0,3] 2/2',
      '    answer 8 [1] 0/1',
      '  find {"a":2} [2] 0/0 ok 1 +2',
    ]);
  });

  it('keeps rollouts that end, and rollouts that do nothing', () => {
    const tree = grow([
      member(0, false, call('find', '{}', 'timeout')),
      member(1, true, call('find', '{}'), call('get', '{}')),
      member(2, undefined),
    ]);
    expect(drawn(tree)).toEqual([
      '- [0,1,2] 1/2',
      '  find {} [0,1] 1/2 timeout 1 ok 1',
      '    - [0] 0/1',
      '    get {} [1] 1/1 ok 1',
      '  - [2] 0/0',
    ]);
    expect(drawn(grow([member(0, undefined), member(1, undefined)]))).toEqual(['- [0,1] 0/0']);
    expect(grow([])).toEqual({ nodes: [], isCut: false });
  });

  it('takes equal amounts for one answer, and another tool for another action', () => {
    const tree = grow([
      member(0, true, answer('1/2')),
      member(1, true, answer('0.5')),
      member(2, false, answer('\\boxed{2}')),
      member(3, false, answer('2')),
      member(4, undefined, call('a', '{}')),
      member(5, undefined, call('b', '{}')),
    ]);
    expect(drawn(tree).slice(1)).toEqual([
      '  answer 1/2 [0,1] 2/2',
      '  answer \\boxed{2} [2,3] 0/2',
      '  a {} [4] 0/0 ok 1',
      '  b {} [5] 0/0 ok 1',
    ]);
  });

  it('leaves the last branches together when there are too many, and says so', () => {
    const members = Array.from({ length: 2_000 }, (_, id) => member(id, undefined, call('f', `{"n":${id}}`)));
    const before = process.cpuUsage();
    const whole = grow(members, 4_000);
    // Time of the processor, which other programs do not add to.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
    expect([whole.nodes.length, whole.isCut]).toEqual([2_001, false]);
    const cut = grow(members, 1_000);
    expect([cut.nodes.length, cut.isCut]).toEqual([1, true]);
  });

  it('grows as deep as the rollouts, with arguments nested deeper than are parsed', () => {
    const nested = `${'['.repeat(300)}1${']'.repeat(300)}`;
    const actions = Array.from({ length: 3_000 }, (_, i) => call('f', i % 2 === 0 ? nested : `{"i":${i}}`));
    const { nodes } = grow([member(0, true, ...actions), member(1, false, ...actions)], 10_000);
    expect([nodes.length, nodes.at(-1)?.depth]).toEqual([3_001, 3_000]);
  });
});
