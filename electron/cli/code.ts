import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ResultOf } from '../../shared/api/contract.ts';
import {
  type CodeCell,
  codeCells,
  notebookOf,
  scriptOf,
  scriptOfCell,
} from '../../shared/domain/codeCells.ts';
import { terminalJson, terminalText } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

const help = `usage: turnwise code ROLLOUT_ID [--library FILE] [--format py|ipynb] [--call N | --to N] [--out PATH]

Prints the code that a rollout ran. This command does not run it.

  --library FILE   library file; default: the user's library
  --format NAME    py: one script, a "# %%" section per call (default). ipynb: a notebook with the outputs of the log
  --call N         only the N-th tool call, as a script
  --to N           only calls up to the N-th
  --out PATH       write to this file instead of stdout; an existing file is not overwritten

The script restores the stdin of each call. Calls without readable code are skipped and counted on stderr.
Exit codes: 0 done, 1 no such rollout, no such call, or no code, 2 usage.`;

export const codeCommand: Command = {
  name: 'code',
  summary: 'print the code of a rollout as a script or notebook',
  help,
  async run(argv, context) {
    const args = readArguments('code', argv, {
      library: { type: 'string' },
      format: { type: 'string' },
      call: { type: 'string' },
      to: { type: 'string' },
      out: { type: 'string' },
    });
    const [rawId, ...more] = args.positionals;
    if (rawId === undefined || !/^\d+$/.test(rawId) || more.length > 0)
      throw new UsageError('code: give one ROLLOUT_ID, a number', help);
    const format = args.string('format') ?? 'py';
    if (format !== 'py' && format !== 'ipynb') throw new UsageError('code: --format must be py or ipynb');
    const [call, to] = [numberOf('call', args.string('call')), numberOf('to', args.string('to'))];
    if (call !== undefined && (to !== undefined || format !== 'py'))
      throw new UsageError('code: --call prints one script; do not combine it with --to or --format ipynb');
    const path = args.string('library');
    const libraryPath = path === undefined ? defaultLibraryPath() : resolvePath(path);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    try {
      const found = await host.dispatch('rollout.get', { rolloutId: Number(rawId) });
      if (!found.ok) throw new ExpectedError(found.failure.message);
      const text = textOf(found.value as ResultOf<'rollout.get'>, { format, call, to });
      const out = args.string('out');
      if (out === undefined) process.stdout.write(shown(text, format));
      else await write(resolvePath(out), text);
      return 0;
    } finally {
      await host.close();
    }
  },
};

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`code: --${name} is a whole number of 1 or more`);
  return Number(text);
}

interface Wanted {
  readonly format: 'py' | 'ipynb';
  readonly call: number | undefined;
  readonly to: number | undefined;
}

function textOf(rollout: ResultOf<'rollout.get'>, { format, call, to }: Wanted): string {
  const { row, run, toolCalls } = rollout;
  const cells = codeCells(rollout);
  const without = toolCalls.length - cells.length;
  if (cells.length === 0)
    throw new ExpectedError(`rollout ${row.rolloutId} has ${toolCalls.length} tool calls, none with code`);
  const step = run.hasSteps ? ` · step ${row.step}` : '';
  const title = `${run.name}${step} · ${row.groupKey} · #${row.ordinal}`;
  if (call !== undefined) return scriptOfCell(cellOf(cells, call, row.rolloutId), title);
  if (without > 0)
    process.stderr.write(`code: ${without} of ${toolCalls.length} tool calls have no readable code\n`);
  const wanted = to === undefined ? cells : cells.filter((cell) => cell.call < to);
  if (wanted.length === 0) throw new ExpectedError(`rollout ${row.rolloutId} has no code up to call ${to}`);
  return format === 'py' ? scriptOf(wanted, title) : notebookOf(wanted, title);
}

function cellOf(cells: readonly CodeCell[], call: number, rolloutId: number): CodeCell {
  const cell = cells.find((one) => one.call === call - 1);
  if (cell === undefined) throw new ExpectedError(`rollout ${rolloutId} has no call ${call} with code`);
  return cell;
}

/** A script has no escapes, so they are shown as text on a terminal only. Tabs belong to its lines. */
function shown(text: string, format: Wanted['format']): string {
  if (format === 'ipynb') return `${terminalJson(JSON.parse(text), 1)}\n`;
  return process.stdout.isTTY ? text.split('\t').map(terminalText).join('\t') : text;
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new ExpectedError(error instanceof Error ? error.message : String(error));
  }
}
