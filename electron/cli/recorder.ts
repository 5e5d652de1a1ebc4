import { readFileSync } from 'node:fs';
import { type Command, readArguments, UsageError } from './command.ts';

const help = `usage: turnwise recorder > turnwise_recorder.py

Prints the recorder: one Python file (standard library only) that a trainer imports to write
the Turnwise log. Its docstring tells how.`;

export const recorderCommand: Command = {
  name: 'recorder',
  summary: 'print the Python recorder for trainers',
  help,
  async run(argv) {
    const { positionals } = readArguments('recorder', argv, {});
    if (positionals.length > 0) throw new UsageError('recorder: takes no arguments');
    process.stdout.write(
      readFileSync(new URL('../../shared/recorder/turnwise_recorder.py', import.meta.url)),
    );
    return 0;
  },
};
