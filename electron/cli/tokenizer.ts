import { existsSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

type Unplaced = ResultOf<'run.setTokenizer'>['firstUnplaced'][number];

const help = `usage: turnwise tokenizer RUN FILE [--library FILE] [--json]
       turnwise tokenizer RUN --remove [--library FILE] [--json]

Places token ids on the text of a run whose logs have ids without text. FILE is the tokenizer.json (Hugging Face,
byte-level BPE) of the model. Only what agrees with the logged text character by character, white space aside, gets
a place. Holds for what is read later, too. RUN is a run's key: it stands in its URL and in the view "run".

  --library FILE  the library; without it the one of this user
  --remove        takes it back
  --json          {size, rollouts, aligned, runs, placed, firstUnplaced: [{step, groupKey, ordinal, why}]} on stdout

Exit codes: 0 done, 3 done but some tokens have no place, 1 refused or no such run, 2 usage.`;

export const tokenizerCommand: Command = {
  name: 'tokenizer',
  summary: 'place token ids on the text with a tokenizer.json',
  help,
  async run(argv, context) {
    const args = readArguments('tokenizer', argv, {
      library: { type: 'string' },
      remove: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [runKey, file, ...more] = args.positionals;
    const isRemoval = args.flag('remove');
    if (runKey === undefined || more.length > 0 || (file === undefined) !== isRemoval)
      throw new UsageError(`tokenizer: give RUN and FILE, or RUN and --remove\n\n${help}`);
    const named = args.string('library');
    const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    try {
      if (file === undefined) {
        const result = await host.dispatch('run.removeTokenizer', { runKey });
        if (!result.ok) throw new ExpectedError(result.failure.message);
        const { removed } = result.value as ResultOf<'run.removeTokenizer'>;
        if (!removed) throw new ExpectedError(`${runKey} has no tokenizer`);
        process.stdout.write(
          args.flag('json') ? `${JSON.stringify({ removed })}\n` : 'the tokenizer is removed\n',
        );
        return 0;
      }
      const path = resolvePath(file);
      if (!existsSync(path)) throw new ExpectedError(`${path}: no such file`);
      await host.grant(path);
      const result = await host.dispatch('run.setTokenizer', { runKey, path });
      if (!result.ok) throw new ExpectedError(result.failure.message);
      const report = result.value as ResultOf<'run.setTokenizer'>;
      const { size, rollouts, aligned, runs, placed } = report;
      const words = `${size} ids; ${aligned} of ${rollouts} rollouts with ids without text have places now, ${placed} of ${runs} runs of sampled tokens in them\n`;
      process.stdout.write(args.flag('json') ? `${JSON.stringify(report)}\n` : words);
      for (const { step, groupKey, ordinal, why } of report.firstUnplaced)
        process.stderr.write(`step ${step}, group ${groupKey}, #${ordinal}: ${reasonOf(why)}\n`);
      return aligned < rollouts || placed < runs ? 3 : 0;
    } finally {
      await host.close();
    }
  },
};

function reasonOf(why: Unplaced['why']): string {
  switch (why.kind) {
    case 'nothing':
      return 'its sampled tokens spell no text';
    case 'unknown-ids':
      return `${why.tokens} tokens with ids the vocabulary does not have: ${why.ids.join(', ')}`;
    case 'other-text':
      return `from token ${why.token} on the ids spell ${JSON.stringify(why.spelled)}, the text has ${JSON.stringify(why.written)}`;
  }
}
