/**
 * prime-rl: files of its orchestrator and its trainer about the same rollouts.
 *
 *   {out}/rollouts/step_{N}/{train|eval}/all/traces.jsonl        every finished episode (`primeRlTraces.ts`)
 *   {out}/rollouts/step_{N}/{train|eval}/effective/traces.jsonl  the ones that entered the batch, again
 *   {out}/token_exports/step_{N}/rank_{R}.jsonl                  per-token signals (`primeRlTokens.ts`)
 *
 * An export identifies its rollout by token ids only, so both are joined on a hash of them. The first file is
 * the Episode of verifiers v1, which other programs write, too. PrimeIntellect-ai/prime-rl and
 * PrimeIntellect-ai/verifiers (shared/format/FORMATS.md#prime-rl).
 */
import { isObject, type JsonObject } from './fields.ts';
import type { FileContext, FileHead, LogFormat, RecordReader } from './format.ts';
import { readTokenExport } from './primeRlTokens.ts';
import { readEpisode } from './primeRlTraces.ts';
import { found, refused } from './records.ts';

export const primeRl: LogFormat = {
  name: 'prime-rl',
  title: 'prime-rl and verifiers v1: traces.jsonl and token exports',
  source:
    'PrimeIntellect-ai/prime-rl (token export), PrimeIntellect-ai/verifiers, verifiers/v1/graph.py and trace.py',
  rule: '"traces" whose entries have "nodes" with messages, or "token_ids" with "loss_mask" and "inference_logprobs" or "trainer_logprobs"',
  reads:
    'every leaf of every trace as a rollout, rewards, token ids, log-probabilities, advantages; full entropy and trainer log-probabilities of exports as signals',
  ignores:
    'the marker file STABLE; of exports the columns that are no signal of ours (position_ids, mismatch_kl, importance ratios, …)',
  detect: (head: FileHead) => head.records.some((record) => isEpisode(record) || isTokenExport(record)),
  open: (file: FileContext): RecordReader => ({
    read: (record) => {
      if (isEpisode(record)) return readEpisode(record, file);
      if (isTokenExport(record)) return readTokenExport(record);
      const message = `a record needs "traces" with nodes, or "token_ids" with "loss_mask"; found ${found(record['traces'])} and ${found(record['token_ids'])}`;
      return refused('missing_field', message);
    },
  }),
};

function isEpisode(record: JsonObject): boolean {
  const { traces } = record;
  return (
    Array.isArray(traces) &&
    traces.some(
      (trace: unknown) =>
        isObject(trace) &&
        Array.isArray(trace['nodes']) &&
        trace['nodes'].some((node: unknown) => isObject(node) && isObject(node['message'])),
    )
  );
}

function isTokenExport(record: JsonObject): boolean {
  return (
    Array.isArray(record['token_ids']) &&
    Array.isArray(record['loss_mask']) &&
    ('inference_logprobs' in record || 'trainer_logprobs' in record)
  );
}
