/** Messages between the host and the Python process. */
import type { PythonCell, PythonReport } from '../../shared/domain/pythonAnswer.ts';

export interface PythonRequest {
  /** Run in order in one interpreter. Only the last one is reported. */
  readonly cells: readonly PythonCell[];
  /** Seeds `random`. Without it, all interpreters would draw the same numbers: they start from one snapshot. */
  readonly seed: number;
}

export interface PythonStart {
  readonly kind: 'start';
  /** Directory of the package pyodide. */
  readonly pyodide: string;
  /** Memory of a started interpreter. Absent for the first process, which sends one. */
  readonly snapshot?: Uint8Array;
}

interface PythonRun extends PythonRequest {
  readonly kind: 'run';
}

export type PythonSent = PythonStart | PythonRun;

export type PythonReceived =
  | { readonly kind: 'snapshot'; readonly snapshot: Uint8Array }
  /** An interpreter waits. */
  | { readonly kind: 'ready' }
  | PythonReport
  /** The interpreter broke, and with it the process. */
  | { readonly kind: 'broken'; readonly message: string };
