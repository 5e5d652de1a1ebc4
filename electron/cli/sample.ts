import { readFileSync, writeFileSync } from 'node:fs';
import type { ParamsOf, SampledContinuations } from '../../shared/api/contract.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import {
  changeName,
  changeText,
  type PolicyValue,
  policyText,
  valuesByPolicy,
} from '../../shared/domain/valueByTurn.ts';
import {
  type Arguments,
  type Command,
  ExpectedError,
  readArguments,
  resolvePath,
  textOfFile,
  UsageError,
} from './command.ts';
import { type LibraryHost, withCancellableHost, withLibraryHost } from './libraryHost.ts';

const DONE_WITH_ISSUES = 3;

const help = `usage: turnwise sample ROLLOUT_ID POSITION [SETTINGS] [--preview] [--library FILE] [--json]
       turnwise sample resume [ID] [--library FILE] [--json]
       turnwise sample value ROLLOUT_ID --budget TOKENS [SETTINGS] [--library FILE] [--json]
       turnwise sample value ROLLOUT_ID --stored [--library FILE] [--json]
       turnwise sample batch ROLLOUT_ID POSITION [SETTINGS] --out FILE [--script FILE] [--library FILE]
       turnwise sample read FILE [--out FILE] [--library FILE] [--json]

Continues a rollout from a position: sends its text up to there to the endpoint that the environment names, runs Python
calls in a sandbox, grades the answers, and stores the continuations in a run of their own. The filter origin: finds
them. resume samples what is missing of a request, of the last one without ID.

batch writes the requests in OpenAI's batch form, and read takes the answers: both use no network. Where an answer calls
Python, read runs the call, and --out takes the requests that go on. With --script, batch also writes a Python script
that answers the requests with vLLM's offline engine.

value prints the pass rate of continuations from the end of each turn, with its 95 % interval, and the turn with the
largest drop (the losing turn) and the largest rise (the saving turn). It samples until the budget is spent or every
turn has n continuations. Stored continuations with the same settings count, so the same command goes on after a stop.

Environment: TURNWISE_ENDPOINT (http://HOST:PORT/v1), TURNWISE_ENDPOINT_MODEL, TURNWISE_ENDPOINT_KEY

Position, one of:
  --turn N           the start of turn N; with --end its end, after the outputs of its tools
  --at N             character N of the response, from 0
  --token N          the start of token N, from 0

Settings:
  --edit TEXT        write this at the position first
  -n N               number of continuations; default: 4. For value: the most per turn; default: 32
  --temperature T    default: 1
  --top-p P          default: 1
  --max-tokens N     tokens of one continuation; default: 4096
  --stop TEXT        ends a turn; up to four
  --seed N           of the first continuation, each further one adds 1, each turn of value 1,000; default: 1
  --pattern RE       an answer that matches is correct; default: graded against the ground truth

  --budget TOKENS    most tokens that value samples in all
  --stored           print the stored values, and send nothing
  --preview          print what would be sent, and send nothing
  --out FILE         new file for the requests; of read, for those that need another answer
  --script FILE      new file for the script: python FILE MODEL REQUESTS ANSWERS
  --library FILE     library file; default: the user's library
  --json             one object per continuation: {id, run, step, ordinal, rollout_id, answer, is_correct, graded_by,
                     failure}; of value, one per turn: {model, turn, correct, graded, low, high, is_outcome, is_losing,
                     is_saving}

Exit codes: 0 done, 1 failed, 2 usage, ${DONE_WITH_ISSUES} some continuations failed or need another answer, 130 stopped`;

export const sampleCommand: Command = {
  name: 'sample',
  summary: 'continue a rollout from a position, at an endpoint of your own',
  help,
  async run(argv, context) {
    const args = readArguments('sample', argv, {
      turn: { type: 'string' },
      end: { type: 'boolean' },
      at: { type: 'string' },
      token: { type: 'string' },
      edit: { type: 'string' },
      n: { type: 'string', short: 'n' },
      temperature: { type: 'string' },
      'top-p': { type: 'string' },
      'max-tokens': { type: 'string' },
      stop: { type: 'string', multiple: true },
      seed: { type: 'string' },
      pattern: { type: 'string' },
      budget: { type: 'string' },
      stored: { type: 'boolean' },
      preview: { type: 'boolean' },
      out: { type: 'string' },
      script: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [first, ...more] = args.positionals;
    const library = args.string('library');
    const stoppable = (
      work: (host: LibraryHost) => Promise<number>,
      goesOn = 'turnwise sample resume goes on there',
    ): Promise<number> =>
      withCancellableHost(library, context, work, {
        afterStop: `what has ended is stored, and ${goesOn}`,
      });
    const only = (values: readonly string[], what: string): string => {
      const [value] = values;
      if (value === undefined || values.length > 1) throw new UsageError(`sample: give ${what}`);
      return value;
    };
    switch (first) {
      case 'resume': {
        if (more.length > 1) throw new UsageError('sample: resume takes one ID at most');
        const [id] = more;
        return stoppable(async ({ ask }) =>
          report(args, [await ask('sampling.resume', id === undefined ? {} : { id })]),
        );
      }
      case 'value': {
        const rolloutId = rolloutOf(only(more, 'one id of a rollout'));
        if (args.flag('stored'))
          return withLibraryHost(library, context, ({ ask }) => storedValue(ask, args, rolloutId));
        const params = valueParamsOf(args, rolloutId);
        return stoppable(({ ask }) => value(ask, args, params), 'the same command goes on there');
      }
      case 'read': {
        const lines = textOfFile(resolvePath(only(more, 'one file of answers')));
        const out = args.string('out');
        return stoppable(async ({ ask }) => {
          const { continuations, failures } = await ask('sampling.read', { lines });
          const code = report(args, continuations);
          const open = continuations.filter(({ waiting }) => waiting > 0);
          const messages = failures.map(({ line, message }) => `line ${line}: ${message}`);
          if (open.length > 0 && out === undefined) {
            const waiting = open.reduce((sum, batch) => sum + batch.waiting, 0);
            messages.push(
              `continuations that need another answer: ${waiting}; --out FILE takes the requests for them`,
            );
          }
          process.stderr.write(terminalLines(messages));
          if (open.length > 0 && out !== undefined) {
            const next = await ask('sampling.nextBatch', { ids: open.map(({ id }) => id) });
            const path = resolvePath(out);
            writeNew(path, next.lines);
            process.stderr.write(terminalLines([`further requests: ${next.requests}, written to ${path}`]));
          }
          return failures.length > 0 || open.length > 0 ? DONE_WITH_ISSUES : code;
        }, 'the same command goes on there');
      }
      case 'batch': {
        const out = args.string('out');
        if (out === undefined) throw new UsageError('sample: batch needs --out FILE');
        const params = paramsOf(args, only(more, 'one id of a rollout'));
        return withLibraryHost(library, context, async ({ ask }) => {
          const { id, requests, lines } = await ask('sampling.batch', params);
          const path = resolvePath(out);
          writeNew(path, lines);
          const script = args.string('script');
          const scriptPath = script === undefined ? undefined : resolvePath(script);
          if (scriptPath !== undefined)
            writeNew(
              scriptPath,
              readFileSync(new URL('../../shared/recorder/vllm_batch.py', import.meta.url), 'utf8'),
            );
          process.stdout.write(
            args.flag('json')
              ? `${terminalJson({ id, requests, path, ...(scriptPath === undefined ? {} : { script: scriptPath }) })}\n`
              : terminalLines([
                  `${requests} requests written to ${path}; read the answers with turnwise sample read FILE`,
                  ...(scriptPath === undefined
                    ? []
                    : [`answer them with: python ${scriptPath} MODEL ${path} ANSWERS.jsonl`]),
                ]),
          );
          return 0;
        });
      }
      default: {
        const params = paramsOf(args, only(args.positionals, 'one id of a rollout'));
        return stoppable(({ ask }) => sample(ask, args, params));
      }
    }
  },
};

type Ask = LibraryHost['ask'];

async function sample(ask: Ask, args: Arguments, params: ParamsOf<'sampling.preview'>): Promise<number> {
  const preview = await ask('sampling.preview', params);
  const { endpoint, problem, path, body, mostTokens, notes } = preview;
  if (args.flag('preview')) {
    process.stdout.write(
      args.flag('json')
        ? `${terminalJson(preview)}\n`
        : terminalLines([
            `POST ${endpoint?.host ?? '(no endpoint)'}${path}`,
            ...body.split('\n'),
            ...notes,
            `at most ${mostTokens} tokens in all`,
          ]),
    );
    return 0;
  }
  if (problem !== undefined) throw new ExpectedError(problem);
  if (endpoint !== undefined)
    process.stderr.write(
      terminalLines([
        `sending ${body.length.toLocaleString('en')} characters to ${endpoint.host}${path}, model ${endpoint.model}; at most ${mostTokens.toLocaleString('en')} tokens in all`,
      ]),
    );
  return report(args, [await ask('sampling.start', params)]);
}

async function value(ask: Ask, args: Arguments, params: ParamsOf<'sampling.value'>): Promise<number> {
  const { rolloutId, settings, pattern, budget } = params;
  const position = { kind: 'turn', turn: 1, at: 'start' } as const;
  const { endpoint, problem } = await ask('sampling.preview', { rolloutId, position, settings, pattern });
  if (problem !== undefined) throw new ExpectedError(problem);
  if (endpoint !== undefined)
    process.stderr.write(
      terminalLines([
        `sampling from the end of each turn at ${endpoint.host}, model ${endpoint.model}; at most ${budget.toLocaleString('en')} tokens in all`,
      ]),
    );
  const { continuations, tokens, isComplete, stored } = await ask('sampling.value', params);
  process.stderr.write(
    terminalLines([
      `${continuations.toLocaleString('en')} continuations sampled, ${tokens.toLocaleString('en')} tokens; ${isComplete ? 'every turn has the most continuations' : 'the budget is spent'}`,
    ]),
  );
  return reportValues(args, valuesByPolicy(stored));
}

async function storedValue(ask: Ask, args: Arguments, rolloutId: number): Promise<number> {
  const [stored] = await ask('sampling.stored', { rolloutIds: [rolloutId] });
  if (stored === undefined) throw new ExpectedError(`there is no rollout ${rolloutId}`);
  return reportValues(args, valuesByPolicy(stored));
}

function reportValues(args: Arguments, values: readonly PolicyValue[]): number {
  const isJson = args.flag('json');
  if (values.length === 0 && !isJson)
    process.stdout.write(terminalLines(['no continuations from ends of turns are stored']));
  for (const one of values) process.stdout.write(isJson ? valueJson(one) : terminalLines(valueLines(one)));
  return 0;
}

function valueLines(value: PolicyValue): readonly string[] {
  const { policy, sampled, cut, lastTurn, values, losing, saving } = value;
  const lines = [`${sampled} continuations, ${policyText(policy)}`, 'after turn  correct    95 % interval'];
  for (let turn = 0; turn <= lastTurn; turn += 1) {
    const one = values.find((known) => known.turn === turn);
    const name = turn === 0 ? 'prompt' : String(turn);
    if (one === undefined) {
      lines.push(`${name.padStart(10)}  unknown`);
      continue;
    }
    const rate = one.isOutcome
      ? `${one.correct === 1 ? 'correct' : 'incorrect'}, as logged`
      : `${`${one.correct} of ${one.graded}`.padEnd(9)}  ${one.low.toFixed(2)}–${one.high.toFixed(2)}`;
    const marks = [
      losing?.after.turn === turn ? `  ↓ ${changeName(losing, 'losing')}` : '',
      saving?.after.turn === turn ? `  ↑ ${changeName(saving, 'saving')}` : '',
    ];
    lines.push(`${name.padStart(10)}  ${rate}${marks.join('')}`);
  }
  if (losing !== undefined) lines.push(`largest drop: ${changeText(losing)}`);
  if (saving !== undefined) lines.push(`largest rise: ${changeText(saving)}`);
  if (cut > 0) lines.push(`${cut} of ${sampled} continuations ended at the limit of tokens`);
  return lines;
}

function valueJson(value: PolicyValue): string {
  const { policy, values, losing, saving } = value;
  return values
    .map((one) => {
      const { turn, correct, graded, low, high, isOutcome } = one;
      return `${terminalJson({
        ...{ model: policy.model, turn, correct, graded, low, high, is_outcome: isOutcome },
        ...{ is_losing: losing?.after === one, is_saving: saving?.after === one },
      })}\n`;
    })
    .join('');
}

function rolloutOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('sample: the rollout must be an id, a number');
  return Number(text);
}

function numberOf(args: Arguments, name: string): number | undefined {
  const text = args.string(name);
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`sample: --${name} must be a number`);
  return Number(text);
}

function settingsOf(args: Arguments) {
  return {
    n: numberOf(args, 'n'),
    temperature: numberOf(args, 'temperature'),
    topP: numberOf(args, 'top-p'),
    maxTokens: numberOf(args, 'max-tokens'),
    seed: numberOf(args, 'seed'),
    stop: args.strings('stop').length === 0 ? undefined : [...args.strings('stop')],
  };
}

function valueParamsOf(args: Arguments, rolloutId: number): ParamsOf<'sampling.value'> {
  const budget = numberOf(args, 'budget');
  if (budget === undefined) throw new UsageError('sample: value needs --budget TOKENS, or --stored');
  return { rolloutId, budget, pattern: args.string('pattern'), settings: settingsOf(args) };
}

function paramsOf(args: Arguments, rollout: string): ParamsOf<'sampling.preview'> {
  const rolloutId = rolloutOf(rollout);
  const [turn, at, token] = [numberOf(args, 'turn'), numberOf(args, 'at'), numberOf(args, 'token')];
  if ([turn, at, token].filter((value) => value !== undefined).length !== 1)
    throw new UsageError('sample: give one of --turn, --at and --token');
  const edit = args.string('edit');
  const pattern = args.string('pattern');
  return {
    rolloutId,
    position:
      turn !== undefined
        ? { kind: 'turn', turn, at: args.flag('end') ? 'end' : 'start' }
        : at !== undefined
          ? { kind: 'character', at }
          : { kind: 'token', token: token ?? 0 },
    ...(edit === undefined ? {} : { edit }),
    ...(pattern === undefined ? {} : { pattern }),
    settings: settingsOf(args),
  };
}

function report(args: Arguments, all: readonly SampledContinuations[]): number {
  for (const { id, runKey, step, continuations } of all) {
    if (args.flag('json'))
      for (const { index, rolloutId, answer, isCorrect, gradedBy, failure } of continuations)
        process.stdout.write(
          `${terminalJson({
            ...{ id, run: runKey, step, ordinal: index },
            ...(rolloutId === undefined ? {} : { rollout_id: rolloutId }),
            ...(answer === undefined ? {} : { answer }),
            ...(isCorrect === undefined ? {} : { is_correct: isCorrect }),
            ...(gradedBy === undefined ? {} : { graded_by: gradedBy }),
            ...(failure === undefined ? {} : { failure }),
          })}\n`,
        );
    else {
      const correct = continuations.filter(({ isCorrect }) => isCorrect === true).length;
      const known = continuations.filter(({ isCorrect }) => isCorrect !== undefined).length;
      process.stdout.write(
        terminalLines([
          `${id}: ${correct} of ${known} correct, ${continuations.length} continuations in run ${runKey}`,
          ...continuations.map(({ index, rolloutId, answer, isCorrect, gradedBy, failure }) =>
            failure === undefined
              ? `  ${index}  rollout ${rolloutId ?? '?'}  ${isCorrect === undefined ? 'not graded' : isCorrect ? 'correct' : 'incorrect'}${gradedBy === undefined ? '' : ` (${gradedBy})`}  ${answer ?? 'no answer'}`
              : `  ${index}  failed: ${failure}`,
          ),
        ]),
      );
    }
  }
  return all.some(({ continuations }) => continuations.some(({ failure }) => failure !== undefined))
    ? DONE_WITH_ISSUES
    : 0;
}

/** Never replaces a file. */
function writeNew(path: string, lines: string): void {
  try {
    writeFileSync(path, lines, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new ExpectedError(
      `${path} was not written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
