#!/usr/bin/env python3
"""Recomputes what `turnwise failures` says, from the rows of a library, and compares the two.

usage: failures.py --library FILE [--repository DIRECTORY] [--filter F]

Members of clusters are taken from the command. Features, their counts, odds ratios and intervals are computed here from
the views `rollout` and `tool_call`, by the rules of shared/domain/DOMAIN.md. Exits 1 on a disagreement.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROLLOUTS = """SELECT rollout_id, run_id, is_correct, answer, stop_reason, flags, turns, tool_calls FROM rollout"""
CALLS = """SELECT c.rollout_id, c.ordinal, c.name, c.outcome,
  CASE WHEN c.outcome IN ('exception', 'error') THEN c.response END AS response
  FROM tool_call c JOIN rollout r USING (rollout_id) WHERE r.is_correct = 0 ORDER BY c.rollout_id, c.ordinal"""
ERROR = re.compile(
    r'(?:^|\n|\\n|stderr:)[ \t]*(?:[A-Za-z_][A-Za-z0-9_]{0,60}\.){0,8}'
    r'([A-Z][A-Za-z0-9_]{0,60}(?:Error|Exception|Interrupt|Exit))(?![A-Za-z0-9_])(?=:|\s|\\n|"|$)'
)
COLOURS = re.compile('\x1b\\[[0-9;]*m')
ANYWHERE = re.compile(
    r'(?<![A-Za-z0-9_])([A-Z][A-Za-z0-9_]{0,60}(?:Error|Exception|Interrupt|Exit))(?![A-Za-z0-9_])'
)
NUMBER = re.compile(r'[-+]?\$?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?%?\Z')
SYMBOL = re.compile(r'[0-9\\^_=+*/<>{}]')


def turnwise(options, *arguments):
    command = ['npm', 'run', '-s', 'turnwise', '--', *arguments, '--library', str(options.library.resolve())]
    done = subprocess.run(command, cwd=options.repository, check=True, stdout=subprocess.PIPE, encoding='utf-8')
    # Line separators other than line feeds may be in strings.
    return [json.loads(line) for line in done.stdout.split('\n') if line]


def doubling(count):
    if count < 2:
        return str(count)
    low = 1 << (count.bit_length() - 1)
    return f'{low}–{2 * low - 1}'


def answer_class(row):
    text = (row['answer'] or '').strip()
    if text == '':
        return None if row['tool_calls'] is None else 'none'
    if 'several_answers' in (row['flags'] or '').split():
        return 'several'
    if NUMBER.match(text):
        return 'number'
    return 'expression' if SYMBOL.search(text) else 'text'


def act(call):
    parts = [(call['name'] or 'unnamed tool')[:60], call['outcome']]
    if call['response'] is not None:
        # UTF-16 units, of which 4,096 are read.
        units = call['response'].encode('utf-16-le', 'surrogatepass')[-8192:]
        text = COLOURS.sub('', units.decode('utf-16-le', 'replace'))
        found = ERROR.findall(text) or ANYWHERE.findall(text)[:1]
        if found:
            parts.append(found[-1])
    return 'malformed call' if parts == ['unnamed tool', 'malformed'] else ' '.join(parts)


def features(row, calls):
    found = {f'flag: {flag}' for flag in (row['flags'] or '').split()}
    answer = answer_class(row)
    if answer is not None:
        found.add(f'answer: {answer}')
    if row['stop_reason'] is not None:
        found.add(f'stop: {row["stop_reason"]}')
    for name, column in (('turns', 'turns'), ('calls', 'tool_calls')):
        if row[column] is not None:
            found.add(f'{name}: {doubling(row[column])}')
    acts = [act(call) for call in calls]
    found.update(f'call: {each}' for each in acts)
    if acts and answer is not None:
        acts.append(f'answer {answer}')
    found.update(f'then: {one} → {other}' for one, other in zip(acts, acts[1:]))
    return found


def odds(inside, size, outside, others):
    a, b, c, d = (count + 0.5 for count in (inside, size - inside, outside, others - outside))
    log = math.log(a * d / (b * c))
    half = 1.959963984540054 * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return math.exp(log), math.exp(log - half), math.exp(log + half)


def compare(run, rows, features_of, complain):
    """Compares one run; returns the number of values compared."""
    compared = 0
    groups = [*run['clusters'], run['unlike']]
    members = [rollout for group in groups for rollout in group['rollout_ids']]
    if len(members) != len(set(members)) or len(members) != run['wrong']:
        complain('members', run['wrong'], len(set(members)))
    if any(rows[rollout]['is_correct'] != 0 for rollout in members):
        complain('members', 'incorrect ones', 'others too')
    total = Counter(feature for rollout in members for feature in features_of(rollout))
    for cluster in run['clusters']:
        own = cluster['rollout_ids']
        size, others = len(own), len(members) - len(own)
        if (cluster['size'], sum(cluster['by_step'])) != (size, size) or cluster['medoid'] not in own:
            complain(cluster['name'], 'size, steps and medoid', cluster['size'])
        inside = Counter(feature for rollout in own for feature in features_of(rollout))
        if len(cluster['features']) != min(20, len(inside)):
            complain(cluster['name'], f'{len(inside)} features', len(cluster['features']))
        for given in cluster['features']:
            name = given['feature']
            counts = (inside[name], total[name] - inside[name])
            if (given['inside'], given['outside']) != counts:
                complain(f'{cluster["name"]}, {name}', counts, (given['inside'], given['outside']))
            compared += 2
            if others == 0:
                continue
            for expected, key in zip(odds(counts[0], size, counts[1], others), ('odds_ratio', 'low', 'high')):
                compared += 1
                if not math.isclose(given[key], expected, rel_tol=1e-9):
                    complain(f'{cluster["name"]}, {name}, {key}', expected, given[key])
        if others > 0:
            # None of the features that are left out has a higher lower bound.
            bound = min((given['low'] for given in cluster['features']), default=0)
            listed = {given['feature'] for given in cluster['features']}
            for name in inside.keys() - listed:
                compared += 1
                if odds(inside[name], size, total[name] - inside[name], others)[1] > bound * (1 + 1e-9):
                    complain(f'{cluster["name"]}, left out', f'at most {bound}', name)
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--library', type=Path, required=True)
    parser.add_argument('--repository', type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument('--filter', default='')
    options = parser.parse_args()
    rows = {row['rollout_id']: row for row in turnwise(options, 'query', '--format', 'jsonl', ROLLOUTS)}
    calls = defaultdict(list)
    for call in turnwise(options, 'query', '--format', 'jsonl', CALLS):
        calls[call['rollout_id']].append(call)
    wrong = Counter(row['run_id'] for row in rows.values() if row['is_correct'] == 0)
    complaints = []
    compared, runs = 0, turnwise(options, 'failures', '--json', '--filter', options.filter)
    for run in runs:
        def complain(where, expected, found):
            complaints.append(f'{run["run"]}: {where}: expected {expected}, found {found}')
        compared += compare(run, rows, lambda rollout: features(rows[rollout], calls[rollout]), complain)
    if options.filter == '' and sum(run['wrong'] for run in runs) != sum(wrong.values()):
        complaints.append(f'expected {sum(wrong.values())} incorrect rollouts, found {sum(run["wrong"] for run in runs)}')
    for complaint in complaints[:20]:
        print(complaint)
    print(f'{compared} values of {len(runs)} runs compared, {len(complaints)} disagree')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
