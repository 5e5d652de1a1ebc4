/** What a filter can ask of a rollout: one table for the parser, completion, help, columns and SQL. */
import { SEVERITIES } from '../annotate/annotation.ts';
import { FLAGS } from '../flags.ts';
import { DECISION_REASONS, STOP_REASONS, TOOL_OUTCOMES } from '../model.ts';

export const NUMBER_FIELDS = [
  'step',
  'index',
  'reward',
  'turns',
  'tool_calls',
  'tool_errors',
  'repeats',
  'latency_ms',
  'tokens',
  'chars',
  'entropy',
  'p_err',
  'p_format',
  'penalty',
  'advantage',
  'pass_rate',
  'duration',
] as const;
export type NumberField = (typeof NUMBER_FIELDS)[number];

const FLAG_FIELDS = ['correct', 'kept'] as const;
export type FlagField = (typeof FLAG_FIELDS)[number];

export const WORD_FIELDS = [
  'stop',
  'reason',
  'outcome',
  'tool',
  'problem',
  'group',
  'answer',
  'truth',
  'source',
  'flag',
  'worker',
  'gpu',
  'label',
  'note',
  'author',
  'severity',
  'read',
] as const;
export type WordField = (typeof WORD_FIELDS)[number];

/** What readers have said: `any` is some of it, `none` is nothing. */
const ANNOTATION_FIELDS = [
  'label',
  'note',
  'author',
  'severity',
  'read',
] as const satisfies readonly WordField[];
export type AnnotationField = (typeof ANNOTATION_FIELDS)[number];

export function isAnnotationField(name: string): name is AnnotationField {
  return ANNOTATION_FIELDS.some((field) => field === name);
}

/** Where words are looked for; `text` is everywhere. */
export const TEXT_FIELDS = ['text', 'reasoning', 'code', 'output', 'answer_text', 'prompt'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export type FieldName = NumberField | FlagField | WordField | TextField;
type FieldKind = 'number' | 'flag' | 'word' | 'text';

export interface Field {
  readonly name: FieldName;
  readonly kind: FieldKind;
  /** Half a sentence for completion and help. */
  readonly describe: string;
  readonly example: string;
  /** Every value there is, where that is known beforehand. */
  readonly values?: readonly string[];
}

const DESCRIBED: Readonly<Record<FieldName, readonly [describe: string, example: string]>> = {
  step: ['training step', 'step:40..60'],
  index: ['place in the group, from 0', 'index:0'],
  reward: ['reward as logged', 'reward:0'],
  turns: ['turns of the rollout', 'turns:>=8'],
  tool_calls: ['number of tool calls', 'tool_calls:0'],
  tool_errors: ['tool calls that failed', 'tool_errors:>2'],
  repeats: ['tool calls that say what an earlier one said', 'repeats:>0'],
  latency_ms: ['slowest tool call, in milliseconds', 'latency_ms:>5000'],
  tokens: ['tokens the policy wrote', 'tokens:>8k'],
  chars: ['length of the response in UTF-16 code units', 'chars:>20k'],
  entropy: ['mean entropy over policy tokens, in nats', 'entropy:>0.8'],
  p_err: ['tool-error penalty as logged', 'p_err:>0.3'],
  p_format: ['format penalty as logged', 'p_format:>0'],
  penalty: ['penalty of Resample-on-Correct as logged', 'penalty:>0.5'],
  advantage: ['advantage as logged', 'advantage:<0'],
  pass_rate: ['share of correct rollouts in the group', 'pass_rate:0.1..0.9'],
  correct: ['the answer is right', 'correct:true'],
  kept: ['kept by the down-sampling', 'kept:false'],
  stop: ['why the rollout ended', 'stop:length'],
  reason: ['why it was kept or discarded, as logged', 'reason:discarded_*'],
  outcome: ['some tool call came to this', 'outcome:timeout'],
  tool: ['some tool call was to this tool', 'tool:execute_python_code_with_standard_io'],
  problem: ['id of the problem', 'problem:aime24-7'],
  group: ['key of the prompt group', 'group:g12'],
  answer: ['final answer as extracted', 'answer:42'],
  truth: ['ground truth of the problem', 'truth:42'],
  source: ['data set of the problem', 'source:aime*'],
  flag: ['what is odd about it, by rule', 'flag:identical_retry'],
  duration: ['seconds it took, where timing is logged', 'duration:>600'],
  worker: ['worker of the rollout engine, as logged', 'worker:w3'],
  gpu: ['GPU it ran on, as logged', 'gpu:0'],
  label: ['a reader gave it this label, by id or name', 'label:loops'],
  note: ['this stands in a note about it', 'note:sympy'],
  author: ['this reader has said something of it', 'author:me'],
  severity: ['how bad a reader found it', 'severity:>=major'],
  read: ['this reader has read or labelled it', 'read:me'],
  text: ['words anywhere in the rollout', 'text:"double-check"'],
  reasoning: ['words in reasoning or prose', 'reasoning:wait'],
  code: ['words in the payload of tool calls', 'code:sympy'],
  output: ['words in tool responses', 'output:"Traceback (most"'],
  answer_text: ['words in the final answer', 'answer_text:therefore'],
  prompt: ['words in the prompt', 'prompt:triangle'],
};

const VALUES: Partial<Record<FieldName, readonly string[]>> = {
  correct: ['true', 'false'],
  kept: ['true', 'false'],
  stop: STOP_REASONS,
  reason: DECISION_REASONS,
  outcome: TOOL_OUTCOMES,
  flag: FLAGS,
  severity: SEVERITIES,
};

function fieldsOf(names: readonly FieldName[], kind: FieldKind): readonly Field[] {
  return names.map((name) => {
    const [describe, example] = DESCRIBED[name];
    const values = VALUES[name];
    return { name, kind, describe, example, ...(values === undefined ? {} : { values }) };
  });
}

export const FIELDS: readonly Field[] = [
  ...fieldsOf(NUMBER_FIELDS, 'number'),
  ...fieldsOf(FLAG_FIELDS, 'flag'),
  ...fieldsOf(WORD_FIELDS, 'word'),
  ...fieldsOf(TEXT_FIELDS, 'text'),
];

const BY_NAME: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [field.name, field]));

export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name);
}

/** What people type for a field: names of columns, of SQL, of trainers. */
const OTHER_NAMES: Readonly<Record<string, FieldName>> = {
  is_correct: 'correct',
  score: 'reward',
  ordinal: 'index',
  rollout: 'index',
  policy_tokens: 'tokens',
  length: 'tokens',
  response_chars: 'chars',
  mean_entropy: 'entropy',
  calls: 'tool_calls',
  errors: 'tool_errors',
  stop_reason: 'stop',
  ground_truth: 'truth',
  gts: 'truth',
  problem_id: 'problem',
  group_key: 'group',
  latency: 'latency_ms',
  data_source: 'source',
  thought: 'reasoning',
  stdout: 'output',
  labels: 'label',
  annotation: 'label',
  notes: 'note',
  reader: 'read',
  annotator: 'author',
};

/** The field somebody may have meant. */
export function nearestField(name: string): FieldName | undefined {
  const lower = name.toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, lower) ? OTHER_NAMES[lower] : undefined;
  if (known !== undefined) return known;
  let best: FieldName | undefined;
  let least = 3;
  for (const field of FIELDS) {
    const distance = editsBetween(lower, field.name, least);
    if (distance < least) {
      least = distance;
      best = field.name;
    }
  }
  return best;
}

/** Levenshtein distance, or `limit` where it is at least that. */
function editsBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(limit, row[b.length] ?? limit);
}
