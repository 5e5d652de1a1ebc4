/** Messages between the host and the Python process. */
import type { PythonCell, PythonReport } from '../../shared/domain/pythonAnswer.ts';

/** Bytes of stdout and stderr together. The process keeps to it, and the host does not rely on that. */
export const MOST_OUTPUT = 1_000_000;

export interface PythonRequest {
  /** Run in order in one interpreter. Only the last one is reported. */
  readonly cells: readonly PythonCell[];
  /** Seeds `random`. Without it, all interpreters would draw the same numbers: they start from one snapshot. */
  readonly seed: number;
  /** The last cell is recorded line by line. */
  readonly isTraced?: boolean;
}

/** Memory of a started interpreter. */
export interface PythonSnapshot {
  /** Names of the packages that it has imported, joined by spaces. */
  readonly of: string;
  readonly memory: Uint8Array;
}

export interface PythonStart {
  readonly kind: 'start';
  /** Directory of the package pyodide. */
  readonly pyodide: string;
  /** File with the memory of an interpreter that has imported no packages. */
  readonly snapshot: string;
  /** Folder of wheels that code may import. */
  readonly packages?: string;
  /**
   * Made by earlier processes. Without one of its packages, the process makes and sends it, unless it has run code,
   * which could have changed what an interpreter is made of.
   */
  readonly snapshots?: readonly PythonSnapshot[];
}

interface PythonRun extends PythonRequest {
  readonly kind: 'run';
}

export type PythonSent = PythonStart | PythonRun;

export type PythonReceived =
  | { readonly kind: 'snapshot'; readonly snapshot: PythonSnapshot }
  /** The process has received the request. */
  | { readonly kind: 'taken' }
  /** The request needs a snapshot that a process makes which has run no code. */
  | { readonly kind: 'unprepared' }
  /** An interpreter waits. */
  | { readonly kind: 'ready' }
  /** The code starts now. Before, its packages were imported. */
  | { readonly kind: 'running' }
  | PythonReport
  /** The interpreter broke, and with it the process. */
  | { readonly kind: 'broken'; readonly message: string };
