/** Wheels with the libraries of `compiled/`, as Pyodide's distribution has them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zip } from '../../fixtures/generate/zip.ts';

export const PLATFORM = 'pyemscripten_2026_0_wasm32';

const SUFFIX = 'cpython-314-wasm32-emscripten.so';

export const library = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`compiled/${name}.so`, import.meta.url)));

/** `tallied` keeps a sum, which starts with 100; `squared` needs a library that its wheel has in another folder. */
export function writeCompiledWheels(directory: string): void {
  const write = (file: string, members: Readonly<Record<string, string | Buffer>>): void =>
    writeFileSync(join(directory, file), zip(members, 'deflated'));
  write(`tallied-1.0-cp314-cp314-${PLATFORM}.whl`, {
    'tallied/__init__.py': 'from .tally import add\nprint("imported")\nloads = 0',
    'tallied/more.py': 'import tallied\ntallied.loads += 1',
    [`tallied/tally.${SUFFIX}`]: library('tally'),
    'tallied/halves.so': library('halves'),
    'tallied/scripted.so': library('scripted'),
    // Not linked until code asks for it.
    'tallied/spare.so': library('libpower'),
    // Keeps the bridge to JavaScript, if it finds one.
    'tallied/keeps.py': 'try:\n    import js\nexcept ImportError:\n    js = None',
    'tallied-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: tallied\nVersion: 1.0\n',
  });
  write(`squared-1.0-2-cp39-abi3-${PLATFORM}.whl`, {
    'squared/__init__.py': 'from .squares import square',
    'squared/squares.abi3.so': withRunPath(library('squares'), '$ORIGIN/../squared.libs'),
    'squared.libs/libpower.so': library('libpower'),
  });
}

/** The linker that builds `compiled/` cannot write where other libraries are found, as that of Emscripten does. */
function withRunPath(module: Buffer, path: string): Buffer {
  const header = 8;
  const [, length = 0] = module.subarray(header);
  const text = Buffer.from(path);
  // Subsection 5 with a list of one text. All lengths are less than 128, one byte.
  const runPath = Buffer.from([5, text.length + 2, 1, text.length, ...text]);
  const end = header + 2 + length;
  return Buffer.concat([
    module.subarray(0, header),
    Buffer.from([0, length + runPath.length]),
    module.subarray(header + 2, end),
    runPath,
    module.subarray(end),
  ]);
}
