/**
 * A folder of wheels that the user has given. Only wheels of pure Python: they are imported from the archive, so that
 * a snapshot of the memory is all that an interpreter needs to have them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PythonCell } from '../../shared/domain/pythonAnswer.ts';

interface Wheel {
  readonly bytes: Uint8Array;
  readonly imports: readonly string[];
  readonly depends: readonly string[];
}

/** `sympy-1.14.0-py3-none-any.whl`. */
const PURE = /^([^-]+)-[^-]+(?:-\d[^-]*)?-py[\d.py]*-none-any\.whl$/;

/** Pyodide's list of packages: what each is imported as, and what it needs. */
interface LockFile {
  readonly packages?: Readonly<
    Record<string, { readonly imports: readonly string[]; readonly depends: readonly string[] }>
  >;
}

export class Packages {
  private readonly wheels = new Map<string, Wheel>();

  constructor(directory: string | undefined, lockFile: string) {
    if (directory === undefined) return;
    const listed = (JSON.parse(lockFile) as LockFile).packages ?? {};
    for (const file of readdirSync(directory).sort()) {
      const name = normal(PURE.exec(file)?.[1] ?? '');
      if (name === '') continue;
      const { imports = [name.replaceAll('-', '_')], depends = [] } = listed[name] ?? {};
      this.wheels.set(name, {
        bytes: readFileSync(join(directory, file)),
        imports,
        depends: depends.map(normal),
      });
    }
  }

  /** Names of the wheels that the cells import, and of those that these need. Sorted. */
  neededBy(cells: readonly PythonCell[]): readonly string[] {
    if (this.wheels.size === 0) return [];
    const needed = new Set<string>();
    const add = (name: string): void => {
      const wheel = this.wheels.get(name);
      if (wheel === undefined || needed.has(name)) return;
      needed.add(name);
      for (const other of wheel.depends) add(other);
    };
    const imported = new Set(cells.flatMap(({ code }) => importedModules(code)));
    for (const [name, { imports }] of this.wheels) if (imports.some((one) => imported.has(one))) add(name);
    return [...needed].sort();
  }

  filesOf(names: readonly string[]): readonly { readonly path: string; readonly bytes: Uint8Array }[] {
    return names.flatMap((name) => {
      const wheel = this.wheels.get(name);
      return wheel === undefined ? [] : [{ path: `/lib/${name}.whl`, bytes: wheel.bytes }];
    });
  }

  /** Imported before the snapshot, because the first import of a module compiles it. */
  importsOf(names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.wheels.get(name)?.imports ?? []);
  }
}

const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** Top-level names after `import` and `from`. */
function importedModules(code: string): readonly string[] {
  return [...code.matchAll(/^[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^\n#;]+))/gm)].flatMap(
    ([, from, list = '']) =>
      (from === undefined ? list.split(',') : [from]).map((part) => part.trim().split(/[.\s]/)[0] ?? ''),
  );
}
