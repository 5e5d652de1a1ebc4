/**
 * Compiled libraries of the user's wheels: the only ones that are linked with an interpreter (`dlopen`).
 *
 * An interpreter has a stand-in for a library among its files: the section that Emscripten's linker reads, and the
 * path. The linker compiles the stand-in, and is given the compiled library instead. So what is linked is the user's
 * file whatever code does to its own files, and no interpreter holds a copy of libraries of 10 MB.
 */

const MAGIC = [0, 0x61, 0x73, 0x6d];
/** Bytes before the first section of a module. */
const WASM_HEADER = 8;
const CUSTOM_SECTION = 0;

type Compile = new (bytes: Uint8Array) => object;

export class Library {
  readonly standIn: Uint8Array;
  private bytes: Uint8Array | undefined;
  private module: object | undefined;

  private constructor(standIn: Uint8Array, bytes: Uint8Array) {
    this.standIn = standIn;
    this.bytes = bytes;
  }

  /** @returns undefined if the file is no library */
  static of(path: string, bytes: Uint8Array): Library | undefined {
    if (!MAGIC.every((byte, i) => bytes[i] === byte) || !isLibrary(bytes)) return undefined;
    const head = bytes.subarray(0, endOfSection(bytes));
    // The path tells two libraries apart whose sections are equal.
    const name = new Encoder().encode(path);
    const standIn = new Uint8Array(head.length + name.length);
    standIn.set(head);
    standIn.set(name, head.length);
    return new Library(standIn, bytes);
  }

  /** A library is compiled once for all interpreters, when it is first linked. */
  compiled(Module: Compile): object {
    this.module ??= new Module(this.bytes ?? new Uint8Array());
    this.bytes = undefined;
    return this.module;
  }
}

export class Linker {
  private allowed: readonly Library[] = [];

  /** Sets the libraries that the running request may link. */
  allow(libraries: readonly Library[]): void {
    this.allowed = libraries;
  }

  /** @returns the library that the bytes stand for, undefined if that may not be linked */
  libraryOf(bytes: Uint8Array): Library | undefined {
    return this.allowed.find(
      ({ standIn }) => standIn.length === bytes.length && standIn.every((byte, i) => byte === bytes[i]),
    );
  }
}

/** Emscripten links only what begins with a custom section. No helper of Pyodide does. */
export function isLibrary(bytes: Uint8Array): boolean {
  return bytes[WASM_HEADER] === CUSTOM_SECTION;
}

/** The length of a section is a number in LEB128. */
function endOfSection(bytes: Uint8Array): number {
  let length = 0;
  for (let at = WASM_HEADER + 1, factor = 1; at < bytes.length; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    length += (byte % 128) * factor;
    if (byte < 128) return at + 1 + length;
  }
  return bytes.length;
}

const Encoder = TextEncoder;
