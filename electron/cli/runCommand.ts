/** Finds and runs the command, and converts exceptions to a message and an exit code. */
import { readFileSync } from 'node:fs';
import { fileProblem, messageOfError } from '../../shared/domain/fileProblem.ts';
import { terminalLine } from '../../shared/domain/terminalText.ts';
import { type Command, ExpectedError, UsageError } from './command.ts';

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
    'turnwise <command> --help shows the options of one command.',
    'Exit codes: 0 done, 1 failed or refused, 2 usage, 3 done with issues, 4 check or verify found something,',
    '130 interrupted.',
  ].join('\n');

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined) throw new UsageError('name a command', await overview());
  if (name === '--help' || name === '-h' || name === 'help') return print(await overview());
  if (name === '--version' || name === '-v') return print(version());
  const command = await commandNamed(name);
  if (command === undefined)
    throw new UsageError(`there is no command ${JSON.stringify(name)}`, await overview());
  if (rest.includes('--help') || rest.includes('-h')) return print(command.help);
  if (rest[0] === '--version') return print(version());
  return command.run(rest, { version: version() });
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** @returns the exit code, after all output has been written; never throws */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const problem = fileProblem(error);
    const path = error instanceof Error && 'path' in error ? `${String(error.path)}: ` : '';
    const message = problem === undefined ? messageOfError(error) : path + problem;
    // A line end in a message is of a path, a name or an option: a message has one line.
    process.stderr.write(`turnwise: ${terminalLine(message)}\n`);
    if (isUsage && error.help !== undefined) process.stderr.write(`\n${error.help}\n`);
    if (!isUsage && !(error instanceof ExpectedError) && process.env['TURNWISE_DEBUG'] !== undefined)
      console.error(error);
    return isUsage ? 2 : 1;
  }
}

/**
 * Commands by name, in the order of the overview. Each is loaded on demand, because loading all takes 0.1
 * s.
 */
const COMMANDS = {
  ingest: async () => (await import('./ingest.ts')).ingestCommand,
  inspect: async () => (await import('./inspect.ts')).inspectCommand,
  formats: async () => (await import('./formats.ts')).formatsCommand,
  query: async () => (await import('./query.ts')).queryCommand,
  rollouts: async () => (await import('./rollouts.ts')).rolloutsCommand,
  failures: async () => (await import('./failures.ts')).failuresCommand,
  changes: async () => (await import('./changes.ts')).changesCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  sample: async () => (await import('./sample.ts')).sampleCommand,
  search: async () => (await import('./search.ts')).searchCommand,
  index: async () => (await import('./searchIndex.ts')).indexCommand,
  roc: async () => (await import('./roc.ts')).rocCommand,
  join: async () => (await import('./join.ts')).joinCommand,
  schedule: async () => (await import('./schedule.ts')).scheduleCommand,
  tokens: async () => (await import('./tokens.ts')).tokensCommand,
  entropy: async () => (await import('./entropy.ts')).entropyCommand,
  tokenizer: async () => (await import('./tokenizer.ts')).tokenizerCommand,
  compare: async () => (await import('./compare.ts')).compareCommand,
  code: async () => (await import('./code.ts')).codeCommand,
  label: async () => (await import('./label.ts')).labelCommand,
  annotations: async () => (await import('./annotations.ts')).annotationsCommand,
  annotate: async () => (await import('./annotate.ts')).annotateCommand,
  taxonomy: async () => (await import('./taxonomy.ts')).taxonomyCommand,
  remove: async () => (await import('./remove.ts')).removeCommand,
  libraries: async () => (await import('./libraries.ts')).librariesCommand,
  compact: async () => (await import('./compact.ts')).compactCommand,
  move: async () => (await import('./move.ts')).moveCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  warehouse: async () => (await import('./warehouse.ts')).warehouseCommand,
  recorder: async () => (await import('./recorder.ts')).recorderCommand,
} as const satisfies Readonly<Record<string, () => Promise<Command>>>;

async function commandNamed(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? await COMMANDS[name as keyof typeof COMMANDS]() : undefined;
}

export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
