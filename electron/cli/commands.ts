/** Every command by its name, in the order of the overview. A call loads its own: the others cost a tenth of a second. */
import type { Command } from './command.ts';

const COMMANDS = {
  ingest: async () => (await import('./ingest.ts')).ingestCommand,
  inspect: async () => (await import('./inspect.ts')).inspectCommand,
  formats: async () => (await import('./formats.ts')).formatsCommand,
  query: async () => (await import('./query.ts')).queryCommand,
  rollouts: async () => (await import('./rollouts.ts')).rolloutsCommand,
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
  export: async () => (await import('./export.ts')).exportCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  recorder: async () => (await import('./recorder.ts')).recorderCommand,
} as const satisfies Readonly<Record<string, () => Promise<Command>>>;

export async function commandNamed(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? await COMMANDS[name as keyof typeof COMMANDS]() : undefined;
}

export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
