/**
 * One sequence of prime-rl's token export (`trainer.enable_token_export`), without padding, with at least one
 * trained token:
 *
 *   {"schema_version":1,"step":3,"rank":0,"env_name":"math","token_ids":[11,27,9],"loss_mask":[false,true,true],
 *    "advantages":[0,0.97,0.97],"inference_logprobs":[0,-0.1,-1.9],"trainer_logprobs":[0,-0.11,-1.85],
 *    "entropy":[0.2,0.31,1.74],"mismatch_kl":null}
 *
 * `entropy` is over the whole vocabulary, in nats, under the trainer's policy. Columns are cut to start at
 * the first trained token, like the trace's. A sequence that the trainer shortened has other ids than its
 * trace and stays unmatched.
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
    return refused(
      'no_policy_tokens',
      '"loss_mask" is false for every token, so no rollout can be identified',
    );
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

/** Joins an export with its trace. The trainer receives nothing else of a trace. */
export function joinKeyOfIds(ids: Int32Array): string {
  return `ids:${ids.join(',')}`;
}
