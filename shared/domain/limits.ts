/** Limits of a rollout that a run's configuration states, under the names of trainers and evaluation harnesses. */

const LIMIT_KINDS = ['context', 'prompt', 'response', 'turns', 'messages', 'tool-response'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

export interface LoggedLimit {
  readonly kind: LimitKind;
  /** Tokens, turns or messages; of a tool response characters. */
  readonly value: number;
  /** Path in the configuration, or `stage: ` and the name of the change. */
  readonly field: string;
}

const NAMES: ReadonlyMap<string, LimitKind> = new Map([
  ...['max_model_len', 'max_seq_len', 'max_context_len', 'max_context_length', 'context_length'].map(
    (name) => [name, 'context'] as const,
  ),
  ...['max_total_sequence_length', 'max_tokens_per_sequence', 'rollout_max_context_len'].map(
    (name) => [name, 'context'] as const,
  ),
  ...['max_prompt_length', 'max_prompt_tokens', 'rollout_max_prompt_len'].map(
    (name) => [name, 'prompt'] as const,
  ),
  ...['max_response_tokens', 'max_response_length', 'rollout_max_response_len', 'max_completion_length'].map(
    (name) => [name, 'response'] as const,
  ),
  ...['max_turns', 'max_assistant_turns', 'max_rollout_turns'].map((name) => [name, 'turns'] as const),
  ['message_limit', 'messages'],
  ['max_tool_response_length', 'tool-response'],
]);
/** Settings of other models and of other rollouts than those of this run. */
const ELSEWHERE = /critic|judge|grader|reward_model|teacher|^user|^val_|^eval_/i;
/** A configuration has a few hundred settings. */
const MOST_SETTINGS = 20_000;
const DEEPEST = 12;

/**
 * Takes the first of several limits of a kind, in the order of the sources and of the configuration.
 *
 * @param stages changes of the stages up to the step, newest first
 */
export function limitsIn(
  config: Readonly<Record<string, unknown>>,
  stages: readonly Readonly<Record<string, unknown>>[] = [],
): readonly LoggedLimit[] {
  const found = new Map<LimitKind, LoggedLimit>();
  let left = MOST_SETTINGS;
  const take = (value: unknown, name: string, path: string, depth: number): void => {
    if (left-- <= 0) return;
    const kind = NAMES.get(name);
    if (kind !== undefined && typeof value === 'number' && Number.isFinite(value) && value > 0) {
      if (!found.has(kind)) found.set(kind, { kind, value, field: path });
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > DEEPEST) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!ELSEWHERE.test(key)) take(inner, key, path === '' ? key : `${path}.${key}`, depth + 1);
    }
  };
  for (const changes of stages)
    for (const [key, value] of Object.entries(changes)) take(value, key, `stage: ${key}`, 0);
  take(config, '', '', 0);
  return LIMIT_KINDS.flatMap((kind) => found.get(kind) ?? []);
}
