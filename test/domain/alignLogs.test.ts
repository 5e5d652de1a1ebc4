/**
 * Alignments of logs, rendered as text. `UPDATE_GOLDEN=1` rewrites them; read the diff.
 *
 *   1 ~ 2  =T 260 · ~C 202→234 0.87 · +R 98      turn 1 beside turn 2: equal reasoning of 260 characters,
 *                                                similar code (0.87 of it equal), a response only in b
 *
 * Goldens of real logs contain structure, lengths and likeness, but no text. The logs are not in the
 * repository.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AlignableRollout, alignPair } from '../../shared/domain/align.ts';
import { alignLanes } from '../../shared/domain/alignLanes.ts';
import type { ParsedRollout } from '../../shared/format/format.ts';
import { expectAlignment } from '../support/alignmentLaws.ts';
import { drawAlignment, drawLanes } from '../support/drawAlignment.ts';
import { alignable, loggedRollouts } from '../support/loggedRollouts.ts';

const GOLDEN = join(import.meta.dirname, 'golden');
const DEMO = join(import.meta.dirname, '..', '..', 'fixtures', 'demo', 'demo.jsonl');
const REALDATA =
  process.env['TURNWISE_REALDATA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'realdata');

/** Aligns the first with each of the others, then all of them (up to four) as lanes. */
function drawn(title: string, rollouts: readonly ParsedRollout[]): string {
  const [first, ...others] = rollouts.map(alignable);
  if (first === undefined) throw new Error(`no rollouts for ${title}`);
  const pairs = others.map((other, i) => {
    const alignment = alignPair(first, other);
    expectAlignment(alignment, first, other);
    return `## 1 | ${i + 2}\n${drawAlignment(alignment, first, other, { withNumbers: true })}`;
  });
  const lanes: readonly AlignableRollout[] = [first, ...others].slice(0, 4);
  const together = `## lanes\n${drawLanes(alignLanes(lanes, 0).rows, lanes)}`;
  return `# ${title}\n${[...pairs, together].join('\n\n')}\n`;
}

function expectGolden(name: string, found: string): void {
  const path = join(GOLDEN, `${name}.txt`);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, found);
  expect(found).toBe(readFileSync(path, 'utf8'));
}

describe('the demo run', () => {
  const group = async (
    step: number,
    problem: string,
    ordinals: readonly number[],
  ): Promise<ParsedRollout[]> => {
    const found = await loggedRollouts(
      DEMO,
      (rollout) => rollout.kind === 'train' && rollout.step === step && rollout.problem.problemId === problem,
    );
    return ordinals.flatMap((ordinal) => found.find((rollout) => rollout.ordinal === ordinal) ?? []);
  };

  it.each([
    ['demo-tool-errors', 250, 'expected-draws', [10, 18, 31, 23]],
    ['demo-redraft', 300, 'minimal-square-error', [6, 0, 1, 18]],
    ['demo-tokens', 0, 'pairs-of-divisors', [0, 3, 10, 2]],
  ] as const)('%s', async (name, step, problem, ordinals) => {
    const rollouts = await group(step, problem, ordinals);
    expect(rollouts).toHaveLength(ordinals.length);
    expectGolden(name, drawn(`step ${step} ${problem} ${ordinals.join(' ')}`, rollouts));
  });
});

describe.skipIf(!existsSync(REALDATA))('real logs (skipped if their folder is missing)', () => {
  it('four tau-bench trials of one task', async () => {
    const rollouts = await loggedRollouts(
      join(REALDATA, 'tau-bench', 'gpt-4o-airline.tasks0-24.json'),
      (rollout) => rollout.problem.problemId === '3',
    );
    expect(rollouts).toHaveLength(4);
    expectGolden('tau-bench', drawn('four trials of one task', rollouts));
  });

  it('five NeMo-Gym rollouts of one task', async () => {
    const rollouts = await loggedRollouts(
      join(REALDATA, 'nemo-gym', 'math_with_code_rollouts.jsonl'),
      () => true,
    );
    expect(rollouts).toHaveLength(5);
    expectGolden('nemo-gym', drawn('five rollouts of one task', rollouts));
  });

  it('verl steps 0 and 60 of one problem, for three problems', async () => {
    const at = (step: number): Promise<readonly ParsedRollout[]> =>
      loggedRollouts(join(REALDATA, 'verl-val-multiturn', `${step}.jsonl`), () => true);
    const [before, after] = [await at(0), await at(60)];
    const pairs = before
      .filter(({ toolCalls }) => toolCalls.length > 1)
      .slice(0, 3)
      .map((rollout) => [
        rollout,
        ...after.filter(({ problem }) => problem.prompt === rollout.problem.prompt).slice(0, 1),
      ]);
    expect(pairs.map((pair) => pair.length)).toEqual([2, 2, 2]);
    expectGolden(
      'verl',
      pairs.map((pair, i) => drawn(`problem ${i + 1}: step 0 | step 60`, pair)).join('\n'),
    );
  });
});
