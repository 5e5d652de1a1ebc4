/** Python that is run again: what is run and what it did. */

/** One piece of code with what it reads from stdin. */
export interface PythonCell {
  readonly code: string;
  readonly input?: string;
}

/** A variable of the module, at the end of the code. Modules, functions, classes and private names are left out. */
interface PythonVariable {
  readonly name: string;
  readonly type: string;
  /** Shortened `repr`. */
  readonly value: string;
  /** Its length, or the shape of an array: `3 × 4`. */
  readonly size?: string;
}

interface PythonError {
  /** `ZeroDivisionError`. */
  readonly type: string;
  readonly message: string;
  /** Line of the code, from 1. Absent if the error has none. */
  readonly line?: number;
  /** Frames of the code only. */
  readonly traceback: string;
}

/** What the last cell did. */
export interface PythonReport {
  readonly kind: 'done';
  readonly stdout: string;
  readonly stderr: string;
  /** More was printed than the limit of 1 MB; the rest was dropped. */
  readonly isCut: boolean;
  readonly error?: PythonError;
  /** `repr` of the last line, if that is an expression with a value. A notebook prints it; a script does not. */
  readonly lastValue?: string;
  readonly variables: readonly PythonVariable[];
  /** Of cells before the last one. Absent if none failed. */
  readonly earlierErrors?: readonly Pick<PythonError, 'type' | 'message'>[];
  /** Of the last cell alone. */
  readonly milliseconds: number;
}

export type PythonAnswer =
  | PythonReport
  | { readonly kind: 'timed_out'; readonly limitMs: number }
  /** The interpreter broke, ended itself, or used too much memory. */
  | { readonly kind: 'crashed'; readonly message: string };
