import { readFileSync } from 'node:fs';
import { type Command, readArguments, UsageError } from './command.ts';

const RECORDER = 'turnwise_recorder.py';
const FILES: Readonly<Record<string, string>> = {
  turnwise: RECORDER,
  verl: 'turnwise_verl.py',
  trl: 'turnwise_trl.py',
  openrlhf: 'turnwise_openrlhf.py',
  loop: 'example_loop.py',
  slime: 'slime_exporter.py',
  adapter: 'turnwise_adapter.py',
};

const help = `usage: turnwise recorder [turnwise|verl|trl|openrlhf|loop|slime|adapter] > FILE.py

Prints a Python file for the training machine:

  turnwise  (default) the recorder, standard library only, that a trainer imports to write the
            Turnwise log
  verl      turnwise_verl.py: records verl and rStar2-Agent without an edit of the trainer, with the
            recorder in the same file
  trl       turnwise_trl.py: a callback and a wrapper of reward functions for TRL, likewise
  openrlhf  turnwise_openrlhf.py: two lines for OpenRLHF's launch script, likewise
  loop      a training loop of one's own, recorded with three calls a step
  slime     the exporter that turns .pt dumps of slime and verl into JSON Lines, with torch;
            Turnwise itself never loads a pickle
  adapter   an example for turnwise ingest --adapter: 20 lines that turn a log of your own into the
            Turnwise log

Its docstring describes the usage.`;

export const recorderCommand: Command = {
  name: 'recorder',
  summary: 'print the Python recorder for trainers, the exporter for .pt dumps, or an example adapter',
  help,
  async run(argv) {
    const { positionals } = readArguments('recorder', argv, {});
    const [which = 'turnwise', ...more] = positionals;
    const file = Object.hasOwn(FILES, which) ? FILES[which] : undefined;
    if (file === undefined || more.length > 0) {
      throw new UsageError(`recorder: takes one of ${Object.keys(FILES).join(', ')}`, help);
    }
    process.stdout.write(sourceOf(file));
    return 0;
  },
};

const read = (file: string): string =>
  readFileSync(new URL(`../../shared/recorder/${file}`, import.meta.url), 'utf8');

/** Puts the recorder in the place of the adapter's import of it, so that one file has to be copied. */
function sourceOf(file: string): string {
  const source = read(file);
  return file === 'example_loop.py'
    ? source
    : source.replace(/^from turnwise_recorder import .*\n/m, () => read(RECORDER));
}
