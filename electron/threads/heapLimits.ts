/**
 * V8 heap of one worker thread. All threads of Electron share 4 GiB, and the application ends when they are
 * full. A thread that fills half of them fails alone, with its requests. Buffers and typed arrays do not
 * count.
 *
 * With V8's default young generation, the thread passes its limit in one step and aborts the process, and ingest
 * of 200,000 rollouts of 2 kB takes 880 MiB. It takes 540 MiB with 32, and 480 with 16. But with 16 it takes a
 * tenth longer, the first page of a search a quarter, and Resample-on-Correct over a run a fifth.
 */
export const HEAP_LIMITS = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 32 };

/**
 * Limits of the threads that parse files of others. They hold for memory that grows step by step. A single text
 * or list that does not fit ends the process, so the containers bound these (`electron/ingest/containers`).
 */
export const PARSER_LIMITS = { ...HEAP_LIMITS, maxOldGenerationSizeMb: 1536 };

/** Limits of the thread that analyses whole runs: it makes many short-lived rows, and with 32 takes a tenth longer. */
export const ANALYSIS_LIMITS = { ...HEAP_LIMITS, maxYoungGenerationSizeMb: 64 };
