import { existsSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

type Unplaced = ResultOf<'run.setTokenizer'>['firstUnplaced'][number];

const help = `usage: turnwise tokenizer RUN FILE [--library FILE] [--json]
       turnwise tokenizer RUN --remove [--library FILE] [--json]

Aligns token ids with the text of a run whose logs have ids without text. FILE is the model's tokenizer.json
(Hugging Face, byte-level BPE). Only tokens that match the logged text exactly, except for white space, are aligned.
The tokenizer also applies to files read later. RUN is a run's key, from its URL or the view "run".

  --library FILE  library file; default: the user's library
  --remove        remove the tokenizer
  --json          {size, rollouts, aligned, runs, placed, firstUnplaced: [{step, groupKey, ordinal, why}]} on stdout

Exit codes: 0 done, 3 done but some tokens are not aligned, 1 refused or no such run, 2 usage.`;

export const tokenizerCommand: Command = {
  name: 'tokenizer',
  summary: 'align token ids with the text by a tokenizer.json',
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
      throw new UsageError('tokenizer: give RUN and FILE, or RUN and --remove', help);
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
          args.flag('json') ? `${terminalJson({ removed })}\n` : 'the tokenizer was removed\n',
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
      const words = `${size} ids; ${aligned} of ${rollouts} rollouts with ids without text are aligned, with ${placed} of ${runs} spans of sampled tokens\n`;
      process.stdout.write(args.flag('json') ? `${terminalJson(report)}\n` : words);
      for (const { step, groupKey, ordinal, why } of report.firstUnplaced)
        process.stderr.write(
          `${terminalLine(`step ${step}, group ${groupKey}, #${ordinal}: ${reasonOf(why)}`)}\n`,
        );
      return aligned < rollouts || placed < runs ? 3 : 0;
    } finally {
      await host.close();
    }
  },
};

function reasonOf(why: Unplaced['why']): string {
  switch (why.kind) {
    case 'nothing':
      return 'its sampled tokens have no text';
    case 'unknown-ids':
      return `${why.tokens} tokens have ids that are not in the vocabulary: ${why.ids.join(', ')}`;
    case 'other-text':
      return `from token ${why.token} on the ids decode to ${JSON.stringify(why.spelled)}, but the text has ${JSON.stringify(why.written)}`;
  }
}
