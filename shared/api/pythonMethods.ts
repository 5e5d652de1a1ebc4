/** Python that the user asks to run, in a sandbox (`electron/python`). */
import { z } from 'zod';
import type { PythonAnswer } from '../domain/pythonAnswer.ts';
import { RERUN_CLASSES } from '../domain/rerun.ts';
import type { RerunResult } from '../domain/verifyCalls.ts';
import { defineMethod, resultOf } from './method.ts';
import { id } from './paramTypes.ts';

/** UTF-16 code units. */
const LONGEST_CODE = 2_000_000;
const MOST_CELLS = 1_000;
/** Milliseconds that code may run unless the user says otherwise. */
export const PYTHON_LIMIT_MS = 10_000;

const cell = z.object({ code: z.string().max(LONGEST_CODE), input: z.string().max(LONGEST_CODE).optional() });

/** A response has fewer tool calls. */
const MOST_CALLS = 1_000_000;
const LONGEST_LIMIT_MS = 600_000;

const rerun = z.object({
  ordinal: z.int().nonnegative().max(MOST_CALLS),
  class: z.enum(RERUN_CLASSES),
  reason: z.string().max(2_000).optional(),
  mode: z.enum(['alone', 'session']),
  milliseconds: z.number().nonnegative().max(LONGEST_LIMIT_MS).optional(),
});

export const PYTHON_METHODS = {
  /**
   * Runs cells in order in one interpreter, which is new, and reports on the last one. An error of the code and
   * a time-out are results; a cancellation is a failure.
   */
  'python.run': defineMethod({
    params: z.object({
      cells: z.array(cell).min(1).max(MOST_CELLS),
      /** The seed of `random`. */
      seed: z.int().nonnegative().default(1),
      limitMs: z.int().min(100).max(LONGEST_LIMIT_MS).default(PYTHON_LIMIT_MS),
      /** Records each line of the last cell with what it changed. Such code runs many times slower. */
      isTraced: z.boolean().default(false),
    }),
    result: resultOf<PythonAnswer>(),
    runsOn: 'host',
  }),
  /** Stored results of the calls of these rollouts. */
  'rerun.list': defineMethod({
    params: z.object({ rolloutIds: z.array(id).max(500) }),
    result: resultOf<readonly { readonly rolloutId: number; readonly calls: readonly RerunResult[] }[]>(),
    runsOn: 'reader',
  }),
  /** Stores results, in place of former ones of the same calls. */
  'rerun.save': defineMethod({
    params: z.object({
      rolloutId: id,
      calls: z.array(rerun).max(10_000),
    }),
    result: resultOf<{ readonly saved: boolean }>(),
    runsOn: 'writer',
  }),
} as const;
