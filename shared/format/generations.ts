/**
 * Builds the token columns of a rollout from its generations. Each call of the policy was logged with the ids
 * of its prompt and of the sampled tokens. If a prompt continues the previous prompt and its sampled tokens,
 * the tokens between belong to the environment:
 *
 *   prompt 0 │ sampled 0 │ environment │ sampled 1 │ …
 *   ───────── prompt 1 ────────────────┘
 *
 * Chat templates often cut or rewrite earlier turns. Then only sampled tokens are known.
 */
import type { Turn } from '../domain/model.ts';
import type { LineIssue, ParsedTokens } from './format.ts';
import { type LoggedContext, requestOfTokens, requestsOfTurns } from './loggedContext.ts';
import { warned } from './records.ts';
import { idsOf, logprobsOf, maskOf } from './tokenColumns.ts';

export interface Generation {
  readonly prompt?: unknown;
  readonly ids: unknown;
  readonly logprobs?: unknown;
  /** 1: sampled by the policy, if the generated tokens include the environment's. */
  readonly mask?: unknown;
}

/** undefined if nothing was sampled */
export function tokensOfGenerations(
  generations: readonly Generation[],
  warnings: LineIssue[],
): ParsedTokens | undefined {
  let ids: unknown[] = [];
  let mask: number[] = [];
  let logprobs: unknown[] = [];
  let hasLogprobs = false;
  let before: readonly unknown[] | undefined;
  for (const generation of generations) {
    const sampled = generation.ids;
    if (!Array.isArray(sampled)) continue;
    const prompt: readonly unknown[] | undefined = Array.isArray(generation.prompt)
      ? generation.prompt
      : undefined;
    const between = before === undefined || prompt === undefined ? [] : continuation(before, prompt);
    const known = logprobsFor(sampled.length, generation.logprobs, warnings);
    hasLogprobs ||= known !== undefined;
    ids = ids.concat(between, sampled);
    mask = mask.concat(
      between.map(() => 0),
      maskFor(sampled.length, generation.mask),
    );
    logprobs = logprobs.concat(
      between.map(() => null),
      known ?? sampled.map(() => null),
    );
    before = prompt?.concat(sampled);
  }
  if (ids.length === 0) return undefined;
  const idColumn = idsOf(ids);
  if (idColumn === undefined) {
    warnings.push(
      warned('bad_tokens', 'the generated tokens contain a value that is not a token id; ids are not read'),
    );
  }
  return {
    count: ids.length,
    ids: idColumn,
    mask: Uint8Array.from(mask),
    logprob: hasLogprobs ? logprobsOf(logprobs) : undefined,
  };
}

function maskFor(count: number, mask: unknown): number[] {
  const values = Array.isArray(mask) && mask.length === count ? maskOf(mask) : undefined;
  return Array.from(values ?? new Uint8Array(count).fill(1));
}

function logprobsFor(
  count: number,
  logprobs: unknown,
  warnings: LineIssue[],
): readonly unknown[] | undefined {
  if (logprobs === undefined || logprobs === null) return undefined;
  if (Array.isArray(logprobs) && logprobs.length === count) return logprobs;
  const entries = Array.isArray(logprobs) ? `${logprobs.length} entries` : 'no array';
  const message = `the log-probabilities of a generation of ${count} tokens have ${entries}; not read`;
  warnings.push(warned('token_length', message));
  return undefined;
}

/** Policy tokens per turn, if every turn is one generation; otherwise the assignment is unknown. */
export function turnsOfGenerations(
  turns: readonly Turn[],
  generations: readonly Generation[],
): readonly Turn[] {
  if (turns.length !== generations.length) return turns;
  return turns.map((turn, i) => {
    const { ids, mask } = generations[i] ?? {};
    if (!Array.isArray(ids)) return turn;
    return {
      ...turn,
      policyTokens: maskFor(ids.length, mask).reduce((sum, isSampled) => sum + isSampled, 0),
    };
  });
}

/** The length of each turn's prompt in tokens, if every turn is one generation. */
export function requestsOfGenerations(
  turns: readonly Turn[],
  generations: readonly Generation[],
  field: string,
): LoggedContext | undefined {
  return requestsOfTurns(
    turns,
    generations.map(({ prompt }) =>
      requestOfTokens(field, Array.isArray(prompt) ? prompt.length : undefined),
    ),
  );
}

/** The part of `prompt` after `before`. Empty if it does not begin with it. */
function continuation(before: readonly unknown[], prompt: readonly unknown[]): readonly unknown[] {
  if (prompt.length < before.length) return [];
  for (let i = 0; i < before.length; i++) if (before[i] !== prompt[i]) return [];
  return prompt.slice(before.length);
}
