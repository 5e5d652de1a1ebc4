/**
 * The hashes that name texts and records. Annotations in libraries and packs are keyed by them, so none of these
 * definitions may change after a release.
 *
 * All are SHA-256, cut to its first 128 bits and written as 32 lower-case hexadecimal digits. 128 bits are what the
 * birthday bound needs: among 10^12 texts the chance of any collision is 1.5·10^-15. Logs are hostile input, so the
 * hash has to be a cryptographic one: nobody can write a rollout that takes over the labels of another. Longer hashes
 * would only make libraries larger, as every rollout stores one.
 *
 * Kept by libraries and packs: `rolloutHash` and the record's hash in a `RolloutKey`, the hash of a long quote in an
 * `Anchor`, `annotation_row.likeness` (of `contentText`), the id of a version taken in beside ours (`idBeside`), derived
 * problem ids, and run keys (10 digits of the first record's hash).
 */
import { hash } from 'node:crypto';
import type { ParsedProblem, ParsedRollout } from '../../shared/format/format.ts';

const HEX_DIGITS = 32;
const PROBLEM_ID_DIGITS = 12;

/** @param content bytes as they are, or a text as UTF-8 (an unpaired surrogate is hashed as U+FFFD, as it is stored) */
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
 * The id of a problem: as logged, else the first 12 digits of a hash. That is the prompt's `contentHash` where the
 * ground truth is unknown or given by some records only, else the hash of the prompt's 32 digits and the ground truth.
 *
 * @param promptHash `contentHash` of the prompt
 */
export function problemIdOf(
  { problemId, groundTruth, isTruthPartial }: ParsedProblem,
  promptHash: string,
): string {
  if (problemId !== undefined) return problemId;
  const byPrompt = groundTruth === undefined || isTruthPartial === true;
  const hashed = byPrompt ? promptHash : contentHash(`${promptHash}${groundTruth}`);
  return hashed.slice(0, PROBLEM_ID_DIGITS);
}

/** The key of a rollout's group: as logged, else the id of its problem, with the rollout's role behind it. */
export function groupKeyOf({ groupKey, role }: ParsedRollout, problemId: string): string {
  return groupKey ?? (role === undefined ? problemId : `${problemId}:${role}`);
}

const LONGEST_JOIN_KEY = 128;

/** A key by which records of several files find each other, short enough for an index. */
export function storedJoinKey(key: string): string {
  return key.length <= LONGEST_JOIN_KEY ? key : `hash:${contentHash(key)}`;
}
