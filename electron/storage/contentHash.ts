/**
 * The hashes that name texts and records. Annotations in libraries and packs are keyed by them, so none of
 * these definitions may change after a release.
 *
 * All are SHA-256, cut to the first 128 bits and written as 32 lower-case hexadecimal digits. By the
 * birthday bound, the chance of any collision among 10^12 texts is 1.5·10^-15. Logs are hostile input, so
 * the hash has to be cryptographic: a crafted rollout must not take over the annotations of another. A longer
 * hash would only make libraries larger, as every rollout stores one.
 *
 * Libraries and packs store: `rolloutHash` and the record's hash in a `RolloutKey`, the hash of a long
 * quote in an `Anchor`, `annotation_row.likeness` (of `contentText`), the id of a version stored beside
 * ours (`idBeside`), derived problem ids, and run keys (10 digits of the first record's hash).
 */
import { hash } from 'node:crypto';
import type { ParsedProblem, ParsedRollout } from '../../shared/format/format.ts';

const HEX_DIGITS = 32;
const PROBLEM_ID_DIGITS = 12;

/** @param content raw bytes, or a text hashed as UTF-8 (an unpaired surrogate becomes U+FFFD, as in storage) */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex').slice(0, HEX_DIGITS);
}

/**
 * `RolloutKey.contentHash`: the hash of the prompt's length in UTF-8 bytes (decimal digits), a colon, the prompt and
 * the response. The length comes first, so that no two pairs of texts give the same bytes.
 */
export function rolloutHash(prompt: string, response: string): string {
  return contentHash(`${Buffer.byteLength(prompt)}:${prompt}${response}`);
}

/**
 * The id of a problem: the logged id, else the first 12 digits of a hash. The hash is the prompt's
 * `contentHash` if the ground truth is unknown or only in some records. Otherwise it covers the prompt's 32
 * digits and the ground truth. Unknown prompts are not equal, so without a prompt it is the hash of the
 * record's position.
 *
 * @param promptHash `contentHash` of the prompt
 * @param place identifies the record; unique in the library
 */
export function problemIdOf(
  { problemId, groundTruth, isTruthPartial, prompt }: ParsedProblem,
  promptHash: string,
  place: string,
): string {
  if (problemId !== undefined) return problemId;
  const byPrompt = groundTruth === undefined || isTruthPartial === true;
  const hashed =
    prompt === '' ? contentHash(place) : byPrompt ? promptHash : contentHash(`${promptHash}${groundTruth}`);
  return hashed.slice(0, PROBLEM_ID_DIGITS);
}

/** The key of a rollout's group: the logged key, else the problem id followed by the rollout's role. */
export function groupKeyOf({ groupKey, role }: ParsedRollout, problemId: string): string {
  return groupKey ?? (role === undefined ? problemId : `${problemId}:${role}`);
}

const LONGEST_JOIN_KEY = 128;

/** Normalizes the key that joins records of several files, so that it is short enough for an index. */
export function storedJoinKey(key: string): string {
  return key.length <= LONGEST_JOIN_KEY ? key : `hash:${contentHash(key)}`;
}
