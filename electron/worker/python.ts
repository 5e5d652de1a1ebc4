/**
 * A process that runs Python in a sandbox. It answers one request at a time and prepares the next interpreter
 * meanwhile. Code cannot be interrupted, so stopping it means killing the process.
 *
 * The build runs it with `--snapshot PYODIDE FILE`, to save the memory that all interpreters start from.
 */
import { writeFileSync } from 'node:fs';
import type { PythonReceived, PythonSent } from '../python/messages.ts';
import { Sandbox } from '../python/sandbox.ts';
import { connectToParent, watchProcess } from '../threads/parentProcess.ts';
import { entryOf } from './entry.ts';

/** Bytes. Files that the code writes are in memory, beside that of the interpreter. */
const MOST_MEMORY = 1.5 * 2 ** 30;

const [, , command, pyodide = '', file = ''] = process.argv;
if (command === '--snapshot') await saveSnapshot();
else serve();

async function saveSnapshot(): Promise<void> {
  const sandbox = await Sandbox.close({ pyodide });
  await sandbox.interpreter();
  writeFileSync(file, sandbox.snapshots.get('') ?? new Uint8Array());
}

function serve(): void {
  void watchProcess(entryOf('watchdog'), { mostMemory: MOST_MEMORY });
  const { send, receive } = connectToParent<PythonReceived, PythonSent>();
  let sandbox: Sandbox | undefined;
  /** Without packages. */
  let next: ReturnType<Sandbox['interpreter']> | undefined;
  let hasRun = false;
  const interpreterOf = async (closed: Sandbox, packages: string): ReturnType<Sandbox['interpreter']> => {
    const isNew = !closed.snapshots.has(packages);
    const python = await closed.interpreter(packages);
    const memory = closed.snapshots.get(packages);
    if (isNew && memory !== undefined) send({ kind: 'snapshot', snapshot: { of: packages, memory } });
    return python;
  };
  const prepare = async (closed: Sandbox): Promise<void> => {
    next ??= interpreterOf(closed, '');
    await next;
    send({ kind: 'ready' });
  };
  const answer = async (message: PythonSent): Promise<void> => {
    if (message.kind === 'start') {
      sandbox = await Sandbox.close(message);
      return prepare(sandbox);
    }
    send({ kind: 'taken' });
    if (sandbox === undefined || next === undefined) throw new Error('a request came before the start');
    const packages = sandbox.packagesOf(message);
    if (hasRun && !sandbox.snapshots.has(packages)) return send({ kind: 'unprepared' });
    const python = await (packages === '' ? next : interpreterOf(sandbox, packages));
    if (packages === '') next = undefined;
    await sandbox.link(python, message);
    hasRun = true;
    send({ kind: 'running' });
    send(sandbox.run(python, message));
    return prepare(sandbox);
  };
  receive((message) => {
    answer(message).catch((error: unknown) =>
      send({ kind: 'broken', message: lastLineOf(messageOf(error)) }),
    );
  });
}

/** Emscripten throws an object with a message at the end of the program. It is not an Error. */
function messageOf(thrown: unknown): string {
  const { message = thrown } = Object(thrown) as { readonly message?: unknown };
  return typeof message === 'string' ? message : 'the interpreter ended';
}

/** UTF-16 units. */
const LONGEST_MESSAGE = 400;

/** An error of Python is a traceback through Pyodide. Its last line says what happened. */
const lastLineOf = (message: string): string =>
  (message.trimEnd().split('\n').at(-1) ?? '').slice(0, LONGEST_MESSAGE);
