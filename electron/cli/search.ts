import type { FoundGroup, HitList, RunSummary, SearchCursor, SearchHit } from '../../shared/api/contract.ts';
import { terminalJson, terminalLine, terminalText } from '../../shared/domain/terminalText.ts';
import { chosenRun } from './chosenRun.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { type LibraryHost, withLibraryHost } from './libraryHost.ts';

const PAGE = 200;
const DEFAULT_LIMIT = 50;

const help = `usage: turnwise search QUERY [--library FILE] [--run R] [--step N] [--limit N] [--json]

Searches the texts of all rollouts, newest run and step first. Texts that are not indexed yet are read.

  QUERY            filter language: "double-check"  verif*  code:sympy reward:0  output:/Zero\\w+Error/
                   fields: text: (everywhere), reasoning:, code:, output:, answer_text: or prompt:
  --library FILE   library file; default: the user's library
  --run R          key, name or number of a run; default: every run
  --step N         only this step
  --limit N        most rollouts (default ${DEFAULT_LIMIT})
  --json           one JSON object per rollout and line, with the shown hits and their offsets

Exit codes: 0 done, 1 failed, 2 usage or invalid query. Ctrl-C stops the search; results up to then are printed.`;

export const searchCommand: Command = {
  name: 'search',
  summary: 'search the texts of all rollouts',
  help,
  async run(argv, context) {
    const args = readArguments('search', argv, {
      library: { type: 'string' },
      run: { type: 'string' },
      step: { type: 'string' },
      limit: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [query, ...others] = args.positionals;
    if (query === undefined || query.trim() === '') throw new UsageError('search: QUERY is missing', help);
    if (others.length > 0)
      throw new UsageError(`search: unexpected argument ${others[0]}; put the query in quotes`);
    const step = wholeNumber('step', args.string('step'));
    const limit = wholeNumber('limit', args.string('limit')) ?? DEFAULT_LIMIT;
    return await withLibraryHost(args.string('library'), context, async (host) => {
      const runs = await host.ask('run.list', {});
      const named = args.string('run');
      const run = named === undefined ? undefined : await chosenRun(host, named);
      const scope = {
        ...(run === undefined ? {} : { runId: run.runId }),
        ...(step === undefined ? {} : { step }),
      };
      await search(host, { query, ...scope }, { runs, limit, isJson: args.flag('json') });
      return 0;
    });
  },
};

interface Output {
  readonly runs: readonly RunSummary[];
  readonly limit: number;
  readonly isJson: boolean;
}

async function search(
  { ask }: LibraryHost,
  params: { readonly query: string; readonly runId?: number; readonly step?: number },
  { runs, limit, isJson }: Output,
): Promise<void> {
  const names = new Map(runs.map((run) => [run.runId, run]));
  let after: SearchCursor | undefined;
  let found = 0;
  let lastGroup: number | undefined;
  while (found < limit) {
    const page = await ask('search.page', {
      ...params,
      limit: Math.min(PAGE, limit - found),
      ...(after === undefined ? {} : { after }),
    });
    for (const group of page.groups) {
      found += group.found.length;
      const run = names.get(group.runId);
      process.stdout.write(
        isJson ? jsonLines(group, run) : textLines(group, run, group.groupId === lastGroup),
      );
      lastGroup = group.groupId;
    }
    for (const { step, groupKey, ordinal } of page.unsearched)
      process.stderr.write(
        `skipped, because the regular expression took too long or needed too much memory: step ${step} ${terminalLine(groupKey)} #${ordinal}\n`,
      );
    after = page.next;
    if (after === undefined) break;
  }
  if (after !== undefined)
    process.stderr.write(`showing the first ${found} rollouts; use --limit N for more\n`);
  else if (found === 0) process.stderr.write('nothing found\n');
}

function jsonLines(group: FoundGroup, run: RunSummary | undefined): string {
  const { step, groupKey, problemId, prompt, found } = group;
  return found
    .map(({ found: own, ...rollout }) =>
      terminalJson({
        run_key: run?.runKey,
        ...(run?.hasSteps === false ? {} : { step }),
        group_key: groupKey,
        problem_id: problemId,
        rollout_id: rollout.rolloutId,
        ordinal: rollout.ordinal,
        reward: rollout.reward,
        is_correct: rollout.isCorrect,
        turns: rollout.turns,
        hits: [...prompt.hits, ...own.hits],
        total: prompt.total + own.total,
        is_at_least: prompt.isAtLeast || own.isAtLeast,
      }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function textLines(group: FoundGroup, run: RunSummary | undefined, goesOn: boolean): string {
  const { step, groupKey, problemId } = group;
  const where = run?.hasSteps === false ? '' : `step ${step} · `;
  const head = goesOn
    ? []
    : [`${run?.name ?? ''} · ${where}${problemId}${groupKey === problemId ? '' : ` · ${groupKey}`}`];
  const lines = [
    ...head,
    ...(goesOn ? [] : hitLines('prompt', group.prompt)),
    ...group.found.flatMap(({ ordinal, isCorrect, found }) => {
      const mark = isCorrect === undefined ? '' : isCorrect ? ' ✓' : ' ✕';
      return found.total === 0 ? [`  #${ordinal}${mark}`] : hitLines(`#${ordinal}${mark}`, found);
    }),
  ];
  return lines.map((line) => `${plain(line)}\n`).join('');
}

function hitLines(name: string, { hits, total, isAtLeast }: HitList): readonly string[] {
  const lines = hits.map(
    (hit) => `  ${name}  ${hit.turn === 0 ? '' : `turn ${hit.turn} `}${hit.kind}: ${snippet(hit)}`,
  );
  const rest = total - hits.length;
  return rest > 0 ? [...lines, `  ${name}  and ${rest}${isAtLeast ? ' or more' : ''} more hits`] : lines;
}

function snippet({ before, text, after, isCut }: SearchHit): string {
  return `${isCut.before ? '…' : ''}${before}[${text}${isCut.text ? '…' : ''}]${after}${isCut.after ? '…' : ''}`;
}

/** Replaces line breaks by ⏎ and escapes control characters, for a terminal. */
function plain(line: string): string {
  return terminalText(line.replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '⏎'));
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < 0)
    throw new UsageError(`search: --${name} must be a whole number`);
  return number;
}
