import type { ResultOf } from '../../shared/api/contract.ts';
import { terminalLine } from '../../shared/domain/terminalText.ts';
import type { Host } from './host.ts';

/** Prints one line on the terminal. Escapes control characters, because messages contain untrusted paths and texts. */
export function printProblem(message: string): void {
  console.error(`turnwise: ${terminalLine(message)}`);
}

/** Prints the warnings that pages show about the library. */
export async function printWarnings(host: Pick<Host, 'dispatch'>): Promise<void> {
  const info = await host.dispatch('host.info', {});
  for (const { message } of info.ok ? (info.value as ResultOf<'host.info'>).warnings : [])
    printProblem(message);
}
