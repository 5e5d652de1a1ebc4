/**
 * Text form of breakpoints, used in links and in the input field:
 *
 *   error            a tool call of the turn failed
 *   first error      the first failed tool call
 *   outcome:timeout  a tool call had this outcome
 *   tool:search      a call of this tool
 *   args:"JFK"       the arguments of a call contain this text; the quotes may be left out around one word
 *   label:loops      the text with this label; the first turn if the label is about the whole rollout
 *   flag:repetition  as label:, for a flag
 *   value:95         a policy token's value is above the 95th percentile of the rollout's policy tokens
 *   answer           the last boxed answer differs from the one before; not the first answer
 *   text:"double check" in:code     these words appear; case matters only if some letter is a capital
 *   regex:"n = \\d+" in:output      this pattern matches
 *   regex:"^JFK" in:args            this pattern matches in the arguments of a call
 *   turn:3           the third turn
 *   fork             the turn in which the lane diverges from the baseline
 *   error & turn:2   both
 */
import { type Breakpoint, type Condition, patternOf, TEXT_SCOPES } from './breakpoints.ts';
import { FLAGS } from './flags.ts';
import { TOOL_OUTCOMES } from './model.ts';

/** A syntax error with its half-open range of the text. */
export interface BreakpointFault {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

const PART =
  /\s*(?:(&)|(first error|error|answer|fork)(?![\w:])|(outcome|tool|args|label|flag|value|turn|in):([^\s&"]+)|(text|regex|args):"((?:[^"\\]|\\[\s\S])*)")/y;

/** The inverse of `breakpointText`. */
export function breakpointIn(text: string): Breakpoint | BreakpointFault {
  const conditions: Condition[] = [];
  const fault = (message: string, start: number, end = text.length): BreakpointFault => ({
    message,
    start,
    end,
  });
  let isExpected = true;
  PART.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const match = PART.exec(text);
    const start = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    if (match === null)
      return fault(
        `expected a condition (${CONDITION_WORDS}), found ${text.slice(start, start + 20)}`,
        start,
      );
    const end = PART.lastIndex;
    const [, and, word, name, value = '', quoting, quoted = ''] = match;
    if (and !== undefined) {
      if (isExpected) return fault('expected a condition before &', start, end);
      isExpected = true;
      continue;
    }
    if (name === 'in') {
      const scope = TEXT_SCOPES.find((known) => known === value);
      const last = conditions.at(-1);
      if (scope === undefined)
        return fault(`expected in: with ${TEXT_SCOPES.join(', ')}, found ${value}`, start, end);
      if (isExpected || (last?.kind !== 'text' && last?.kind !== 'regex'))
        return fault('in: must follow text: or regex:', start, end);
      conditions[conditions.length - 1] = { ...last, scope };
      continue;
    }
    if (!isExpected) return fault('expected & between two conditions', start, end);
    isExpected = false;
    const read = conditionOf(word ?? name ?? quoting ?? '', quoting === undefined ? value : unquoted(quoted));
    if (typeof read === 'string') return fault(read, start, end);
    conditions.push(read);
  }
  return isExpected ? fault(`expected a condition: ${CONDITION_WORDS}`, text.length) : conditions;
}

const CONDITION_WORDS =
  'error, first error, outcome:, tool:, args:"…", label:, flag:, value:, answer, text:"…", regex:"…", turn:, fork';

/** @returns a message if the value is invalid */
function conditionOf(kind: string, value: string): Condition | string {
  switch (kind) {
    case 'error':
    case 'first error':
    case 'answer':
    case 'fork':
      return { kind };
    case 'outcome': {
      const outcome = TOOL_OUTCOMES.find((known) => known === value);
      return outcome === undefined
        ? `expected an outcome (${TOOL_OUTCOMES.join(', ')}), found ${value}`
        : { kind, outcome };
    }
    case 'tool':
      return { kind, tool: value };
    case 'label':
      return { kind, label: value };
    case 'flag': {
      const flag = FLAGS.find((known) => known === value);
      return flag === undefined ? `expected a flag (${FLAGS.join(', ')}), found ${value}` : { kind, flag };
    }
    case 'args':
      return value === '' ? 'expected text between the quotes' : { kind: 'text', text: value, scope: 'args' };
    case 'value': {
      const percentile = Number(value);
      const isOne = percentile > 0 && percentile < 100;
      return isOne ? { kind, percentile } : `expected a percentile between 0 and 100, found ${value}`;
    }
    case 'turn': {
      const turn = Number(value);
      return Number.isInteger(turn) && turn >= 1
        ? { kind, turn }
        : `expected a turn number from 1, found ${value}`;
    }
    case 'text':
    case 'regex': {
      if (value === '') return 'expected text between the quotes';
      if (patternOf({ kind, text: value }) === undefined) return `invalid regular expression: ${value}`;
      return { kind, text: value, scope: 'all' };
    }
    default:
      return `expected a condition: ${CONDITION_WORDS}`;
  }
}

const unquoted = (text: string): string => text.replace(/\\(["\\])/g, '$1');
const quoted = (text: string): string => text.replace(/["\\]/g, '\\$&');

export function breakpointText(breakpoint: Breakpoint): string {
  return breakpoint.map(conditionText).join(' & ');
}

function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case 'outcome':
      return `outcome:${condition.outcome}`;
    case 'tool':
      return `tool:${condition.tool}`;
    case 'label':
      return `label:${condition.label}`;
    case 'flag':
      return `flag:${condition.flag}`;
    case 'value':
      return `value:${condition.percentile}`;
    case 'turn':
      return `turn:${condition.turn}`;
    case 'text':
    case 'regex':
      if (condition.kind === 'text' && condition.scope === 'args') return `args:"${quoted(condition.text)}"`;
      return `${condition.kind}:"${quoted(condition.text)}"${condition.scope === 'all' ? '' : ` in:${condition.scope}`}`;
    default:
      return condition.kind;
  }
}
