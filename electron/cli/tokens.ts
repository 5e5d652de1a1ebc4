import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { ResultOf } from '../../shared/api/contract.ts';
import { terminalJson } from '../../shared/domain/terminalText.ts';
import { SIGNALS } from '../../shared/domain/tokenSignal.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';
import { sourceFacts } from './sourceFacts.ts';

const help = `usage: turnwise tokens ROLLOUT_ID [--library FILE] [--signal NAME] [--vocabulary N] [--json]

Prints the tokens of a rollout with the values of one signal. The joined text of the tokens is the response. A token
that ends inside a character has no text; the token that completes the character has it.

  --library FILE   library file; default: the user's library
  --signal NAME    ${SIGNALS.join(', ')}; default: logged entropy, else its lower
                   bound from listed alternatives, else surprisal. A named signal is never substituted
  --vocabulary N   size of the vocabulary, for upper bounds of entropy from listed alternatives
  --json           {rollout_id, signal, source: {kind, k, unit, temperature, policy}, tokens: [{i, start, end,
                   text, value}]} on stdout, with id, mask, upper and tail where they are known; if the values are a lower
                   bound from k listed alternatives, source also has bound: "lower". Default: a line per token

null: unknown. If the log has ids without text, start, end and text are null.
Exit codes: 0 done, 1 no such rollout or no such signal, 2 usage.`;

type Signal = ResultOf<'rollout.signal'>;

export const tokensCommand: Command = {
  name: 'tokens',
  summary: 'print the tokens of a rollout with their entropy or another signal',
  help,
  async run(argv, context) {
    const args = readArguments('tokens', argv, {
      library: { type: 'string' },
      signal: { type: 'string' },
      vocabulary: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [rawId, ...more] = args.positionals;
    if (rawId === undefined || !/^\d+$/.test(rawId) || more.length > 0)
      throw new UsageError('tokens: give one ROLLOUT_ID, a number', help);
    const named = args.string('signal');
    const signal = SIGNALS.find((known) => known === named);
    if (named !== undefined && signal === undefined)
      throw new UsageError(`tokens: --signal must be one of ${SIGNALS.join(', ')}`);
    const vocabulary = args.string('vocabulary');
    if (vocabulary !== undefined && !/^[1-9]\d*$/.test(vocabulary))
      throw new UsageError('tokens: --vocabulary must be a whole number of 1 or more');
    const path = args.string('library');
    const libraryPath = path === undefined ? defaultLibraryPath() : resolvePath(path);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const rolloutId = Number(rawId);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    try {
      const params = {
        rolloutId,
        ...(signal === undefined ? {} : { signal }),
        ...(vocabulary === undefined ? {} : { vocabulary: Number(vocabulary) }),
      };
      // Requested first. Otherwise a missing rollout would be reported as having no signals.
      const detail = await host.dispatch('rollout.get', { rolloutId });
      if (!detail.ok) {
        const isMissing = detail.failure.code === 'not_found';
        throw new ExpectedError(
          isMissing ? `there is no rollout ${rolloutId} in ${libraryPath}` : detail.failure.message,
        );
      }
      const found = await host.dispatch('rollout.signal', params);
      if (!found.ok) throw new ExpectedError(found.failure.message);
      const tokens = found.value as Signal;
      if (tokens.signal === undefined) throw new ExpectedError(missing(rolloutId, named, tokens));
      const { response } = detail.value as ResultOf<'rollout.get'>;
      for (const text of args.flag('json')
        ? jsonOf(rolloutId, tokens, response)
        : linesOf(tokens, response)) {
        if (!process.stdout.write(text)) await once(process.stdout, 'drain');
      }
      return 0;
    } finally {
      await host.close();
    }
  },
};

function missing(rolloutId: number, requested: string | undefined, { available }: Signal): string {
  const there =
    available.length === 0 ? 'nothing was logged for its tokens' : `available: ${available.join(', ')}`;
  return `rollout ${rolloutId} has no ${requested ?? 'entropy, no surprisal'}; ${there}`;
}

interface Token {
  readonly i: number;
  readonly start: number | null;
  readonly end: number | null;
  readonly text: string | null;
  readonly value: number | null;
  readonly id?: number;
  readonly mask?: number;
  readonly upper?: number | null;
  readonly tail?: number | null;
}

function tokenAt(i: number, { ends, ids, mask, values, upper, tail }: Signal, response: string): Token {
  const start = ends === undefined ? null : (ends[i - 1] ?? 0);
  const end = ends?.[i] ?? null;
  return {
    i,
    start,
    end,
    text: start === null || end === null ? null : response.slice(start, end),
    value: known(values?.[i]),
    ...(ids === undefined ? {} : { id: ids[i] ?? 0 }),
    ...(mask === undefined ? {} : { mask: mask[i] ?? 0 }),
    ...(upper === undefined ? {} : { upper: known(upper[i]) }),
    ...(tail === undefined ? {} : { tail: known(tail[i]) }),
  };
}

const known = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

function* jsonOf(rolloutId: number, tokens: Signal, response: string): Generator<string> {
  const { signal, source, count } = tokens;
  const { kind, k = null, bound, unit = null, temperature = null, policy = null } = source ?? {};
  const head = terminalJson({
    rollout_id: rolloutId,
    signal,
    source: { kind, k, unit, temperature, policy },
    ...(bound === undefined ? {} : { bound }),
  });
  yield `${head.slice(0, -1)},"tokens":[`;
  for (let i = 0; i < count; i++)
    yield `${i === 0 ? '' : ','}\n${terminalJson(tokenAt(i, tokens, response))}`;
  yield '\n]}\n';
}

function* linesOf(tokens: Signal, response: string): Generator<string> {
  yield `# ${tokens.signal}: ${tokens.source === undefined ? '' : sourceFacts(tokens.source)}\n`;
  for (let i = 0; i < tokens.count; i++) {
    const { value, text, id } = tokenAt(i, tokens, response);
    yield `${i}\t${value === null ? '' : value.toFixed(4)}\t${text === null ? `#${id ?? ''}` : terminalJson(text)}\n`;
  }
}
