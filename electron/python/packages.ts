/**
 * A folder of wheels that the user has given: which of them code needs, and what is in them.
 *
 * Wheels of pure Python are imported from the archive, so that a snapshot of the memory is all that an interpreter
 * needs to have them. Compiled wheels, and those that need them, are unpacked, because libraries are linked from files.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PythonCell } from '../../shared/domain/pythonAnswer.ts';

/** Pyodide's list of packages: what each is imported as, and what it needs. */
interface LockFile {
  /** `python: '3.14.2', abi_version: '2026_0', arch: 'wasm32'`. */
  readonly info: { readonly python: string; readonly abi_version: string; readonly arch: string };
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly file_name: string;
  readonly package_type: string;
  readonly imports: readonly string[];
  readonly depends: readonly string[];
}

interface Wheel {
  readonly path: string;
  readonly isPure: boolean;
  /** The package is unpacked into this directory of an interpreter, where it looks for modules or libraries. */
  readonly directory: string;
  readonly imports: readonly string[];
  readonly depends: readonly string[];
  bytes?: Uint8Array;
}

/** The packages and modules that a request needs from the folder. */
interface Needed {
  /** Packages that a snapshot has imported. Sorted. */
  readonly snapshot: readonly string[];
  /** Packages that are unpacked and imported for each request. Sorted. */
  readonly unpacked: readonly string[];
  /** Modules of the unpacked packages that the code imports. Some may be names of other things in a module. */
  readonly modules: readonly string[];
}

/** `numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl`: name, version, build, Python, ABI, platform. */
const WHEEL = /^([^-]+)-[^-]+(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl$/;
/** Emscripten looks here for libraries that another library needs. */
const SHARED_LIBRARIES = '/usr/lib';

export class Packages {
  private readonly wheels = new Map<string, Wheel>();
  /** Why a package in the folder cannot be used, by its name. */
  private readonly unusable = new Map<string, string>();
  private readonly lock: LockFile;

  constructor(directory: string | undefined, lockFile: string) {
    this.lock = JSON.parse(lockFile) as LockFile;
    if (directory === undefined) return;
    for (const file of readdirSync(directory).sort()) this.add(directory, file);
    for (const name of this.wheels.keys()) this.unusable.delete(name);
  }

  private add(directory: string, file: string): void {
    const { info, packages } = this.lock;
    const [, named, python = '', abi = '', platform = ''] = WHEEL.exec(file) ?? [];
    const library = Object.entries(packages).find(
      ([, { file_name, package_type }]) => file_name === file && package_type === 'shared_library',
    )?.[0];
    const name = normal(named ?? library ?? '');
    if (name === '') return;
    const isPure = platform === 'any';
    const problem =
      whyUnreadable(directory, file) ??
      (isPure || library !== undefined ? undefined : whyUnusable(python, abi, platform, info));
    if (problem !== undefined) {
      this.unusable.set(name, `${file} ${problem}`);
      return;
    }
    const { imports = [name.replaceAll('-', '_')], depends = [] } = packages[name] ?? {};
    this.wheels.set(name, {
      path: join(directory, file),
      isPure,
      directory:
        library === undefined ? `/lib/python${minorOf(info.python)}/site-packages` : SHARED_LIBRARIES,
      imports,
      depends: depends.map(normal),
    });
  }

  /** @returns what the cells import, and what that needs */
  neededBy(cells: readonly PythonCell[]): Needed {
    if (this.wheels.size === 0) return { snapshot: [], unpacked: [], modules: [] };
    const needed = new Set<string>();
    const add = (name: string): void => {
      const wheel = this.wheels.get(name);
      if (wheel === undefined || needed.has(name)) return;
      needed.add(name);
      for (const other of wheel.depends) add(other);
    };
    const modules = cells.flatMap(({ code }) => importedModules(code));
    const imported = new Set(modules.map(topLevel));
    for (const [name, { imports }] of this.wheels) if (imports.some((one) => imported.has(one))) add(name);
    const names = [...needed].sort();
    const unpacked = new Set(names.filter((name) => this.wheels.get(name)?.isPure === false));
    for (let before = -1; before !== unpacked.size; ) {
      before = unpacked.size;
      for (const name of names)
        if (this.wheels.get(name)?.depends.some((one) => unpacked.has(one))) unpacked.add(name);
    }
    const tops = new Set([...unpacked].flatMap((name) => this.wheels.get(name)?.imports ?? []));
    return {
      snapshot: names.filter((name) => !unpacked.has(name)),
      unpacked: names.filter((name) => unpacked.has(name)),
      modules: [...new Set(modules.filter((module) => tops.has(topLevel(module))))],
    };
  }

  /** @returns the directory of an interpreter that a package is unpacked into */
  directoryOf(name: string): string {
    return this.wheels.get(name)?.directory ?? '';
  }

  /**
   * A wheel is read when it is first needed, because Pyodide's distribution has 500 MB.
   *
   * @throws Error of Node when the file cannot be read
   */
  bytesOf(name: string): Uint8Array {
    const wheel = this.wheels.get(name);
    if (wheel === undefined) return new Uint8Array();
    // The bytes are copied, because no Buffer may get into the realm, and because its slices would share its memory.
    const bytes = wheel.bytes ?? new Uint8Array(readFileSync(wheel.path));
    // A compiled wheel is read once, to be unpacked.
    if (wheel.isPure) wheel.bytes = bytes;
    return bytes;
  }

  /** These are imported before the snapshot, because the first import of a module compiles it. */
  importsOf(names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.wheels.get(name)?.imports ?? []);
  }

  /** Removes a package whose wheel is damaged. */
  remove(name: string, problem: string): void {
    this.unusable.set(name, `${this.wheels.get(name)?.path.split(/[/\\]/).at(-1)} ${problem}`);
    this.wheels.delete(name);
  }

  /** @returns which wheel has a missing module, or why the wheel that is there is not used */
  hintFor(module: string): string | undefined {
    const [name = module, { file_name: file = undefined } = {}] =
      Object.entries(this.lock.packages).find(([, { imports }]) => imports.includes(module)) ?? [];
    if (this.wheels.has(normal(name))) return undefined;
    return this.unusable.get(normal(name)) ?? (file && `Pyodide's distribution has it in ${file}`);
  }
}

/** A link could lead to any file that the process may read, and reading a pipe never ends. */
function whyUnreadable(directory: string, file: string): string | undefined {
  try {
    const path = realpathSync.native(join(directory, file));
    if (dirname(path) !== realpathSync.native(directory))
      return 'is a link that leads out of the folder of wheels';
    return statSync(path).isFile() ? undefined : 'is not a regular file';
  } catch {
    return 'is a link that leads out of the folder of wheels, or to nothing';
  }
}

function whyUnusable(
  python: string,
  abi: string,
  platform: string,
  info: LockFile['info'],
): string | undefined {
  const own = `cp${minorOf(info.python).replace('.', '')}`;
  const wanted = `pyemscripten_${info.abi_version}_${info.arch}`;
  if (!platform.endsWith(info.arch)) return `is for ${platform}, and must be for ${wanted}`;
  if (![own, 'abi3', 'none'].includes(abi)) {
    const version = /^cp3(\d+)$/.exec(python)?.[1];
    return `is for ${version ? `Python 3.${version}` : abi}, and Pyodide has Python ${minorOf(info.python)}`;
  }
  return platform.split('.').includes(wanted) ? undefined : `is for ${platform}, and must be for ${wanted}`;
}

/** `3.14.2` gives `3.14`. */
const minorOf = (version: string): string => version.split('.', 2).join('.');

const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

const topLevel = (module: string): string => module.split('.', 1)[0] ?? '';

/** Finds the names after `import` and `from`. `from a import b` gives `a` and `a.b`, which may be a module or not. */
function importedModules(code: string): readonly string[] {
  const found = /^[ \t]*(?:from[ \t]+([\w.]+)(?:[ \t]+import[ \t]+([\w \t,]*))?|import[ \t]+([^\n#;]+))/gm;
  return [...code.matchAll(found)].flatMap(([, from, names = '', list = '']) =>
    from === undefined
      ? list.split(',').map(firstWord)
      : [
          from,
          ...names
            .split(',')
            .map(firstWord)
            .filter(Boolean)
            .map((name) => `${from}.${name}`),
        ],
  );
}

const firstWord = (text: string): string => text.trim().split(/\s/, 1)[0] ?? '';
