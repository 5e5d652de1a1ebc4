import { terminalLine } from '../../shared/domain/terminalText.ts';

/** Prints one line on the terminal. Messages name paths and texts that others wrote. */
export function printProblem(message: string): void {
  console.error(`turnwise: ${terminalLine(message)}`);
}
