import type { Command } from './command.ts';
import { ingestCommand } from './ingest.ts';
import { queryCommand } from './query.ts';
import { recorderCommand } from './recorder.ts';
import { serveCommand } from './serve.ts';

const all: readonly Command[] = [ingestCommand, queryCommand, serveCommand, recorderCommand];

export const COMMANDS: Readonly<Record<string, Command>> = Object.fromEntries(
  all.map((command) => [command.name, command]),
);
