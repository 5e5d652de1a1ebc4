/** Python that the user asks to run, in a sandbox (`electron/python`). */
import { z } from 'zod';
import type { PythonAnswer } from '../domain/pythonAnswer.ts';
import { defineMethod, resultOf } from './method.ts';

/** UTF-16 code units. */
const LONGEST_CODE = 2_000_000;
const MOST_CELLS = 1_000;
/** Milliseconds that code may run unless the user says otherwise. */
const PYTHON_LIMIT_MS = 10_000;

const cell = z.object({ code: z.string().max(LONGEST_CODE), input: z.string().max(LONGEST_CODE).optional() });

export const PYTHON_METHODS = {
  /**
   * Runs cells in order in one interpreter, which is new, and reports on the last one. An error of the code and
   * a time-out are results; a cancellation is a failure.
   */
  'python.run': defineMethod({
    params: z.object({
      cells: z.array(cell).min(1).max(MOST_CELLS),
      limitMs: z.int().min(100).max(600_000).default(PYTHON_LIMIT_MS),
    }),
    result: resultOf<PythonAnswer>(),
    runsOn: 'host',
  }),
} as const;
