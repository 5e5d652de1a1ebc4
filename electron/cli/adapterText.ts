/** The report of `turnwise inspect --adapter`. */
import { terminalLines } from '../../shared/domain/terminalText.ts';
import type { AdapterCheck, Fact } from '../worker/messages.ts';

/** Screens that stay empty if no rollout has this field. */
const NEEDED_BY: Readonly<Record<Fact, string>> = {
  reward: 'reward charts, and correctness that follows from the reward',
  correctness: 'pass rates, solved problems and groups by outcome',
  'ground truth': 'the expected answer beside the answer',
  'stop reason': 'truncation charts (it is derived where possible)',
  'tool calls': 'tool-call charts and the share of failed calls',
  tokens: 'token counts, token heat and response length in tokens',
  entropy: 'entropy heat and charts, forks by entropy',
  'log-probabilities': 'surprisal and policy drift',
  times: 'the schedule of a step and wall time',
};

export function hasErrors(check: AdapterCheck): boolean {
  const isEmpty =
    (check.types['rollout'] ?? 0) + (check.types['decision'] ?? 0) + (check.types['signal'] ?? 0) === 0;
  const hasFailed = check.failure !== undefined || check.secondFailure !== undefined;
  return (
    hasFailed ||
    check.refused > 0 ||
    check.isSame === false ||
    (isEmpty && check.types['metric'] === undefined)
  );
}

export function adapterText(check: AdapterCheck): string {
  const rollouts = check.types['rollout'] ?? 0;
  const facts: [string, string][] = [];
  const types = Object.entries(check.types).map(([type, lines]) => `${number(lines)} ${type}`);
  facts.push([
    'output',
    `${counted(check.lines, 'line')}: ${types.length === 0 ? 'nothing that is read' : types.join(', ')}`,
  ]);
  facts.push([
    'rollouts',
    `${number(rollouts)} in ${counted(check.groups, 'group')} of ${counted(check.runs, 'run')}`,
  ]);
  const [present, missing] = [[] as string[], [] as [string, string][]];
  for (const [fact, known] of Object.entries(check.facts)) {
    if (known === 0) missing.push([fact, NEEDED_BY[fact as Fact]]);
    else present.push(known === rollouts ? fact : `${fact} in ${number(known)}`);
  }
  if (rollouts > 0 && present.length > 0) facts.push(['with', present.join(', ')]);
  if (check.failure === undefined)
    facts.push([
      'time',
      `${check.seconds.toFixed(1)} s; longest line ${number(check.longestLine)} bytes of ${number(check.limit)} allowed`,
    ]);
  facts.push(['exit', exitText(check)]);
  facts.push(['twice', sameText(check)]);
  if (check.end !== undefined && check.end.said !== '') facts.push(['stderr', check.end.said]);
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = [check.path, ...facts.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)];
  if (rollouts > 0 && missing.length > 0) {
    lines.push('  no rollout has these, so these views stay empty:');
    for (const [fact, views] of missing) lines.push(`    ${fact}: ${views}`);
  }
  if (rollouts > 1 && check.sharedGroups === 0)
    lines.push(
      '  every group has one rollout, so nothing can be compared within a group; "group" is the prompt',
    );
  const issues = check.refused + check.warnings;
  if (issues > 0)
    lines.push(`  ${counted(check.refused, 'refused line')}, ${counted(check.warnings, 'warning')}:`);
  for (const { line, severity, message } of check.issues)
    lines.push(`    line ${line} of the adapter's output: ${severity}: ${message}`);
  if (issues > check.issues.length) lines.push(`    and ${number(issues - check.issues.length)} more`);
  return terminalLines(lines);
}

function exitText({ failure, end }: AdapterCheck): string {
  if (failure !== undefined) return `failed: ${failure}`;
  return end?.status === undefined ? 'unknown' : `status ${end.status}`;
}

function sameText({ isSame, failure, secondFailure }: AdapterCheck): string {
  if (isSame === true) return 'both runs wrote the same lines';
  if (isSame === false)
    return 'two runs over the same file wrote different lines; an interrupted ingest then starts over';
  if (failure !== undefined) return 'not run again, because the first run failed';
  return `the second run failed: ${secondFailure}`;
}

const number = (value: number): string => value.toLocaleString('en');
const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
