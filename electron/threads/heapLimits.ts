/**
 * V8 heap of one worker thread. All threads of Electron share 4 GiB, and the application ends when they are
 * full. A thread that fills half of them fails alone, with its requests. Buffers and typed arrays do not
 * count.
 *
 * With V8's default young generation, the thread passes its limit in one step and aborts the process. With
 * 16 MiB, the first page of a search took a quarter longer, Resample-on-Correct over a run a fifth.
 */
export const HEAP_LIMITS = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 32 };

/**
 * Limits of the thread that writes what ingest reads. It throws most of what it makes away at once: at 200,000
 * rollouts of 2 kB the process took 880 MiB with V8's default, with this limit 650, in the same time.
 */
export const WRITER_LIMITS = { ...HEAP_LIMITS, maxYoungGenerationSizeMb: 16 };

/**
 * Limits of the threads that parse files of others. They hold for memory that grows step by step. A single text
 * or list that does not fit ends the process, so the containers bound these (`electron/ingest/containers`).
 */
export const PARSER_LIMITS = { ...WRITER_LIMITS, maxOldGenerationSizeMb: 1536 };
