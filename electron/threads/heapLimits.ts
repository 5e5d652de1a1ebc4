/**
 * V8 heap limits of one worker thread. All threads of Electron share 4 GiB, and the application crashes when they are
 * full. A thread that fills half of it fails alone, with its requests. Buffers and typed arrays do not
 * count.
 *
 * The size of the young generation is set, because with V8's default a thread exceeds its limit in one step, which
 * aborts the process, and ingest of 200,000 rollouts of 2 kB takes 880 MiB. It takes 540 MiB with 32 MiB, and 480 MiB
 * with 16 MiB. But with 16 MiB ingest takes a tenth longer, the first page of a search a quarter longer, and
 * Resample-on-Correct over a run a fifth longer.
 *
 * From 2,048 MiB on, V8 lets an old generation grow to four times its live objects before it collects garbage, below
 * that to twice. The pages of a run of 40,000 steps take 840 MiB of the host below it, and 1,050 above.
 */
export const HEAP_LIMITS = { maxOldGenerationSizeMb: 2000, maxYoungGenerationSizeMb: 32 };

/**
 * V8's options for processes that read untrusted files. Beyond the heap, and for a single text or list that does not
 * fit, V8 ends the process.
 */
export const PARSER_HEAP = ['--max-old-space-size=800', '--max-semi-space-size=32'];

/** Limits of the thread that analyses whole runs. It creates many short-lived rows; 32 MiB make it a tenth slower. */
export const ANALYSIS_LIMITS = { ...HEAP_LIMITS, maxYoungGenerationSizeMb: 64 };
