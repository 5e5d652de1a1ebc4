#!/usr/bin/env python3
"""Recomputes what `turnwise check` says about steps, from the rows of a library, and compares the two.

usage: detectors.py --library FILE [--repository DIRECTORY]

Means, rank correlations of length with reward and correctness, groups of one reward, and the steps of findings are
computed here from the view `rollout`, by the rules of shared/domain/DOMAIN.md. Exits 1 on a disagreement.
"""

import argparse
import json
import math
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

ROLLOUTS = """SELECT n.run_key, n.kind, r.step, r.group_id, r.reward, r.is_correct, r.policy_tokens, r.response_chars
  FROM rollout r JOIN run n USING (run_id)"""


def turnwise(options, *arguments):
    command = ['npm', 'run', '-s', 'turnwise', '--', *arguments, '--library', str(options.library.resolve())]
    done = subprocess.run(command, cwd=options.repository, check=True, stdout=subprocess.PIPE, encoding='utf-8')
    return [json.loads(line) for line in done.stdout.split('\n') if line]


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            found[i] = (at + 1 + end) / 2
        at = end
    return found


def spearman(xs, ys):
    x, y = ranks(xs), ranks(ys)
    n = len(x)
    if n == 0:
        return None
    mx, my = sum(x) / n, sum(y) / n
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y))
    xx, yy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return None if xx == 0 or yy == 0 else xy / math.sqrt(xx * yy)


def trend(values):
    n = len(values)
    s = sum((b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1:])
    counts = defaultdict(int)
    for value in values:
        counts[value] += 1
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in counts.values())) / 18
    z = 0 if variance == 0 else (s - (s > 0) + (s < 0)) / math.sqrt(variance)
    third = n // 3
    first, last = median(values[:third]), median(values[-third:])
    return z, first, last


def figures(rows, length):
    """Figures of one step."""
    known = [r for r in rows if None not in (r[length], r['reward'], r['is_correct'])]
    lengths = [r[length] for r in known]
    rewards = [r['reward'] for r in known]
    correct = [r['is_correct'] for r in known]
    groups = defaultdict(list)
    for r in rows:
        groups[r['group_id']].append(r['reward'])
    whole = [g for g in groups.values() if len(g) > 1 and None not in g]
    mean = lambda values: sum(values) / len(values) if values else None
    return {
        'rollouts': len(known), 'mean_length': mean(lengths), 'mean_reward': mean(rewards),
        'pass_rate': mean(correct), 'length_with_reward': spearman(lengths, rewards),
        'length_with_correct': spearman(lengths, correct), 'groups': len(whole),
        'one_reward': sum(len(set(g)) == 1 for g in whole),
    }


def findings(steps, of, t, is_training):
    """Steps of the findings of each detector, as the report has them."""
    found = {'length_reward': [], 'one_reward': []}
    judged = [s for s in steps if of[s]['rollouts'] >= t['length_reward.rollouts']]
    if len(judged) >= t['length_reward.steps']:
        length, reward, right = (trend([of[s][k] for s in judged]) for k in ('mean_length', 'mean_reward', 'pass_rate'))
        longer = length[0] >= 1.96 and length[1] > 0 and length[2] - length[1] >= t['length_reward.growth'] * length[1]
        rewarded = reward[0] >= 1.96 and reward[2] > reward[1]
        if longer and rewarded and right[2] - right[1] <= t['length_reward.correct_growth']:
            found['length_reward'].append(judged)
    for s in judged:
        with_reward, with_correct = of[s]['length_with_reward'], of[s]['length_with_correct']
        if with_reward is not None and with_reward >= t['length_reward.with_reward']:
            if (with_correct or 0) <= t['length_reward.with_correct']:
                found['length_reward'].append([s])
    judged = [s for s in steps if is_training and of[s]['groups'] >= t['one_reward.groups']]
    if len(judged) >= t['one_reward.steps']:
        z, first, last = trend([of[s]['one_reward'] / of[s]['groups'] for s in judged])
        if z >= 1.96 and last - first >= t['one_reward.growth'] and last >= t['one_reward.late']:
            found['one_reward'].append(judged)
    for s in judged:
        if of[s]['one_reward'] >= t['one_reward.share'] * of[s]['groups']:
            found['one_reward'].append([s])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--library', type=Path, required=True)
    parser.add_argument('--repository', type=Path, default=Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    by_run = defaultdict(list)
    for row in turnwise(options, 'query', '--format', 'jsonl', ROLLOUTS):
        by_run[row['run_key']].append(row)
    complaints = []
    compared, runs = 0, turnwise(options, 'check', '--json', '--fail-on', 'never')
    for run in runs:
        rows = by_run[run['run']]
        length = 'policy_tokens' if all(r['policy_tokens'] is not None for r in rows) else 'response_chars'
        by_step = defaultdict(list)
        for row in rows:
            by_step[row['step']].append(row)
        # A log without steps has NULL.
        steps = sorted(by_step, key=lambda step: -1 if step is None else step)
        of = {step: figures(by_step[step], length) for step in steps}

        def compare(where, expected, found):
            nonlocal compared
            compared += 1
            equal = expected == found if None in (expected, found) or not isinstance(expected, float) else math.isclose(
                expected, found, rel_tol=1e-9, abs_tol=1e-9)
            if not equal:
                complaints.append(f'{run["run"]}: {where}: expected {expected}, found {found}')

        compare('rollouts', len(rows), run['rollouts'])
        compare('length unit', 'tokens' if length == 'policy_tokens' else 'characters', run['length_unit'])
        compare('steps', steps, [one['step'] for one in run['steps']])
        for one in run['steps']:
            for key, expected in of.get(one['step'], {}).items():
                compare(f'step {one["step"]}, {key}', expected, one[key])
        expected = findings(steps, of, run['thresholds'], rows[0]['kind'] == 'train')
        for detector in run['detectors']:
            if detector['scope'] == 'steps':
                wanted = [None if None in each else each for each in expected[detector['id']]]
                compare(detector['id'], wanted, [each['steps'] for each in detector['findings']])
            else:
                compare(f'{detector["id"]}, by step', detector['rollouts'], sum(detector['by_step']))
                compare(f'{detector["id"]}, judged', detector['judged'], sum(detector['judged_by_step']))
    for complaint in complaints[:20]:
        print(complaint)
    print(f'{compared} values of {len(runs)} runs compared, {len(complaints)} disagree')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
