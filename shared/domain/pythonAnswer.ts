/** Python that is run again: what is run and what it did. */

/** One piece of code with what it reads from stdin. */
export interface PythonCell {
  readonly code: string;
  readonly input?: string;
}

/** Modules, functions, classes and private names are no variables. */
export interface PythonVariable {
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
  /** Which wheel has a missing module, why the one that is there is not used, or why a library was not linked. */
  readonly hint?: string;
}

/** A line before it runs, the return of a function, or an exception on its way up. */
export interface PythonStep {
  readonly event: 'line' | 'return' | 'exception';
  /** From 1. */
  readonly line: number;
  /** Number of the call of a function; 0: the module. A generator that continues has a new one. */
  readonly frame: number;
  /** Absent: the module. */
  readonly function?: string;
  /** Variables of the frame that are new or have changed since its last step. */
  readonly changed: readonly PythonVariable[];
  /** Names of variables that the frame no longer has. */
  readonly gone: readonly string[];
  /** The returned value, or the exception. */
  readonly value?: string;
}

export interface PythonTrace {
  readonly steps: readonly PythonStep[];
  /** More lines ran than were recorded. */
  readonly isCut: boolean;
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
  /** Variables of the module at the end of the code. */
  readonly variables: readonly PythonVariable[];
  /** If it was asked for. */
  readonly trace?: PythonTrace;
  /** Of cells before the last one. Absent if none failed. */
  readonly earlierErrors?: readonly Pick<PythonError, 'type' | 'message' | 'hint'>[];
  /** Of the last cell alone. */
  readonly milliseconds: number;
}

export type PythonAnswer =
  | PythonReport
  | { readonly kind: 'timed_out'; readonly limitMs: number }
  /** The interpreter broke, ended itself, or used too much memory. */
  | { readonly kind: 'crashed'; readonly message: string };
