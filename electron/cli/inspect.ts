import type { FileInspection } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { checkAdapterOnce, inspectFileOnce } from '../host/libraryThreads.ts';
import { readAdapter } from './adapter.ts';
import { adapterText, hasErrors } from './adapterText.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

const help = `usage: turnwise inspect FILE… [--json] [--propose-mapping]
       turnwise inspect FILE… --adapter COMMAND [--json]

Identifies a file by its first records, without reading it into a library.
With --adapter it checks an adapter: it runs the command twice over the whole file and prints what it
writes, which views stay empty and why, refused lines, and whether both runs write the same.

  --adapter COMMAND  see turnwise ingest --help
  --json             one JSON object per file on stdout
  --propose-mapping  print a mapping to start with, for a file that no format recognizes

Exit codes: 0 every file is a log (the adapter has no errors), 1 some file is not or cannot be read (the
adapter failed, wrote no rollout, wrote a refused line, or wrote two different outputs), 2 usage.`;

export const inspectCommand: Command = {
  name: 'inspect',
  summary: 'identify a file without reading it into a library',
  help,
  async run(argv) {
    const args = readArguments('inspect', argv, {
      json: { type: 'boolean' },
      'propose-mapping': { type: 'boolean' },
      adapter: { type: 'string' },
    });
    if (args.positionals.length === 0) throw new UsageError('inspect: no FILE given', help);
    const command = args.string('adapter');
    if (command !== undefined && args.flag('propose-mapping'))
      throw new UsageError('inspect: --adapter writes the Turnwise log, which needs no mapping');
    const adapter = command === undefined ? undefined : await readAdapter(command);
    let code = 0;
    for (const path of args.positionals.map(resolvePath)) {
      let value: FileInspection;
      try {
        if (adapter !== undefined) {
          const check = await checkAdapterOnce({ path, adapter });
          if (hasErrors(check)) code = 1;
          process.stdout.write(args.flag('json') ? `${terminalJson(check)}\n` : adapterText(check));
          continue;
        }
        value = await inspectFileOnce(path);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        process.stderr.write(`turnwise: ${terminalLine(error.message)}\n`);
        code = 1;
        continue;
      }
      if (value.format === undefined) code = 1;
      if (args.flag('propose-mapping')) process.stdout.write(`${proposalOf(value)}\n`);
      else process.stdout.write(`${args.flag('json') ? terminalJson(value) : describe(value)}\n`);
    }
    return code;
  },
};

/** @throws ExpectedError when there is nothing to map */
function proposalOf(found: FileInspection): string {
  if (found.proposal !== undefined) {
    if (Object.keys(found.proposal.fields).length === 0) {
      process.stderr.write('turnwise: the field names give no hint; fill in "fields" by hand\n');
    }
    return terminalJson(found.proposal, 2);
  }
  throw new ExpectedError(
    found.format === undefined
      ? `${found.path}: ${found.issue?.message ?? 'not a log'}`
      : `${found.path} has the format ${found.format}; it needs no mapping`,
  );
}

const PLURAL: Readonly<Record<string, string>> = {
  line: 'lines of JSON',
  element: 'elements of a JSON array',
  value: 'JSON values',
  member: 'members of the archive',
  row: 'rows',
  part: 'records, several per rollout',
};

function describe(found: FileInspection): string {
  const facts: [string, string][] = [];
  const add = (name: string, text: string | undefined): void => {
    if (text !== undefined && text !== '') facts.push([name, text]);
  };
  add('format', found.format === undefined ? 'none' : `${found.format}: ${found.title}`);
  add('because', found.rule === undefined ? undefined : `it has ${found.rule}`);
  const line = found.issue?.line === undefined ? '' : `line ${found.issue.line}: `;
  add('refused', found.issue === undefined ? undefined : `${line}${found.issue.message}`);
  const packed = found.container === 'plain' ? '' : `${found.container}, `;
  add('records', found.unit === undefined ? undefined : `${packed}${PLURAL[found.unit] ?? found.unit}`);
  const outcomes = Object.entries(found.outcomes).map(([what, count]) => `${count} ${nounOf(what, count)}`);
  add(
    'reads as',
    outcomes.length === 0 ? undefined : `${outcomes.join(', ')} in the first ${found.records} records`,
  );
  add('fields', found.keys.join(', '));
  add('run', found.format === undefined ? undefined : found.directory);
  const pathFacts = [found.step === undefined ? '' : `step ${found.step}`, found.kind ?? ''].filter(
    (part) => part !== '',
  );
  add('path says', pathFacts.join(', '));
  add('size', `${found.bytes.toLocaleString('en')} bytes`);
  add(
    'next',
    found.proposal === undefined
      ? undefined
      : 'turnwise inspect FILE --propose-mapping > mapping.json; turnwise ingest FILE --mapping mapping.json',
  );
  const width = Math.max(...facts.map(([name]) => name.length));
  return [found.path, ...facts.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)]
    .map(terminalLine)
    .join('\n');
}

function nounOf(what: string, count: number): string {
  const nouns: Readonly<Record<string, string>> = {
    rollout: 'rollout',
    refused: 'refused record',
    warning: 'warning',
    signal: 'set of signals',
    decision: 'decision',
    run: 'record about the run',
    metric: 'record of metrics',
    stage: 'change of recipe',
    skip: 'record without a rollout',
  };
  const noun = nouns[what] ?? what;
  if (count === 1) return noun;
  return noun
    .replace(/^(set|record|change)\b/, '$1s')
    .replace(/(rollout|decision|warning|refused record)$/, '$1s');
}
