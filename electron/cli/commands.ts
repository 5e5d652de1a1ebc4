import { annotateCommand } from './annotate.ts';
import { annotationsCommand } from './annotations.ts';
import { codeCommand } from './code.ts';
import type { Command } from './command.ts';
import { compactCommand } from './compact.ts';
import { compareCommand } from './compare.ts';
import { entropyCommand } from './entropy.ts';
import { exportCommand } from './export.ts';
import { formatsCommand } from './formats.ts';
import { ingestCommand } from './ingest.ts';
import { inspectCommand } from './inspect.ts';
import { joinCommand } from './join.ts';
import { labelCommand } from './label.ts';
import { librariesCommand } from './libraries.ts';
import { moveCommand } from './move.ts';
import { queryCommand } from './query.ts';
import { recorderCommand } from './recorder.ts';
import { removeCommand } from './remove.ts';
import { rocCommand } from './roc.ts';
import { rolloutsCommand } from './rollouts.ts';
import { scheduleCommand } from './schedule.ts';
import { searchCommand } from './search.ts';
import { indexCommand } from './searchIndex.ts';
import { serveCommand } from './serve.ts';
import { taxonomyCommand } from './taxonomy.ts';
import { tokenizerCommand } from './tokenizer.ts';
import { tokensCommand } from './tokens.ts';

const all: readonly Command[] = [
  ingestCommand,
  inspectCommand,
  formatsCommand,
  queryCommand,
  rolloutsCommand,
  searchCommand,
  indexCommand,
  rocCommand,
  joinCommand,
  scheduleCommand,
  tokensCommand,
  entropyCommand,
  tokenizerCommand,
  compareCommand,
  codeCommand,
  labelCommand,
  annotationsCommand,
  annotateCommand,
  taxonomyCommand,
  removeCommand,
  librariesCommand,
  compactCommand,
  moveCommand,
  exportCommand,
  serveCommand,
  recorderCommand,
];

export const COMMANDS: Readonly<Record<string, Command>> = Object.fromEntries(
  all.map((command) => [command.name, command]),
);
