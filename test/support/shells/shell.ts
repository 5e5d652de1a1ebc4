/**
 * One application, three ways to run it. Specs are written against this interface and
 * cannot tell which one they drive.
 */
import type { Page } from 'playwright-core';

type ShellName = 'browser' | 'electron double' | 'electron';

export interface OpenOptions {
  /** Logs named at start; none: the demo run. */
  readonly paths?: readonly string[];
  readonly home: TemporaryHome;
}

/** Never the user's own: library, window state and caches of one test. */
export interface TemporaryHome {
  readonly directory: string;
  readonly libraryPath: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export interface RunningShell {
  /** Another one after `startAgain`, where the shell can have several. */
  readonly page: Page;
  /** A URL that the page can be sent to, for a path of the application such as `/run/…`. */
  urlOf(path: string): string;
  /** The part of the page's URL that says the place. */
  place(): string;
  /** The same application as someone opens it for the first time: its start page, and nothing kept from before. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

export interface Shell {
  readonly name: ShellName;
  open(options: OpenOptions): Promise<RunningShell>;
}
