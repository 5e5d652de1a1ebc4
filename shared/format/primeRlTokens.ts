/**
 * One sequence of prime-rl's token export (`trainer.enable_token_export`), padding trimmed, at
 * least one token trained on:
 *
 *   {"schema_version":1,"step":3,"rank":0,"env_name":"math","token_ids":[11,27,9],"loss_mask":[false,true,true],
 *    "advantages":[0,0.97,0.97],"inference_logprobs":[0,-0.1,-1.9],"trainer_logprobs":[0,-0.11,-1.85],
 *    "entropy":[0.2,0.31,1.74],"mismatch_kl":null}
 *
 * `entropy` is over the whole vocabulary, in nats, under the trainer's policy. Columns are cut to
 * begin where the trace's do: at the first token trained on. A sequence that the trainer shortened
 * has other ids than its trace and finds none.
 */
import type { JsonObject } from './fields.ts';
import type { LineIssue, ParsedLine } from './format.ts';
import { refused } from './records.ts';
import { firstSampled, idsOf, readColumns } from './tokenColumns.ts';

const NAMES = {
  ids: 'token_ids',
  mask: 'loss_mask',
  entropy: 'entropy',
  logprob: 'inference_logprobs',
  trainerLogprob: 'trainer_logprobs',
  advantage: 'advantages',
} as const;

export function readTokenExport(record: JsonObject): ParsedLine {
  const logged = Array.isArray(record['token_ids']) ? record['token_ids'] : [];
  const ids = idsOf(logged);
  if (ids === undefined || ids.length === 0) {
    return refused('bad_tokens', `"token_ids" holds ${logged.length} entries that are not all token ids`);
  }
  const start = firstSampled(record['loss_mask']);
  if (start === undefined || start >= ids.length) {
    return refused('no_policy_tokens', '"loss_mask" is false throughout: no token of a rollout is meant');
  }
  const warnings: LineIssue[] = [];
  const tokens = readColumns(record, NAMES, ids.length, { start, end: ids.length }, warnings);
  const entropyOf =
    tokens.entropy === undefined ? undefined : { kind: 'full', unit: 'nats', policy: 'trainer' };
  return {
    kind: 'signal',
    signal: { address: { joinKey: joinKeyOfIds(ids) }, tokens: { ...tokens, entropyOf } },
    warnings,
  };
}

/** By which an export finds its trace: nothing else of a trace reaches the trainer. */
export function joinKeyOfIds(ids: Int32Array): string {
  return `ids:${ids.join(',')}`;
}
