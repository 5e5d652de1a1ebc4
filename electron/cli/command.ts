import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** @returns the exit code */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}

export interface CommandContext {
  readonly version: string;
}

/** The arguments are wrong: exit 2. */
export class UsageError extends Error {
  /** Printed below the message. */
  readonly help: string | undefined;

  /** @param message one line */
  constructor(message: string, help?: string) {
    super(message);
    this.help = help;
  }
}

/** An expected failure, which is not a bug: exit 1. Its message is one line. */
export class ExpectedError extends Error {}

export interface Arguments {
  readonly positionals: readonly string[];
  string(name: string): string | undefined;
  /** Values of a repeatable option, in order. */
  strings(name: string): readonly string[];
  flag(name: string): boolean;
}

/** @throws UsageError that names the unknown option, or the option without a value */
export function readArguments(
  command: string,
  argv: readonly string[],
  options: ParseArgsOptionsConfig,
): Arguments {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${command}: ${message}`, `turnwise ${command} --help shows the options`);
  }
  const { values, positionals } = parsed;
  return {
    positionals,
    string: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    strings: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    },
    flag: (name) => values[name] === true,
  };
}

/**
 * Resolves against the caller's directory, because npm runs scripts in the project's directory.
 *
 * @throws UsageError for an empty path, which is usually a variable that is not set
 */
export function resolvePath(path: string): string {
  if (path === '') throw new UsageError('a path is empty');
  return resolve(process.env['INIT_CWD'] ?? process.cwd(), path);
}

/**
 * Reads a file that the user names. A pipe or a device could have no end.
 *
 * @throws ExpectedError
 */
export function textOfFile(path: string): string {
  let file: number | undefined;
  try {
    // Opening a pipe would wait for its other end. Windows has no such flag.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ExpectedError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
