import { type AlignOptions, checkpointOf } from '../../shared/domain/align.ts';
import type { TranscriptReader } from '../storage/queries/transcripts.ts';

/** UTF-16 units of the responses that are compared at once. A small compressed log may hold gigabytes. */
const MAX_CHARS = 64 << 20;

/**
 * Reads the transcripts of rollouts until their responses exceed `MAX_CHARS`, but at least one.
 *
 * @returns one entry per rollout read, in order; undefined for a rollout that is gone
 * @throws AlignmentCancelled
 */
export function readTranscripts(
  reader: TranscriptReader,
  rolloutIds: readonly number[],
  options: AlignOptions,
): readonly ReturnType<TranscriptReader['read']>[] {
  const checkpoint = checkpointOf(options);
  const transcripts: ReturnType<TranscriptReader['read']>[] = [];
  let left = MAX_CHARS;
  for (const rolloutId of rolloutIds) {
    checkpoint();
    options.onShare?.(transcripts.length / rolloutIds.length);
    const transcript = reader.read(rolloutId);
    left -= transcript?.response.length ?? 0;
    if (left < 0 && transcripts.length > 0) break;
    transcripts.push(transcript);
  }
  return transcripts;
}
