/** One application, three ways to run it. Specs use this interface and cannot tell which one they drive. */
import type { Page } from 'playwright-core';

/** Limit of one action on a page, below the limit of a test. It detects hangs, and a busy machine takes its time. */
export const PAGE_TIMEOUT_MS = 25_000;

type ShellName = 'browser' | 'electron double' | 'electron' | 'warehouse';

export interface OpenOptions {
  /** Logs named at start; none: the demo run. */
  readonly paths?: readonly string[];
  readonly home: TemporaryHome;
  /**
   * Whether the page loads only the views that it opens, not all of them while it is idle. That loading costs more
   * than most tests. Only the browser can do without it.
   */
  readonly isLazy?: boolean;
}

/** Library, window state and caches of one test, never the user's own. */
export interface TemporaryHome {
  readonly directory: string;
  readonly libraryPath: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export interface RunningShell {
  /** May change after `startAgain`, if the shell can open another page. */
  readonly page: Page;
  /** The URL of a path of the application such as `/run/…`. */
  urlOf(path: string): string;
  /** The route part of the page's URL. */
  place(): string;
  /** Restarts the application as on first use: its start page, without stored state. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

export interface Shell {
  readonly name: ShellName;
  open(options: OpenOptions): Promise<RunningShell>;
}

/** Whether tests that do not depend on the shell are left to the other targets. */
export const isDouble = ({ name }: Shell): boolean => name === 'electron double';
