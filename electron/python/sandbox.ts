/**
 * Python in WebAssembly (Pyodide), in a JavaScript realm without anything of Node. Every request gets an
 * interpreter of its own, which starts from a snapshot of the memory of the first one.
 *
 * Pyodide believes that it runs in the shell of a JavaScript engine (`read`, `readbuffer`, `os.system`), because
 * there it asks for nothing else.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PyodideInterface } from 'pyodide';
import type {
  PythonReport,
  PythonStep,
  PythonTrace,
  PythonVariable,
} from '../../shared/domain/pythonAnswer.ts';
import { HARNESS } from './harness.ts';
import { isLibrary, Library, Linker } from './libraries.ts';
import { MOST_OUTPUT, type PythonRequest, type PythonStart } from './messages.ts';
import { Packages } from './packages.ts';

/** Bytes of an interpreter's memory. */
const MOST_MEMORY = 512 * 2 ** 20;
const WASM_PAGE = 65_536;
/** Numbers of 4 bytes in a page of the system. */
const PAGE = 1024;
const WASM = 'pyodide.asm.wasm';
const LIBRARY = 'python_stdlib.zip';
/** V8's own. */
const STACK_FRAMES = 10;
/** Snapshots that are kept beside the one without packages. Each takes 30 MB and more. */
const MOST_SNAPSHOTS = 4;

/** Globals of the language itself. Every other global is removed. */
const LANGUAGE = new Set<PropertyKey>(
  `AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView
  Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity
  Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
  ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TypeError URIError
  Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt undefined
  unescape`.split(/\s+/),
);

type Options = NonNullable<Parameters<typeof import('pyodide')['loadPyodide']>[0]>;
type CreatePyodideModule = Options['createPyodideModule'];
/** Options and methods of Pyodide that are not in its types. */
interface SnapshotOptions {
  readonly _makeSnapshot?: true;
  readonly _loadSnapshot?: Uint8Array;
}
type LoadPyodide = (options: Options & SnapshotOptions) => Promise<Pyodide>;
type PyodideModule = Awaited<ReturnType<NonNullable<CreatePyodideModule>>>;
interface Allocator {
  _malloc(bytes: number): number;
  _free(address: number): void;
}
type Pyodide = PyodideInterface & {
  makeMemorySnapshot(): Uint8Array;
  readonly _api: { readonly config: Record<string, unknown>; readonly runtimeEnv: object };
};

export class Sandbox {
  private readonly load: LoadPyodide;
  private readonly createPyodideModule: CreatePyodideModule;
  private readonly lockFileContents: string;
  private readonly packages: Packages;
  private readonly linker: Linker;
  /** Files of unpacked packages by their names. */
  private readonly unpacked = new Map<string, readonly PackageFile[]>();
  /** What Python has compiled of a file of an unpacked package, by the path of that file. */
  private readonly bytecode = new Map<string, PackageFile>();
  /** Why a library of the running request was not linked. Undefined if all were. */
  private linkProblem: string | undefined;
  /** Output of the running request. */
  private output = newOutput();
  /** Pages of a new memory that are not zero. */
  private usedPages: ReadonlySet<number> | undefined;
  /** The memory that `copyOf` copies a snapshot to. It is reused by the next start. */
  private copy = new Uint8Array();
  /** Memory of interpreters by the packages that they have imported, joined by spaces. */
  readonly snapshots = new Map<string, Uint8Array>();

  private constructor(
    load: LoadPyodide,
    createPyodideModule: CreatePyodideModule,
    lockFileContents: string,
    packages: Packages,
    linker: Linker,
  ) {
    this.load = load;
    this.createPyodideModule = createPyodideModule;
    this.lockFileContents = lockFileContents;
    this.packages = packages;
    this.linker = linker;
  }

  /** Takes the globals of this thread away. There is no way back. */
  static async close({
    pyodide,
    snapshot,
    snapshots = [],
    packages,
  }: Pick<PythonStart, 'pyodide'> & Partial<PythonStart>): Promise<Sandbox> {
    const read = (name: string): Buffer => readFileSync(join(pyodide, name));
    const wasm = new Uint8Array(read(WASM));
    // A Buffer may have its bytes in memory that others share.
    const library = new Uint8Array(read(LIBRARY)).buffer;
    const lockFile = read('pyodide-lock.json').toString();
    const started = snapshot === undefined ? undefined : new Uint8Array(readFileSync(snapshot).buffer);
    const importFile = (name: string): Promise<{ readonly default: CreatePyodideModule }> =>
      import(/* @vite-ignore */ pathToFileURL(join(pyodide, name)).href);
    const asm = await importFile('pyodide.asm.mjs');
    const wheels = new Packages(packages, lockFile);
    const main = pathToFileURL(join(pyodide, 'pyodide.mjs')).href;
    const linker = new Linker();
    removeGlobals(wasm, library, linker);
    // Pyodide is imported now, because it looks at the globals to find out where it runs.
    const { loadPyodide } = (await import(/* @vite-ignore */ main)) as { loadPyodide: LoadPyodide };
    // Pyodide has functions that import modules of Node, such as `initializeNodeSockFS`.
    registerHooks({ resolve: refuse });
    const sandbox = new Sandbox(loadPyodide, asm.default, lockFile, wheels, linker);
    if (started !== undefined) sandbox.snapshots.set('', started);
    // The memory is copied, because a message has it at any offset, and its numbers need one that is a multiple of 4.
    for (const { of, memory } of snapshots) sandbox.snapshots.set(of, memory.slice());
    return sandbox;
  }

  /** The packages of the snapshot that a request starts from, as a key of `snapshots`. */
  packagesOf({ cells }: PythonRequest): string {
    return this.packages.neededBy(cells).snapshot.join(' ');
  }

  /** A new interpreter that has run nothing. */
  async interpreter(packages = ''): Promise<Pyodide> {
    const snapshot = this.snapshots.get(packages);
    if (snapshot !== undefined) {
      this.keepSnapshot(packages, snapshot);
      return this.start(packages, { _loadSnapshot: this.copyOf(snapshot) }, memoryBytes(snapshot));
    }
    const python = await this.start(packages, { _makeSnapshot: true });
    python.runPython(HARNESS);
    const names = packages === '' ? [] : packages.split(' ');
    python.runPython(
      `preload(${JSON.stringify(names.map(archiveOf))}, ${JSON.stringify(this.packages.importsOf(names))})`,
    );
    this.keepSnapshot(packages, python.makeMemorySnapshot());
    return this.interpreter(packages);
  }

  /**
   * The memory is copied, because Pyodide has it where code that restores the bridge could change it. It is always
   * copied into the same memory, because the first use of 30 MB takes longer than the rest of the start.
   */
  private copyOf(snapshot: Uint8Array): Uint8Array {
    if (this.copy.length < snapshot.length) this.copy = new Uint8Array(snapshot.length);
    this.copy.set(snapshot);
    return this.copy.subarray(0, snapshot.length);
  }

  /** Keeps the snapshot without packages, and of the others the last ones used. */
  private keepSnapshot(packages: string, memory: Uint8Array): void {
    this.snapshots.delete(packages);
    this.snapshots.set(packages, memory);
    const others = [...this.snapshots.keys()].filter((of) => of !== '');
    for (const of of others.slice(0, -MOST_SNAPSHOTS)) this.snapshots.delete(of);
  }

  /**
   * Imports the compiled packages of a request, and those that need them. No snapshot has them, because the memory
   * is not all that linking changes.
   */
  async link(python: Pyodide, { cells }: PythonRequest): Promise<void> {
    const { unpacked, modules } = this.packages.neededBy(cells);
    const files: PackageFile[] = [];
    for (const name of unpacked) for (const file of await this.filesOf(name)) files.push(file);
    this.linker.allow(files.flatMap(({ library }) => library ?? []));
    this.linkProblem = undefined;
    if (files.length === 0) return;
    const { FS } = python;
    const write = (path: string, bytes: Uint8Array): void => {
      FS.mkdirTree(directoryOf(path));
      FS.writeFile(path, bytes);
      // Compiled Python is valid for a source of the same time.
      FS.utime(path, 0, 0);
    };
    for (const { path, bytes } of files) {
      write(path, bytes);
      const compiled = this.bytecode.get(path);
      if (compiled !== undefined) write(compiled.path, compiled.bytes);
    }
    const imported = String(python.runPython(`import_unpacked(${JSON.stringify(modules)})`));
    // No code has run yet that could have changed the harness.
    const { compiled, problem } = JSON.parse(imported) as ImportedPackages;
    this.linkProblem = problem ?? undefined;
    for (const [source, path] of Object.entries(compiled))
      if (!this.bytecode.has(source)) this.bytecode.set(source, { path, bytes: FS.readFile(path) });
  }

  /** Unpacks a package in an interpreter that runs nothing else. */
  private async filesOf(name: string): Promise<readonly PackageFile[]> {
    const known = this.unpacked.get(name);
    if (known !== undefined) return known;
    const python = await this.interpreter();
    const archive = archiveOf(name);
    let files: readonly PackageFile[] = [];
    try {
      python.FS.writeFile(archive, this.packages.bytesOf(name));
      const paths = String(python.runPython(`unpack(${JSON.stringify(archive)})`));
      const directory = this.packages.directoryOf(name);
      files = (JSON.parse(paths) as readonly string[]).map((from) => {
        const path = `${directory}/${from}`;
        const bytes = python.FS.readFile(`/unpacked/${from}`) as Uint8Array;
        const library = Library.of(path, bytes);
        return library === undefined ? { path, bytes } : { path, bytes: library.standIn, library };
      });
    } catch (error) {
      this.packages.remove(name, `cannot be read: ${String(error).trimEnd().split('\n').at(-1)}`);
    }
    this.unpacked.set(name, files);
    return files;
  }

  private async start(packages: string, snapshot: SnapshotOptions, bytes = 0): Promise<Pyodide> {
    const { createPyodideModule: create, lockFileContents } = this;
    const names = packages === '' ? [] : packages.split(' ');
    const python = await this.load({
      indexURL: '/',
      lockFileContents,
      ...(create && {
        createPyodideModule: async (settings) => {
          const module = (await create(settings)) as PyodideModule & Allocator;
          const { HEAP8 } = module;
          if (bytes > HEAP8.length) {
            // A snapshot with packages is larger than a new memory, and it is written over all of it.
            module._free(module._malloc(bytes));
          } else if (bytes > 0) {
            this.usedPages ??= usedPages(HEAP8);
            replaceNextSet(HEAP8, this.usedPages);
          }
          return module;
        },
      }),
      jsglobals: {},
      env: { HOME: '/home', PYTHONINSPECT: '' },
      stdin: () => null as unknown as string,
      fsInit: async (files) => {
        for (const name of names) files.writeFile(archiveOf(name), this.packages.bytesOf(name));
      },
      ...snapshot,
    });
    // Code that restores the bridge finds these: functions of this class, and the memory of later interpreters.
    for (const name of ['createPyodideModule', 'fsInit', '_loadSnapshot']) delete python._api.config[name];
    // All interpreters have this one object.
    Object.freeze(python._api.runtimeEnv);
    return python;
  }

  /** @throws when the interpreter broke */
  run(python: Pyodide, { cells, seed, isTraced = false }: PythonRequest): PythonReport {
    // Code that restores the bridge may have left any value here.
    Error.stackTraceLimit = STACK_FRAMES;
    python.setStdout({ write: (bytes) => this.take('stdout', bytes) });
    python.setStderr({ write: (bytes) => this.take('stderr', bytes) });
    python.runPython(`start(${seed})`);
    const outcomes = cells.map(({ code, input = '' }, i) => {
      this.output = newOutput();
      const isLast = i === cells.length - 1;
      const cell = JSON.stringify({ code, input, isLast, isTraced: isLast && isTraced });
      // A JSON string is a valid Python string.
      const outcome = readOutcome(String(python.runPython(`run(${JSON.stringify(cell)})`)), linesOf(code));
      return this.withHint(outcome);
    });
    const last = outcomes.pop();
    if (last === undefined) throw new Error('there is nothing to run');
    const earlierErrors = outcomes.flatMap(({ error }) => error ?? []);
    const { stdout, stderr, bytes } = this.output;
    return {
      kind: 'done',
      ...last,
      ...(earlierErrors.length === 0 ? {} : { earlierErrors }),
      stdout: textOf(stdout).slice(0, MOST_OUTPUT),
      stderr: textOf(stderr).slice(0, MOST_OUTPUT),
      isCut: bytes > MOST_OUTPUT,
    };
  }

  private withHint(outcome: Outcome): Outcome {
    const { error } = outcome;
    const hint = error && this.hintFor(error);
    return error === undefined || hint === undefined ? outcome : { ...outcome, error: { ...error, hint } };
  }

  private hintFor({ type, message }: NonNullable<Outcome['error']>): string | undefined {
    if (type === 'ImportError') return this.linkProblem;
    const module = type === 'ModuleNotFoundError' && /^No module named '([^'.]+)/.exec(message)?.[1];
    return module ? this.packages.hintFor(module) : undefined;
  }

  /** @param written is anything, because code that restores the bridge can call this */
  private take(stream: 'stdout' | 'stderr', written: unknown): number {
    const length = lengthOf(written);
    const left = MOST_OUTPUT - this.output.bytes;
    this.output.bytes += length;
    // The bytes are copied, because the memory is used again.
    if (left > 0 && length > 0) this.output[stream].push(copied(written, Math.min(left, length)));
    return length;
  }
}

/** Bytes of the memory in a snapshot. The second number of its head is where it begins. */
function memoryBytes(snapshot: Uint8Array): number {
  return snapshot.length - (new Uint32Array(snapshot.buffer, snapshot.byteOffset, 2)[1] ?? 0);
}

/**
 * Sets the bytes of a new memory, but for pages that are zero and stay so: half of a snapshot. The system provides a
 * page of memory when it is first used, which takes longer than filling it.
 *
 * @param used pages of every new memory that are not zero
 */
function setPages(memory: Uint8Array, bytes: Uint8Array, used: ReadonlySet<number>): void {
  const from = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const to = new Int32Array(memory.buffer, 0, from.length);
  for (let page = 0; page * PAGE < from.length; page++) {
    if (used.has(page) || isUsed(from, page))
      to.set(from.subarray(page * PAGE, (page + 1) * PAGE), page * PAGE);
  }
}

/** The next bytes that are set are those of a snapshot, with `setPages`. */
function replaceNextSet(memory: Uint8Array, used: ReadonlySet<number>): void {
  const value = (bytes: Uint8Array): void => {
    Reflect.deleteProperty(memory, 'set');
    setPages(memory, bytes, used);
  };
  Object.defineProperty(memory, 'set', { value, configurable: true });
}

/** Numbers of the pages of a memory that are not zero. */
function usedPages(memory: Uint8Array): ReadonlySet<number> {
  const numbers = new Int32Array(memory.buffer);
  const used = new Set<number>();
  for (let page = 0; page * PAGE < numbers.length; page++) if (isUsed(numbers, page)) used.add(page);
  return used;
}

function isUsed(numbers: Int32Array, page: number): boolean {
  const end = Math.min((page + 1) * PAGE, numbers.length);
  for (let i = page * PAGE; i < end; i++) if (numbers[i] !== 0) return true;
  return false;
}

/** What `import_unpacked` of the harness returns. */
interface ImportedPackages {
  readonly compiled: Readonly<Record<string, string>>;
  readonly problem: string | null;
}

interface PackageFile {
  readonly path: string;
  /** A library has its stand-in here. */
  readonly bytes: Uint8Array;
  readonly library?: Library;
}

/** @returns the path at which an interpreter has the wheel of a package */
const archiveOf = (name: string): string => `/lib/${name}.whl`;

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

type Outcome = Pick<PythonReport, 'error' | 'lastValue' | 'variables' | 'milliseconds' | 'trace'>;

/** UTF-16 units of the texts of a report. The harness keeps to them unless the code has replaced it. */
const MOST_CHARS = 400;
const MOST_MESSAGE = 10_000;
const MOST_TRACEBACK = 20_000;
const MOST_VALUE = 1_000_000;
const MOST_VARIABLES = 100;
const MOST_STEPS = 2_000;
const MOST_JSON = 20_000_000;
/** The longest limit that a request may set. */
const MOST_MILLISECONDS = 600_000;

/** Python names the line after the last one if the code ends too early. */
const linesOf = (code: string): number => code.split(/\r\n?|\n/).length + 1;

/**
 * The code that ran may have replaced anything of the harness, so its report has any shape.
 *
 * @param lines of the code; others are left out
 * @throws Error
 */
function readOutcome(json: string, lines: number): Outcome {
  if (json.length > MOST_JSON) throw new Error(BROKEN_REPORT);
  const { error, lastValue, variables, milliseconds, trace } = fieldsOf(JSON.parse(json));
  if (typeof milliseconds !== 'number') throw new Error(BROKEN_REPORT);
  if (!(milliseconds >= 0 && milliseconds <= MOST_MILLISECONDS)) throw new Error(BROKEN_REPORT);
  return {
    milliseconds,
    variables: listOf(variables, MOST_VARIABLES, readVariable),
    ...(lastValue !== undefined && { lastValue: text(lastValue, MOST_VALUE) }),
    ...(error !== undefined && { error: readError(fieldsOf(error), lines) }),
    ...(trace !== undefined && { trace: readTrace(fieldsOf(trace), lines) }),
  };
}

function readVariable(variable: unknown): PythonVariable {
  const { name, type, value, size } = fieldsOf(variable);
  return {
    name: text(name),
    type: text(type),
    value: text(value),
    ...(size !== undefined && { size: text(size) }),
  };
}

function readTrace({ steps, isCut }: Record<string, unknown>, lines: number): PythonTrace {
  const read = listOf(steps, MOST_STEPS, readStep);
  return {
    isCut: isCut === true || (steps as readonly unknown[]).length > MOST_STEPS,
    steps: read.filter(({ line }) => line > 0 && line <= lines),
  };
}

function readStep(step: unknown): PythonStep {
  const { event, line, frame, function: name, changed, gone, value } = fieldsOf(step);
  if (event !== 'line' && event !== 'return' && event !== 'exception') throw new Error(BROKEN_REPORT);
  return {
    event,
    line: count(line),
    frame: count(frame),
    changed: listOf(changed, MOST_VARIABLES, readVariable),
    gone: listOf(gone, MOST_VARIABLES, (one) => text(one)),
    ...(name !== undefined && { function: text(name) }),
    ...(value !== undefined && { value: text(value) }),
  };
}

function listOf<T>(value: unknown, most: number, read: (each: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw new Error(BROKEN_REPORT);
  return value.slice(0, most).map(read);
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error(BROKEN_REPORT);
  return value;
}

const BROKEN_REPORT = 'the code changed the program that reports on it';

function readError(
  { type, message, traceback, line }: Record<string, unknown>,
  lines: number,
): NonNullable<Outcome['error']> {
  return {
    type: text(type),
    message: text(message, MOST_MESSAGE),
    traceback: text(traceback, MOST_TRACEBACK),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && line > 0 && line <= lines && { line }),
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(BROKEN_REPORT);
  return value as Record<string, unknown>;
}

function text(value: unknown, most = MOST_CHARS): string {
  if (typeof value !== 'string') throw new Error(BROKEN_REPORT);
  return value.slice(0, most);
}

interface Output {
  readonly stdout: Uint8Array[];
  readonly stderr: Uint8Array[];
  bytes: number;
}

/** Anything may have properties with these names, so they are read by the getters of all typed arrays. */
function getterOf(name: PropertyKey): (array: unknown) => unknown {
  const { get } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name) ?? {};
  return (array) => get?.call(array);
}

const kindOf = getterOf(Symbol.toStringTag);
const byteLengthOf = getterOf('byteLength');
const byteOffsetOf = getterOf('byteOffset');
const bufferOf = getterOf('buffer');

/** @throws TypeError for what is no typed array, whatever it says of itself */
function lengthOf(bytes: unknown): number {
  if (kindOf(bytes) === undefined) throw new TypeError('output is bytes');
  return byteLengthOf(bytes) as number;
}

/** `slice` would ask the array which class to make. */
function copied(bytes: unknown, length: number): Uint8Array {
  return new Uint8Array(
    new Uint8Array(bufferOf(bytes) as ArrayBuffer, byteOffsetOf(bytes) as number, length),
  );
}

const newOutput = (): Output => ({ stdout: [], stderr: [], bytes: 0 });

const Decoder = TextDecoder;

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new Decoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
}

const refuse = (): never => {
  throw new Error('not available here');
};

/** An error of Node is an object of Node, too. */
function withoutErrorOfNode<T>(work: () => T): T {
  try {
    return work();
  } catch {
    throw new TypeError('cannot be decoded');
  }
}

/** A constructor that constructs nothing, for `instanceof`. */
function withPrototype(prototype: object): object {
  const compiler = (): never => refuse();
  return Object.defineProperty(compiler, 'prototype', { value: prototype, writable: false });
}

/**
 * @param wasm bytes of the interpreter
 * @param library the standard library of Python
 */
function removeGlobals(wasm: Uint8Array, library: ArrayBuffer, linker: Linker): void {
  const realm = globalThis as unknown as Record<PropertyKey, unknown>;
  const { crypto, performance, TextDecoder, TextEncoder, btoa } = globalThis;
  const random64 = (count: number): string =>
    btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(count))));
  const encoder = new TextEncoder();
  const standIns = new WeakSet<object>();
  /**
   * Code that restores the bridge gets these bytes, too, and can change and detach them. So each interpreter has a copy
   * of the library, and nothing of the compiled interpreter.
   */
  const served: Readonly<Record<string, () => ArrayBuffer>> = {
    [LIBRARY]: () => library.slice(),
    [WASM]: () => {
      const standIn = new ArrayBuffer();
      standIns.add(standIn);
      return standIn;
    },
  };
  for (const name of Reflect.ownKeys(realm)) if (!LANGUAGE.has(name)) delete realm[name];
  Object.assign(realm, {
    // These are wrapped, because the objects of Node lead to its internals.
    console: { log: () => undefined, warn: () => undefined, error: () => undefined },
    performance: { now: () => performance.now() },
    TextDecoder: class {
      readonly #decoder: InstanceType<typeof TextDecoder>;
      constructor(label?: string, { fatal = false, ignoreBOM = false } = {}) {
        this.#decoder = withoutErrorOfNode(() => new TextDecoder(label, { fatal, ignoreBOM }));
      }
      decode(bytes?: Uint8Array): string {
        return withoutErrorOfNode(() => this.#decoder.decode(bytes));
      }
    },
    TextEncoder: class {
      encode(text: string): Uint8Array {
        return new Uint8Array(encoder.encode(text));
      }
      encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number } {
        return { ...encoder.encodeInto(text, bytes) };
      }
    },
    // Code blocks the thread until its answer, so a timer of it could only run in the time of a later request.
    setTimeout: () => 0,
    clearTimeout: () => undefined,
    crypto: { getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes) },
    eval: refuse,
    load: refuse,
    read: refuse,
    readbuffer: (path: string) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return Object.hasOwn(served, name) ? served[name]?.() : refuse();
    },
    // `head -c16 /dev/urandom | base64`, in the only form that Emscripten asks for.
    os: {
      system: (_shell: string, [, command = '']: string[]) =>
        random64(Number(/-c(\d+)/.exec(command)?.[1] ?? refuse())),
    },
  });
  // The constructors of functions compile text. Without them there is no JavaScript but Pyodide's.
  for (const one of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    const prototype: object = Object.getPrototypeOf(one);
    const compiler = withPrototype(prototype);
    Object.defineProperty(prototype, 'constructor', {
      value: compiler,
      writable: false,
      configurable: false,
    });
    if (prototype === Function.prototype) realm['Function'] = compiler;
  }
  limitWasm((realm as unknown as WasmRealm).WebAssembly, wasm, standIns, linker);
  freezeLanguage(realm);
}

/**
 * Code that restores the bridge could replace a function of the language that the next request runs, or this file. So
 * every object is frozen that leads from a global, and from what iterates and generates, which has no name.
 *
 * Pyodide and Node assign to objects, functions and errors what these inherit, such as a message, and cannot if that is
 * frozen. Accessors take its place, which an assignment replaces in the object alone.
 */
function freezeLanguage(realm: Record<PropertyKey, unknown>): void {
  const errors = [...LANGUAGE].filter((name) => String(name).endsWith('Error'));
  for (const value of [realm['Object'], realm['Function'], ...errors.map((name) => realm[name])])
    makeOverridable((value as { readonly prototype: object }).prototype);
  for (const value of [
    realm['clearTimeout'],
    ...Object.values(Object.getOwnPropertyDescriptors(Math)).map((one) => one.value),
  ])
    if (typeof value === 'function') keepSignature(value);
  const { from } = realm['Iterator'] as { from(iterator: object): { map(each: unknown): unknown } };
  const wrapped = from.call(realm['Iterator'], { next: () => ({ done: true }) });
  const unnamed = [
    ...[[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)],
    ...[async () => {}, function* () {}, async function* () {}],
    ...[wrapped, wrapped.map(String)],
  ];
  const left: unknown[] = [...unnamed, ...Reflect.ownKeys(realm).map((name) => realm[name])];
  const seen = new Set<unknown>([realm]);
  while (left.length > 0) {
    const value = left.pop();
    if (Object(value) !== value || seen.has(value)) continue;
    seen.add(value);
    const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(value);
    for (const name of Reflect.ownKeys(properties)) {
      const property = properties[name as string];
      left.push(property?.value, property?.get, property?.set);
    }
    left.push(Object.getPrototypeOf(value));
    if (value === Error) freezeAllBut(value, 'stackTraceLimit');
    else Object.freeze(value);
  }
}

/** Pyodide sets how many frames an error has. Code could make an accessor of what can be configured. */
function freezeAllBut(value: object, writable: PropertyKey): void {
  for (const name of Reflect.ownKeys(value))
    Object.defineProperty(value, name, { writable: name === writable, configurable: false });
  Object.preventExtensions(value);
}

/** Emscripten writes their types to the functions that it calls, each time it starts. The first one is kept. */
function keepSignature(value: object): void {
  let signature: unknown;
  Object.defineProperty(value, 'sig', {
    get: () => signature,
    set: (written: unknown) => {
      signature ??= written;
    },
  });
}

function makeOverridable(prototype: object): void {
  const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(prototype);
  for (const name of Reflect.ownKeys(properties)) {
    const { value, configurable = false } = properties[name as string] ?? {};
    if (!configurable || value === undefined) continue;
    // No longer a property that leads to it.
    if (value !== Error) Object.freeze(value);
    Object.defineProperty(prototype, name, {
      get: () => value,
      set(this: object, own: unknown) {
        if (this === prototype) refuse();
        Object.defineProperty(this, name, {
          value: own,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
    });
  }
}

function limitWasm(
  wasm: WasmRealm['WebAssembly'],
  interpreter: Uint8Array,
  standIns: WeakSet<object>,
  linker: Linker,
): void {
  const { prototype } = wasm.Memory;
  const { grow } = prototype;
  // A refused growth is a MemoryError in Python.
  prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * WASM_PAGE > MOST_MEMORY) throw new RangeError('out of memory');
    return grow.call(this, pages);
  };
  // The interpreter is compiled once, for all its instances.
  const { instantiate, compile, Module } = wasm;
  let compiled: object | undefined;
  wasm.instantiate = (source, imports) => {
    if (!standIns.has(source.buffer)) return instantiate.call(wasm, helperOf(bytesOf(source)), imports);
    compiled ??= Object.freeze(new Module(interpreter));
    return Promise.resolve({ module: compiled, instance: new wasm.Instance(compiled, imports) });
  };
  wasm.compile = (source) => compile.call(wasm, helperOf(bytesOf(source)));
  // A proxy keeps `instanceof` and the static functions.
  wasm.Module = new Proxy(Module, {
    construct: (target, [source]: [Uint8Array]) => {
      const bytes = bytesOf(source);
      return linker.libraryOf(bytes)?.compiled(target) ?? new target(helperOf(bytes));
    },
  });
  Object.defineProperty(Module.prototype, 'constructor', { value: wasm.Module });
}

/** The bytes are copied, because what is judged is what is compiled. Emscripten passes signed bytes, too. */
const bytesOf = (source: Uint8Array): Uint8Array => new Uint8Array(source);

/**
 * Code could write a library into a file and link it with the interpreter (`dlopen`). A library may import every
 * function of Emscripten and hold JavaScript objects.
 */
function helperOf(bytes: Uint8Array): Uint8Array {
  return isLibrary(bytes) ? refuse() : bytes;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(this: WasmMemory, pages: number): number;
}
/** The types of Node have no WebAssembly. */
interface WasmRealm {
  readonly WebAssembly: {
    readonly Memory: { readonly prototype: WasmMemory };
    Module: new (source: Uint8Array) => object;
    compile(source: Uint8Array): Promise<object>;
    readonly Instance: new (module: object, imports: object) => object;
    instantiate(
      source: Uint8Array,
      imports: object,
    ): Promise<{ readonly module: object; readonly instance: object }>;
  };
}
