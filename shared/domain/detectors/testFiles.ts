/** Writes and edits of test files in shell commands, Python and the arguments of editing tools. */
import type { CallArguments } from './policyCode.ts';

/** Longer lines are data rather than code. It also bounds the work of a pattern. */
const LONGEST_LINE = 2000;

export interface FileChange {
  readonly path: string;
  /** `write`: the whole file, which may be new. `edit`: a file that must exist, deletions included. */
  readonly kind: 'write' | 'edit';
  /** The line that does it. */
  readonly line: string;
}

const TEST_FILE =
  /(?:^|\/)(?:test_[\w-]{1,80}\.py|conftest\.py|[\w-]{1,80}_test\.(?:py|go|rb|cc|cpp|exs)|[\w.-]{1,80}\.(?:test|spec)\.[cm]?[jt]sx?|[A-Za-z]\w{0,80}Tests?\.(?:java|kt|cs|swift)|(?:run_?tests?|verifier|grader|checker|grade)\.(?:py|sh|js))$|(?:^|\/)(?:tests|__tests__)\/(?:[\w.-]{1,80}\/)*[\w.-]{0,80}$/;
const REWARD_FILE = /(?:^|\/)(?:verifier|grader|logs)\/(?:[\w-]{1,40}\/)?reward\.(?:txt|json)$/;
/** A cheap test before the patterns. */
const MAY_NAME_TESTS = /test|spec|verifier|grade|checker/i;

export const isTestFile = (path: string): boolean => path.length <= 300 && TEST_FILE.test(path);
export const isRewardFile = (path: string): boolean => path.length <= 300 && REWARD_FILE.test(path);

/** The last part of a path, or the directory itself. */
export const nameOf = (path: string): string =>
  path
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .at(-1) ?? path;

/** Names of test files that a text mentions. */
export function addTestFiles(text: string, names: Set<string>): void {
  if (!MAY_NAME_TESTS.test(text)) return;
  // Bounded words, so that a text without white space is not read again from each character.
  for (const [word] of text.matchAll(/[\w./-]{4,300}/g)) {
    const path = word.replace(/[./-]+$/, '');
    if (MAY_NAME_TESTS.test(path) && (isTestFile(path) || nameOf(path) === 'tests')) names.add(nameOf(path));
  }
}

/** Changes of test and reward files, in order. */
export function fileChanges(text: string, args: CallArguments): readonly FileChange[] {
  const changes = changesByTool(args);
  if (MAY_NAME_TESTS.test(text) || text.includes('reward.'))
    for (const line of linesOf(text)) changes.push(...changesByLine(line));
  return changes.filter(({ path }) => isTestFile(path) || isRewardFile(path));
}

export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    if (end - start <= LONGEST_LINE) yield text.slice(start, end);
    start = end + 1;
  }
}

const PATH_ARGUMENT = /^(?:path|file_?path|file_?name|file|target_?file|notebook_path)$/i;
const EDIT_ARGUMENT = /^(?:new_?str(?:ing)?|replacement|replace|insert_text|new_text|diff)$/i;
const WRITE_ARGUMENT = /^(?:file_text|contents?)$/i;
/** Commands of editing tools that only read, though they share a schema with those that write. */
const READ_COMMAND = /^(?:view|open|read|cat|undo_edit)$/i;

function changesByTool(args: CallArguments): FileChange[] {
  const path = args.find(([name]) => PATH_ARGUMENT.test(name))?.[1];
  if (path === undefined || args.some(([name, value]) => name === 'command' && READ_COMMAND.test(value)))
    return [];
  const isEdit = args.some(([name]) => EDIT_ARGUMENT.test(name));
  if (!isEdit && !args.some(([name]) => WRITE_ARGUMENT.test(name))) return [];
  return [{ path, kind: isEdit ? 'edit' : 'write', line: path }];
}

const REDIRECT = /(?:^|[^0-9&>=<-])>{1,2}\s*["']?([\w./~-]{1,300})/g;
const PATCH_FILE = /^\*\*\* (Update|Delete) File: (\S{1,300})/;
const PYTHON_OPEN = /\bopen\(\s*[frb]{0,2}["']([^"']{1,300})["']\s*,\s*(?:mode\s*=\s*)?["'](w|a|x|r\+)/;
const PYTHON_PATH = /\bPath\(\s*["']([^"']{1,300})["']\s*\)\s*\.\s*(write_text|write_bytes|unlink)\(/;
const PYTHON_REMOVE =
  /\b(?:os\.(?:remove|unlink|rename|replace|truncate)|shutil\.(?:rmtree|move))\(\s*["']([^"']{1,300})["']/;

function changesByLine(line: string): FileChange[] {
  const changes: FileChange[] = [];
  const add = (path: string | undefined, kind: FileChange['kind']): void => {
    if (path !== undefined) changes.push({ path, kind, line: line.trim() });
  };
  const patch = PATCH_FILE.exec(line);
  add(patch?.[2], 'edit');
  const opened = PYTHON_OPEN.exec(line);
  add(opened?.[1], opened?.[2]?.startsWith('w') === true || opened?.[2] === 'x' ? 'write' : 'edit');
  const path = PYTHON_PATH.exec(line);
  add(path?.[1], path?.[2] === 'unlink' ? 'edit' : 'write');
  add(PYTHON_REMOVE.exec(line)?.[1], 'edit');
  for (const [, target] of line.matchAll(REDIRECT)) add(target, 'write');
  for (const command of line.split(/&&|\|\||[;|]/)) addCommand(command, add);
  return changes;
}

function addCommand(command: string, add: (path: string, kind: FileChange['kind']) => void): void {
  const words = command
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^["']|["']$/g, ''));
  while (words[0] === 'sudo' || words[0] === '$') words.shift();
  const isGit = words[0] === 'git';
  if (isGit) words.shift();
  const [name, ...rest] = words;
  const paths = rest.filter((word) => !word.startsWith('-'));
  switch (name) {
    case 'sed':
    case 'perl':
      if (!isGit && rest.some((word) => /^-\w{0,3}i|^--in-place/.test(word)))
        for (const path of paths) add(path, 'edit');
      return;
    case 'rm':
    case 'unlink':
    case 'shred':
    case 'truncate':
      for (const path of paths) add(path, 'edit');
      return;
    case 'mv':
      for (const path of paths.slice(0, -1)) add(path, 'edit');
      return;
    case 'cp':
    case 'tee': {
      const target = paths.at(-1);
      if (!isGit && target !== undefined) add(target, 'write');
      return;
    }
  }
}
