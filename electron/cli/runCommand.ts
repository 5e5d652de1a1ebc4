/** Finds the command, runs it, and turns what it throws into one message and an exit code. */
import { readFileSync } from 'node:fs';
import { ExpectedError, UsageError } from './command.ts';
import { allCommands, commandNamed } from './commands.ts';

const version = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
};

const overview = async (): Promise<string> =>
  [
    'usage: turnwise <command> [options]',
    '',
    ...(await allCommands()).map(({ name, summary }) => `  ${name.padEnd(11)} ${summary}`),
    '',
    'turnwise <command> --help tells the options of one command.',
    'Exit codes: 0 done, 1 failed or refused, 2 usage, 3 done with issues.',
  ].join('\n');

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined) throw new UsageError(await overview());
  if (name === '--help' || name === '-h' || name === 'help') return print(await overview());
  if (name === '--version' || name === '-v') return print(version());
  const command = await commandNamed(name);
  if (command === undefined)
    throw new UsageError(`no command is named ${JSON.stringify(name)}\n\n${await overview()}`);
  if (rest.includes('--help') || rest.includes('-h')) return print(command.help);
  if (rest[0] === '--version') return print(version());
  return command.run(rest, { version: version() });
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** @returns the exit code, once everything has been written to stdout and stderr; it never throws */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`turnwise: ${message}\n`);
    if (!isUsage && !(error instanceof ExpectedError) && process.env['TURNWISE_DEBUG'] !== undefined)
      console.error(error);
    return isUsage ? 2 : 1;
  }
}
