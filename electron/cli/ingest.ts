import type { FollowRow, IngestProgress, ResultOf, UnreadFile } from '../../shared/api/contract.ts';
import type { IngestIssue } from '../../shared/domain/model.ts';
import { terminalJson, terminalLine, terminalLines } from '../../shared/domain/terminalText.ts';
import { readMapping } from '../../shared/format/mapped.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { createHost } from '../host/createHost.ts';
import { endWithin } from '../host/endWithin.ts';
import type { Adapter, Host } from '../host/host.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { printWarnings } from '../host/printProblem.ts';
import type { IngestReport } from '../worker/messages.ts';
import { readAdapter } from './adapter.ts';
import {
  type Command,
  ExpectedError,
  readArguments,
  resolvePath,
  textOfFile,
  UsageError,
} from './command.ts';

const help = `usage: turnwise ingest PATH… [--library FILE] [--mapping FILE | --adapter COMMAND] [--again] [--follow] [--json]
       turnwise ingest --continue [--adapter COMMAND] [--library FILE] [--json]

Reads logs (files or directories) into a library. Unchanged files are skipped; appended files
continue at their previous end. Progress goes to stderr.

  --library FILE  library file; default: the user's library
  --mapping FILE  read every file by this mapping (JSON, from the mapping preview or from
                  turnwise inspect FILE --propose-mapping)
  --adapter COMMAND
                  run COMMAND for every file: it gets the file on stdin, and its path in TURNWISE_FILE,
                  and writes the Turnwise log to stdout. turnwise recorder adapter prints an example,
                  turnwise inspect FILE --adapter COMMAND checks one. COMMAND is split into words at
                  white space outside quotes; no shell is started (write "sh -c '…'" if you need one).
                  It runs in your directory, at most two at a time. A file is read again when the
                  command or a file that it names has changed
  --continue      read on where an interrupted call stopped, with the files it had not begun.
                  Files of an adapter need --adapter again: the library does not keep commands
  --again         read known files from their start, even if they have not changed: a newer Turnwise may
                  read more of them. Labels, notes and reviews stay. Files of an adapter need --adapter
  --follow        keep reading appended and added files until interrupted
  --json          one JSON object on stdout: {library, seconds, bytes, rollouts, groups, issues, unread,
                  files}

Exit codes: 0 done, 3 done with issues, 1 nothing could be read, 2 usage.`;

export const ingestCommand: Command = {
  name: 'ingest',
  summary: 'read logs into a library',
  help,
  async run(argv, context) {
    const args = readArguments('ingest', argv, {
      library: { type: 'string' },
      json: { type: 'boolean' },
      mapping: { type: 'string' },
      adapter: { type: 'string' },
      again: { type: 'boolean' },
      follow: { type: 'boolean' },
      continue: { type: 'boolean' },
    });
    const isContinued = args.flag('continue');
    if (isContinued === args.positionals.length > 0)
      throw new UsageError('ingest: give PATHs or --continue', help);
    const readAgain = args.flag('again');
    if (isContinued && readAgain)
      throw new UsageError('ingest: --again needs PATHs; --continue reads on what it left');
    const named = args.string('library');
    const libraryPath = named === undefined ? defaultLibraryPath() : resolvePath(named);
    const mappingFile = args.string('mapping');
    const command = args.string('adapter');
    if (command !== undefined && mappingFile !== undefined)
      throw new UsageError('ingest: --adapter writes the Turnwise log, which needs no mapping');
    const mapping = mappingFile === undefined ? undefined : readMappingFile(resolvePath(mappingFile));
    const adapter = command === undefined ? undefined : await readAdapter(command);
    const given = args.positionals.map(resolvePath);
    const options = { libraryPath, shell: 'browser' as const, version: context.version };
    const host = await createHost(adapter === undefined ? options : { ...options, adapter });
    const left = isContinued ? await unreadFiles(host) : [];
    const paths = isContinued ? continuedPaths(left, adapter) : given;
    if (paths.length === 0) {
      await host.close();
      if (left.length > 0) throw new ExpectedError(unreadText(left, named));
      process.stdout.write('nothing is left to read\n');
      return 0;
    }
    const controller = new AbortController();
    const stop = (): void => {
      controller.abort();
      endWithin();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    let report: IngestReport;
    try {
      report = await host.ingest(paths, {
        onProgress: showProgress,
        signal: controller.signal,
        areKnown: isContinued,
        readAgain,
        ...(mapping === undefined ? {} : { mapping }),
      });
      clearProgress();
      await printWarnings(host);
      if (args.flag('follow') && !controller.signal.aborted) {
        process.stdout.write(summaryOf(report, entriesOf(report), libraryPath));
        return await followUntilStopped(host, paths, controller.signal);
      }
    } finally {
      clearProgress();
      await host.close();
    }
    const { unread } = report;
    const files = entriesOf(report);
    const code = exitCode(report);
    if (args.flag('json')) {
      const { seconds, bytes, rollouts, groups, issues } = report;
      process.stdout.write(
        `${terminalJson({ library: libraryPath, seconds, bytes, rollouts, groups, issues, unread: unread.length, files })}\n`,
      );
    } else process.stdout.write(summaryOf(report, files, libraryPath));
    if (code === 1) process.stderr.write(`turnwise: ${terminalLine(failureOf(report, files, paths))}\n`);
    if (unread.length > 0) process.stderr.write(`turnwise: ${unreadText(unread, named)}\n`);
    return code;
  },
};

async function unreadFiles(host: Host): Promise<readonly UnreadFile[]> {
  const result = await host.dispatch('ingest.unread', {});
  if (!result.ok) throw new ExpectedError(result.failure.message);
  return (result.value as ResultOf<'ingest.unread'>).filter(({ hasGrown }) => hasGrown !== true);
}

/** Files that were started with an adapter are only continued with one, and all others only without. */
function continuedPaths(unread: readonly UnreadFile[], adapter: Adapter | undefined): readonly string[] {
  return unread.filter(({ hasAdapter }) => hasAdapter === (adapter !== undefined)).map(({ path }) => path);
}

/** @param library the path that the user gave */
function unreadText(unread: readonly UnreadFile[], library: string | undefined): string {
  const command = `turnwise ingest --continue${library === undefined ? '' : ` --library ${terminalLine(library)}`}`;
  const adapted = unread.filter(({ hasAdapter }) => hasAdapter).length;
  const direct = unread.length - adapted;
  const were = (files: number): string => (files === 1 ? '1 file was' : `${files} files were`);
  return [
    direct === 0 ? '' : `${were(direct)} not read to the end; ${command} reads on`,
    adapted === 0
      ? ''
      : `${were(adapted)} not read to the end with an adapter; ${command} --adapter COMMAND reads on`,
  ]
    .filter((text) => text !== '')
    .join('\nturnwise: ');
}

interface FileEntry {
  readonly path: string;
  readonly format: string | null;
  readonly status: string;
  readonly rollouts: number;
  /** Lines of issues are lines of the adapter's output. */
  readonly isAdapted?: true;
  readonly issues: readonly (Omit<IngestIssue, 'line'> & { readonly line: number | null })[];
}

function entriesOf(report: IngestReport): readonly FileEntry[] {
  return report.files.map(({ path, format, status, rollouts, issues, isAdapted }) => ({
    path,
    format,
    status,
    rollouts,
    ...(isAdapted === undefined ? {} : { isAdapted }),
    issues: issues.map(({ line, severity, code, message }) => ({
      line: line ?? null,
      severity,
      code,
      message,
    })),
  }));
}

function exitCode(report: IngestReport): number {
  if (report.isCancelled) return 1;
  const hasAny = report.files.some((file) => file.status !== 'refused');
  if (!hasAny) return 1;
  return report.issues > 0 ? 3 : 0;
}

function failureOf(report: IngestReport, files: readonly FileEntry[], paths: readonly string[]): string {
  if (report.isCancelled)
    return 'stopped; the library holds everything read up to now, and the next call continues from there';
  const [first] = files;
  if (first === undefined) return `no files in ${paths.join(', ')}`;
  const issue = first.issues[0];
  const place = placeOf(first, issue?.line ?? null);
  const rest = files.length === 1 ? '' : ` (and ${files.length - 1} more files that are not logs)`;
  return `${place}: ${issue?.message ?? 'could not be read'}${rest}`;
}

function placeOf({ path, isAdapted }: FileEntry, line: number | null): string {
  if (line === null) return path;
  return isAdapted === true ? `${path}, line ${line} of the adapter's output` : `${path}, line ${line}`;
}

function summaryOf(report: IngestReport, files: readonly FileEntry[], libraryPath: string): string {
  const count = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
  const same = files.filter(({ status }) => status === 'duplicate').length;
  const lines = [
    `${count(report.rollouts, 'rollout')} in ${count(report.groups, 'group')} from ${count(files.length, 'file')}, ` +
      `${count(report.issues, 'issue')}${same === 0 ? '' : `, ${count(same, 'file')} not read (same content as one read before)`}; ${report.seconds.toFixed(1)} s`,
    `library: ${libraryPath}`,
  ];
  for (const file of files) {
    for (const issue of file.issues.slice(0, 5)) {
      const { line } = issue;
      const place = line === null || file.isAdapted ? placeOf(file, line) : `${file.path}:${line}`;
      lines.push(`  ${place}: ${issue.severity}: ${issue.message}`);
    }
    if (file.issues.length > 5) lines.push(`  ${file.path}: and ${file.issues.length - 5} more`);
  }
  return terminalLines(lines);
}

function showProgress(progress: IngestProgress): void {
  if (!process.stderr.isTTY) return;
  const percent = progress.bytes === 0 ? 100 : Math.floor((100 * progress.bytesDone) / progress.bytes);
  const text = `${percent} %  ${progress.filesDone}/${progress.files} files  ${progress.rollouts.toLocaleString('en')} rollouts`;
  process.stderr.write(`\r${text}\u001b[K`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

/** @throws ExpectedError when the file does not exist or holds no mapping */
function readMappingFile(path: string): Mapping {
  const text = textOfFile(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ExpectedError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const reading = readMapping(value);
  if (!('mapping' in reading)) throw new ExpectedError(`${path}: ${reading.message}`);
  return reading.mapping;
}

/** Prints the rollouts of each check until interrupted. @returns the exit code */
async function followUntilStopped(
  host: Host,
  paths: readonly string[],
  signal: { readonly aborted: boolean; addEventListener(type: 'abort', listener: () => void): void },
): Promise<number> {
  let reported = 0;
  const unsubscribe = host.subscribe(({ event, payload }) => {
    if (event !== 'follow.changed') return;
    const rollouts = payload.follows.reduce((sum: number, follow: FollowRow) => sum + follow.rollouts, 0);
    if (rollouts > reported)
      process.stdout.write(`${new Date().toISOString()}  ${rollouts - reported} new rollouts\n`);
    reported = rollouts;
  });
  await host.dispatch('follow.start', { paths });
  process.stderr.write('following; press Ctrl-C to stop\n');
  // Keeps the process alive; the follower's own timer does not.
  const heartbeat = setInterval(() => undefined, 60_000);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  clearInterval(heartbeat);
  unsubscribe();
  return 0;
}
