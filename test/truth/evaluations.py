#!/usr/bin/env python3
"""Recomputes accuracy and standard error of Inspect logs, and compares them with the logs and with a library.

usage: evaluations.py LOGS (--rows FILE | --library FILE [--repository DIRECTORY])

LOGS is a directory of `.eval` and `.json` logs. The rows are `SELECT path, problem_id, scores FROM rollout` as JSON
Lines. Each metric is computed three times: as logged, from the raw samples, and from the scores in the library.
Exits 1 on a disagreement.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

from readers import score_value

SQL = 'SELECT path, problem_id, scores FROM rollout ORDER BY rollout_id'


def read(path):
    """The header and the samples, or the reason why the standard library cannot read them."""
    if path.suffix == '.json':
        log = json.loads(path.read_text(encoding='utf-8'))
        return log, log.get('samples') or []
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        try:
            samples = [json.loads(archive.read(name)) for name in names if name.startswith('samples/')]
            return json.loads(archive.read('header.json')), samples
        except NotImplementedError:
            return None, 'members are compressed by a method that is not in the standard library'


def mean_and_error(values):
    """Mean over problems of the mean of their epochs, and the standard deviation (n - 1) over the root of n."""
    by_problem = defaultdict(list)
    for problem, value in values:
        by_problem[problem].append(value)
    means = [statistics.fmean(each) for each in by_problem.values()]
    error = statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else 0.0
    return {'accuracy': statistics.fmean(means), 'mean': statistics.fmean(means), 'stderr': error}


def rows_of(options):
    if options.rows is None:
        command = ['npm', 'run', '-s', 'turnwise', '--', 'query', '--library', str(options.library.resolve())]
        done = subprocess.run(
            [*command, '--format', 'jsonl', SQL],
            cwd=options.repository,
            check=True,
            stdout=subprocess.PIPE,
            encoding='utf-8',
        )
        text = done.stdout
    else:
        text = Path(options.rows).read_text(encoding='utf-8')
    rows = defaultdict(list)
    for line in text.splitlines():
        row = json.loads(line)
        rows[Path(row['path']).resolve()].append((row['problem_id'], json.loads(row['scores'] or '{}')))
    return rows


def compare(path, header, samples, rows):
    """Prints one line per metric. Returns the number of values that disagree."""
    wrong = 0
    for score in (header.get('results') or {}).get('scores', []):
        scorer = score['scorer']
        raw = mean_and_error((str(s['id']), score_value(s['scores'][scorer]['value'])) for s in samples)
        stored = mean_and_error((problem, score_value(scores[scorer])) for problem, scores in rows)
        for name, metric in score['metrics'].items():
            if name not in raw:
                print(f'{path.name}: {scorer} {name}: not recomputed')
                continue
            values = (metric['value'], raw[name], stored[name])
            agrees = all(math.isclose(values[0], other, rel_tol=1e-9, abs_tol=1e-9) for other in values[1:])
            wrong += not agrees
            print(
                f'{path.name}: {scorer} {name}: logged {values[0]:.6f}, samples {values[1]:.6f}, '
                f'library {values[2]:.6f}, {"agree" if agrees else "DISAGREE"}'
            )
    if len(rows) != len(samples):
        wrong += 1
        print(f'{path.name}: {len(samples)} samples, {len(rows)} rollouts, DISAGREE')
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('logs', type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument('--rows', help='JSON Lines of the library')
    source.add_argument('--library', type=Path, help='library file, queried with npm run turnwise')
    parser.add_argument('--repository', type=Path, default=Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    rows = rows_of(options)
    compared = wrong = 0
    for path in sorted(options.logs.resolve().iterdir()):
        if path.suffix not in ('.eval', '.json'):
            continue
        header, samples = read(path)
        if header is None:
            print(f'{path.name}: skipped, {samples}')
            continue
        compared += 1
        wrong += compare(path, header, samples, rows[path])
    print(f'{compared} logs compared, {wrong} disagreements')
    return 1 if wrong or compared == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
