#!/usr/bin/env python3
"""Recomputes facts of real logs from their raw records and compares them with SQL of a library.

usage: recompute.py LOGS (--rows FILE | --library FILE [--repository DIRECTORY])

LOGS is the directory of the logs. The rows come from a file of JSON Lines, from standard input (`-`), or
from a library, queried by this script. Exits 1 on a disagreement.
"""

import argparse
import json
import math
import subprocess
import sys
from collections import Counter, defaultdict
from math import comb
from pathlib import Path

from readers import Unreadable, reader_of

SQL = """SELECT rollout_id, run_id, path, line, ordinal, problem_id, reward, is_correct, correct_source, answer,
ground_truth, turns, tool_calls, tool_errors, malformed_calls, stop_reason, stop_reason_logged, duration
FROM rollout ORDER BY rollout_id"""
FIELDS = (
    *('reward', 'is_correct', 'turns', 'tool_calls', 'tool_errors', 'malformed_calls', 'answer', 'ground_truth'),
    *('stop_reason', 'stop_reason_logged', 'problem_id', 'ordinal', 'duration'),
)
EXAMPLES = 3


def query(library, repository):
    command = ['npm', 'run', '-s', 'turnwise', '--', 'query', '--library', str(Path(library).resolve())]
    done = subprocess.run(
        [*command, '--format', 'jsonl', SQL], cwd=repository, check=True, stdout=subprocess.PIPE, encoding='utf-8'
    )
    return done.stdout


def rows_of(options):
    if options.library is not None:
        text = query(options.library, options.repository)
    elif options.rows == '-':
        text = sys.stdin.read()
    else:
        text = Path(options.rows).read_text(encoding='utf-8')
    by_path = defaultdict(list)
    for line in text.split('\n'):
        if line:
            row = json.loads(line)
            by_path[Path(row['path']).resolve()].append(row)
    return by_path


def is_equal(theirs, ours):
    if theirs is None or ours is None:
        return theirs is ours
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(theirs, ours, rel_tol=1e-12, abs_tol=1e-12)
    return theirs == ours


def pass_rates(facts):
    """pass@k and pass^k of (problem, is_correct), for k = 1, 2, 3, 4 and doubling: DOMAIN.md, "Evaluation metrics"."""
    counts = defaultdict(lambda: [0, 0])
    for problem, correct in facts:
        if correct is not None:
            counts[problem][0] += 1
            counts[problem][1] += bool(correct)
    rates, k = {}, 1
    while counts:
        able = [(n, c) for n, c in counts.values() if n >= k]
        # It stops where fewer than 95 % of the problems have k samples.
        if len(able) < 0.95 * len(counts):
            break
        rates[f'pass@{k}'] = sum(1 - comb(n - c, k) / comb(n, k) for n, c in able) / len(able)
        rates[f'pass^{k}'] = sum(comb(c, k) / comb(n, k) for n, c in able) / len(able)
        k = k + 1 if k < 4 else k * 2
    return rates


class Report:
    """Agreements and disagreements of one file, by field."""

    def __init__(self, path):
        self.path = path
        self.agreed, self.wrong = Counter(), Counter()
        self.lines = []

    def compare(self, field, theirs, ours, line=None):
        if is_equal(theirs, ours):
            self.agreed[field] += 1
            return
        self.wrong[field] += 1
        if self.wrong[field] <= EXAMPLES:
            place = self.path.name if line is None else f'{self.path.name}:{line}'
            self.lines.append(f'    {place}: {field}: SQL {theirs!r}, recomputed {ours!r}')

    def print(self, rollouts):
        print(f'{self.path.parent.name}/{self.path.name}: {rollouts} rollouts')
        for field in dict.fromkeys([*self.agreed, *self.wrong]):
            print(f'  {field}: {self.agreed[field]} agree, {self.wrong[field]} disagree')
        for line in self.lines:
            print(line)


def derive_correctness(records_by_path, rows_by_path):
    """Reward > 0 in runs whose rewards are all 0 or 1. The library says which files are one run."""
    run_of = {path: rows[0]['run_id'] for path, rows in rows_by_path.items() if rows}
    runs = defaultdict(list)
    for path, records in records_by_path.items():
        runs[run_of.get(path, path)].append(records)
    for files in runs.values():
        records = [record for file in files for record in file]
        rewards = {record['reward'] for record in records} - {None}
        for record in records:
            if 'is_correct' not in record:
                known = rewards <= {0, 1} and record['reward'] is not None
                record['is_correct'] = record['reward'] > 0 if known else None


def pair(records, rows):
    """Rows in the order of the records: by sample and epoch, else by line, else by the order read."""
    if records and 'key' in records[0]:
        by_key = {(row['problem_id'], row['ordinal']): row for row in rows}
        return [by_key.get(record['key']) for record in records]
    by_line = defaultdict(list)
    for row in rows:
        by_line[row['line']].append(row)
    if len(by_line) < len(rows):
        return rows
    return [next(iter(by_line[record['line']]), None) for record in records]


def compare_file(path, records, rows):
    report = Report(path)
    report.compare('rollouts', len(rows), len(records))
    pairs = [(ours, theirs) for ours, theirs in zip(records, pair(records, rows)) if theirs is not None]
    report.compare('records with a rollout', len(pairs), len(records))
    for ours, theirs in pairs:
        for field in FIELDS:
            if field in ours:
                value = int(ours[field]) if isinstance(ours[field], bool) else ours[field]
                report.compare(field, theirs[field], value, theirs['line'])
    report.compare('problems', len({t['problem_id'] for _, t in pairs}), len({o['problem'] for o, _ in pairs}))
    # Rollouts of one problem here are rollouts of one problem there, and the other way round.
    partition = {(o['problem'], t['problem_id']) for o, t in pairs}
    report.compare('same problem', len(partition), len({o['problem'] for o, _ in pairs}))
    theirs = pass_rates((t['problem_id'], t['is_correct']) for _, t in pairs)
    ours = pass_rates((o['problem'], o['is_correct']) for o, _ in pairs)
    for name in dict.fromkeys([*theirs, *ours]):
        report.compare(name, theirs.get(name), ours.get(name))
    rates = ', '.join(f'{name} {value:.4f}' for name, value in ours.items())
    report.print(len(pairs))
    if rates:
        print(f'  {rates}')
    return sum(report.wrong.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('logs', type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument('--rows', help='JSON Lines of the library; - is standard input')
    source.add_argument('--library', help='library file, queried with npm run turnwise')
    parser.add_argument('--repository', type=Path, default=Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    rows, root = rows_of(options), options.logs.resolve()
    records, skipped = {}, set()
    for path in sorted(path for path in root.rglob('*') if path.is_file()):
        reader = reader_of(path, root)
        try:
            # A file that is no log has no rollouts.
            records[path] = [] if reader is None else reader(path)
        except Unreadable as problem:
            skipped.add(path)
            print(f'{path.parent.name}/{path.name}: skipped, {problem}')
    derive_correctness(records, rows)
    shown = [path for path in records if records[path] or rows.get(path)]
    wrong = sum(compare_file(path, records[path], rows.get(path, [])) for path in shown)
    total = sum(map(len, records.values()))
    print(f'{total} rollouts of {len(shown)} files, {len(skipped)} files skipped, {wrong} disagreements')
    return 1 if wrong or not total else 0


if __name__ == '__main__':
    sys.exit(main())
