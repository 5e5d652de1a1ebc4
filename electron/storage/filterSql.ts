/**
 * Translates a filter to SQL over the public views. The statement selects the same rollouts in a console or
 * script.
 */

import type { FieldName, TextField } from '../../shared/domain/filter/fields.ts';
import type { FilterNode, NumberNode, TextNode, WordNode } from '../../shared/domain/filter/node.ts';
import { kindsOf } from '../../shared/domain/filter/textTest.ts';
import { wordsOf } from '../../shared/domain/filter/words.ts';
import { wordTest } from '../../shared/domain/filter/wordTest.ts';
import { FLAGS } from '../../shared/domain/flags.ts';
import { numberOfWord, parseScoreCondition } from '../../shared/domain/scores.ts';

/** @param runId absent: all runs */
export function filterSql(node: FilterNode, runId?: number): string {
  return `SELECT rollout_id, step, problem_id, ordinal, reward, is_correct, answer, turns, tool_calls, stop_reason\nFROM rollout${where(node, runId)}`;
}

/**
 * Counts the same rollouts by run, or by step of one run. There the share comes first, because a chart draws the first
 * column, and steps differ in size.
 *
 * @param runId absent: all runs
 */
export function filterCountSql(node: FilterNode, runId?: number): string {
  if (runId !== undefined)
    return `WITH rollouts_of_run AS MATERIALIZED (
SELECT step, ${condition(node)} AS matches
FROM rollout
WHERE run_id = ${runId})
SELECT step, round(100.0 * avg(matches), 1) AS percent, sum(matches) AS matching, count(*) AS rollouts
FROM rollouts_of_run
GROUP BY step
ORDER BY step`;
  return `SELECT matched.run_id, run.name AS run, matched.rollouts
FROM (
SELECT run_id, count(*) AS rollouts
FROM rollout${where(node, undefined)}
GROUP BY run_id
) matched JOIN run ON run.run_id = matched.run_id
ORDER BY matched.rollouts DESC, matched.run_id`;
}

function where(node: FilterNode, runId: number | undefined): string {
  const conditions = [
    ...(runId === undefined ? [] : [`run_id = ${runId}`]),
    ...(node.kind === 'all' ? [] : [node.kind === 'or' ? `(${condition(node)})` : condition(node)]),
  ];
  return conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`;
}

/** SQL of numbers that are not a column of the view `rollout`. */
const COMPUTED = {
  repeats:
    'iif(rollout.tool_calls IS NULL, NULL, (SELECT coalesce(sum(c.is_repeat), 0) FROM tool_call c WHERE c.rollout_id = rollout.rollout_id))',
  latency_ms: '(SELECT max(c.latency_ms) FROM tool_call c WHERE c.rollout_id = rollout.rollout_id)',
  pass_rate: '(SELECT avg(s.is_correct) FROM rollout s WHERE s.group_id = rollout.group_id)',
} as const;

const isComputed = (field: FieldName): field is keyof typeof COMPUTED => Object.hasOwn(COMPUTED, field);

/** An expression that is true or false but never NULL, so that `NOT` selects the complement. */
function condition(node: FilterNode): string {
  switch (node.kind) {
    case 'all':
      return '1';
    case 'and':
      return node.nodes
        .map((each) => (each.kind === 'or' ? `(${condition(each)})` : condition(each)))
        .join(' AND ');
    case 'or':
      return node.nodes
        .map((each) => (each.kind === 'and' ? `(${condition(each)})` : condition(each)))
        .join(' OR ');
    case 'not':
      return `NOT (${condition(node.node)})`;
    case 'number':
      return bounded(isComputed(node.field) ? COMPUTED[node.field] : node.field, node);
    case 'flag':
      return `${node.field} IS ${node.value ? 1 : 0}`;
    case 'word':
      return wordCondition(node);
    case 'known':
      return knownCondition(node.field);
    case 'text':
      return textCondition(node);
  }
}

function bounded(column: string, { from, to }: NumberNode): string {
  const isOne = from !== undefined && to !== undefined && from.value === to.value;
  const parts = isOne
    ? [`${column} IS ${numeral(from.value)}`]
    : [
        ...(from === undefined ? [] : [`${column} ${from.isExclusive ? '>' : '>='} ${numeral(from.value)}`]),
        ...(to === undefined ? [] : [`${column} ${to.isExclusive ? '<' : '<='} ${numeral(to.value)}`]),
      ];
  return isOne ? (parts[0] ?? '1') : `coalesce(${parts.join(' AND ')}, 0)`;
}

/** SQL has no Infinity literal, but reads a number beyond the largest double as infinite. */
function numeral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '9e999' : '-9e999';
}

function wordCondition(node: WordNode): string {
  switch (node.field) {
    case 'outcome':
      return calls(`c.outcome ${matches(node)}`);
    case 'tool':
      return calls(`c.name ${matches(node)}`);
    case 'flag':
      return flagCondition(node);
    case 'label':
      return matchesAnnotation(`(a.label ${matches(node)} OR a.label_name ${matches(node)})`);
    case 'author':
      return matchesAnnotation(`a.author ${matches(node)}`);
    case 'severity':
      return matchesAnnotation(`a.severity ${matches(node)}`);
    case 'note':
      return matchesAnnotation(`a.note ${contains(node)}`);
    case 'read':
      return read(`d.author ${matches(node)}`);
    case 'rerun':
      return rerun(`x.class ${matches(node)}`);
    case 'scores':
      return scoreCondition(node);
    default:
      return `coalesce(${node.field} ${matches(node)}, 0)`;
  }
}

/** `flags` is one column of words. A pattern matches any of them. */
function flagCondition({ text, isPattern }: WordNode): string {
  const test = wordTest({ text, isPattern });
  const names = FLAGS.filter(test);
  if (names.length === 0) return '0';
  const each = names.map((flag) => `instr(' ' || flags || ' ', ' ${flag} ') > 0`);
  return each.length === 1 ? (each[0] ?? '0') : `(${each.join(' OR ')})`;
}

/** JSON of a damaged library counts as no scores. */
function scoreCondition(node: WordNode): string {
  const condition = parseScoreCondition(node.text);
  if (condition === undefined) return '0';
  const { name, sign, value } = condition;
  const number = typeof value === 'number' ? value : numberOfWord(value ?? '');
  const isNumber = "s.type IN ('integer', 'real')";
  const word = "iif(s.type = 'text', s.value, s.type)";
  const holds =
    sign === undefined
      ? "s.type IN ('integer', 'real', 'text', 'true', 'false')"
      : sign !== '='
        ? `${isNumber} AND s.value ${sign} ${numeral(number)}`
        : `iif(${isNumber}, ${Number.isFinite(number) ? `s.value = ${numeral(number)}` : '0'}, ${word} ${matches({ text: value, isPattern: node.isPattern })})`;
  return `EXISTS (SELECT 1 FROM json_each(iif(json_valid(rollout.scores), rollout.scores, '{}')) s WHERE s.key = ${literal(name)} AND ${holds})`;
}

const calls = (holds: string): string =>
  `EXISTS (SELECT 1 FROM tool_call c WHERE c.rollout_id = rollout.rollout_id AND ${holds})`;

const rerun = (holds: string): string =>
  `EXISTS (SELECT 1 FROM rerun x WHERE x.rollout_id = rollout.rollout_id AND ${holds})`;

function matches({ text, isPattern }: Pick<WordNode, 'text' | 'isPattern'>): string {
  if (!isPattern) return `= ${literal(text)} COLLATE NOCASE`;
  const pattern = text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
  return `LIKE ${literal(pattern)} ESCAPE '\\'`;
}

const matchesAnnotation = (holds: string): string =>
  `EXISTS (SELECT 1 FROM annotation a WHERE a.rollout_id = rollout.rollout_id AND ${holds})`;

/** A label counts as a review. */
const read = (holds: string): string =>
  `EXISTS (SELECT 1 FROM reading d WHERE d.rollout_id = rollout.rollout_id AND d.verdict <> 'skipped' AND ${holds})`;

function contains({ text, isPattern }: WordNode): string {
  const parts = isPattern ? text.split('*') : [text];
  const escaped = parts.map((part) => part.replace(/[\\%_]/g, '\\$&'));
  return `LIKE ${literal(`%${escaped.join('%')}%`)} ESCAPE '\\'`;
}

function knownCondition(field: Exclude<FieldName, TextField>): string {
  switch (field) {
    case 'outcome':
      return calls('c.outcome IS NOT NULL');
    case 'tool':
      return calls('c.name IS NOT NULL');
    case 'flag':
      return 'flags IS NOT NULL';
    case 'label':
    case 'note':
    case 'author':
    case 'severity':
      return matchesAnnotation(`a.${field} IS NOT NULL`);
    case 'read':
      return read('d.author IS NOT NULL');
    case 'rerun':
      return rerun('1');
    default:
      return `${isComputed(field) ? COMPUTED[field] : field} IS NOT NULL`;
  }
}

function textCondition(node: TextNode): string {
  const kinds = kindsOf(node.field);
  const where = [
    's.rollout_id = rollout.rollout_id',
    ...(kinds === undefined ? [] : [`s.kind IN (${kinds.map(literal).join(', ')})`, 's.turn > 0']),
    ...(node.field === 'prompt' ? ['s.turn = 0'] : []),
  ];
  const text = `iif(s.kind = 'tool-call', coalesce(call_code(s.text), s.text), s.text)`;
  const holds =
    node.form === 'regex'
      ? `has_pattern(${text}, ${literal(node.text)}, ${literal(node.flags ?? '')})`
      : `has_words(${text}, ${literal(wordsOf(node.text).join(' '))}, ${node.form === 'prefix' ? 1 : 0})`;
  return `EXISTS (SELECT 1 FROM segment s WHERE ${where.join(' AND ')} AND ${holds})`;
}

function literal(text: string): string {
  // SQLite ends a statement at NUL.
  const parts = text.split('\u0000').map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? (parts[0] ?? "''") : `(${parts.join(' || char(0) || ')})`;
}
