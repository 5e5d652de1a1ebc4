/** `node openBridge.ts`: runs the attempts on a sandbox whose bridge to JavaScript is in place. Prints what they did. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Sandbox } from '../../electron/python/sandbox.ts';
import { library } from './compiledWheels.ts';
import { BRIDGE_ESCAPES } from './escapes.ts';

const { stdout } = process;
const { setTimeout } = globalThis;
const pyodide = dirname(createRequire(import.meta.url).resolve('pyodide'));
const own = new Uint8Array(library('tally'));
const sandbox = await Sandbox.close({ kind: 'start', pyodide });
const python = await sandbox.interpreter();
const outcomes: string[] = [];
for (const code of BRIDGE_ESCAPES) {
  python.setStdout({ batched: (line) => outcomes.push(line) });
  const before = outcomes.length;
  try {
    python.runPython(code);
    if (outcomes.length === before) outcomes.push('printed nothing');
  } catch (error) {
    outcomes.length = before;
    outcomes.push(error instanceof Error ? (error.message.trimEnd().split('\n').at(-1) ?? '') : 'threw');
  }
}
/** The types of Node have no WebAssembly. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { readonly Module: new (source: ArrayBuffer | ArrayBufferView) => object };
};
// A library that the code brings, in each form that can be compiled.
for (const source of [own, own.buffer, new Int8Array(own.buffer), new DataView(own.buffer)])
  try {
    outcomes.push(`ESCAPED ${String(new WebAssembly.Module(source))}`);
  } catch {
    outcomes.push('not compiled');
  }
// Code that is scheduled would run in the time of the next request.
globalThis.setTimeout(() => outcomes.push('ESCAPED by a timer'), 0);
await new Promise((resolve) => setTimeout(resolve, 20));
stdout.write(JSON.stringify(outcomes));
