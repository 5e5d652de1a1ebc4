/** What the sandboxed preload exposes on `window`: three functions and a cancel, no channels. */
import type { HostEvent } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';

export interface DesktopBridge {
  request(id: number, method: string, params: unknown, library?: string): Promise<Result<unknown>>;
  cancel(id: number): void;
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** The path of a dropped file; the host grants it on the way. */
  pathOf(file: File): string;
}

declare global {
  interface Window {
    readonly turnwise?: DesktopBridge;
  }
}
