#!/usr/bin/env python3
"""Recomputes what `turnwise changes` says of a verl validation run from its raw records, and compares the two.

usage: changes.py DIRECTORY --library FILE [--repository DIRECTORY] [--correct SCORE]

DIRECTORY holds the steps of one run, such as `0.jsonl`. A problem is its input; a record is correct if its score is
SCORE, by default the highest. Every pair of steps is compared. Exits 1 on a disagreement.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb, isclose
from pathlib import Path


def turnwise(options, *arguments):
    command = ['npm', 'run', '-s', 'turnwise', '--', *arguments, '--library', str(options.library.resolve())]
    done = subprocess.run(command, cwd=options.repository, check=True, stdout=subprocess.PIPE, encoding='utf-8')
    return json.loads(done.stdout)


def records_of(directory):
    """Scores by step and problem."""
    steps = defaultdict(lambda: defaultdict(list))
    for path in sorted(directory.glob('*.jsonl')):
        with path.open(encoding='utf-8') as lines:
            for line in lines:
                record = json.loads(line)
                steps[record['step']][record['input']].append(record.get('reward', record['score']))
    return steps


def outcome(scores, correct):
    """1 if more than half are correct, -1 if fewer are, 0 at exactly half."""
    right = sum(score == correct for score in scores)
    return (2 * right > len(scores)) - (2 * right < len(scores))


def two_sided(one, other):
    """Exact McNemar test: the probability of a split at least as uneven, if both directions were equally likely."""
    least, changed = min(one, other), one + other
    tail = Fraction(sum(comb(changed, i) for i in range(least + 1)), 2**changed)
    return float(min(Fraction(1), 2 * tail))


def expected(before, after, correct):
    found = Counter(
        (outcome(before[problem], correct), outcome(after[problem], correct)) for problem in before.keys() & after.keys()
    )
    return {
        'compared': sum(count for sides, count in found.items() if 0 not in sides),
        'stayed_correct': found[1, 1],
        'stayed_incorrect': found[-1, -1],
        'undecided': sum(count for sides, count in found.items() if 0 in sides),
        'only_from': len(before.keys() - after.keys()),
        'only_to': len(after.keys() - before.keys()),
        'became_incorrect': found[1, -1],
        'became_correct': found[-1, 1],
        'p_value': two_sided(found[1, -1], found[-1, 1]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('directory', type=Path)
    parser.add_argument('--library', type=Path, required=True)
    parser.add_argument('--repository', type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument('--correct', type=float)
    options = parser.parse_args()
    steps = records_of(options.directory)
    scores = [score for problems in steps.values() for each in problems.values() for score in each]
    correct = max(scores) if options.correct is None else options.correct
    compared = wrong = 0
    for one, other in combinations(sorted(steps), 2):
        given = turnwise(options, 'changes', '--from', str(one), '--to', str(other), '--json')
        for name, value in expected(steps[one], steps[other], correct).items():
            found = len(given[name]) if isinstance(given[name], list) else given[name]
            compared += 1
            if not isclose(found, value, rel_tol=1e-9):
                wrong += 1
                print(f'steps {one} and {other}: {name}: expected {value}, found {found}')
    print(f'{compared} values compared, {wrong} disagree')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
