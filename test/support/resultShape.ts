/**
 * Checks values against the result types of the contract. The TypeScript compiler reads the types as schemas.
 * So nothing is written twice, and the application carries no checks of its own results.
 */
import { basename, join } from 'node:path';
import { getLibFiles, libFolderInMemoryPath, ts } from '@ts-morph/common';

const ROOT = join(import.meta.dirname, '..', '..');
const ENTRY = join(ROOT, 'test', 'support', 'resultShape.virtual.ts');
const SOURCE = `
import type { Method, ResultOf } from '../../shared/api/contract.ts';
export type Results = { [M in Method]: ResultOf<M> };
`;
const TYPED_ARRAYS = /^(?:Float32|Float64|Int8|Int16|Int32|Uint8|Uint16|Uint32)Array$/;

/** @returns the first mismatch with its path; undefined if the value fits */
export type ShapeCheck = (value: unknown) => string | undefined;

/** Keyed by method of the contract. Compiling takes some seconds. */
export function resultShapes(): ReadonlyMap<string, ShapeCheck> {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
  };
  const libraries = new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
  const virtual = (path: string): string | undefined =>
    path === ENTRY
      ? SOURCE
      : path.startsWith(libFolderInMemoryPath)
        ? libraries.get(basename(path))
        : undefined;
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.getDefaultLibLocation = () => libFolderInMemoryPath;
  host.fileExists = (path) => virtual(path) !== undefined || fileExists(path);
  host.readFile = (path) => virtual(path) ?? readFile(path);
  host.getSourceFile = (path, language) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([ENTRY], options, host);
  const checker = program.getTypeChecker();
  const entry = program.getSourceFile(ENTRY);
  const symbol = entry && checker.getSymbolAtLocation(entry);
  const results = symbol?.exports?.get(ts.escapeLeadingUnderscores('Results'));
  if (results === undefined) throw new Error('the result types could not be compiled');
  const shapes = new Shapes(checker);
  const properties = checker.getDeclaredTypeOfSymbol(results).getProperties();
  return new Map(
    properties.map((property) => {
      const type = checker.getTypeOfSymbol(property);
      return [property.getName(), (value) => shapes.fault(type, value, property.getName())];
    }),
  );
}

class Shapes {
  private readonly checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.checker = checker;
  }

  fault(type: ts.Type, value: unknown, path: string): string | undefined {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return undefined;
    if (type.isUnion()) return this.faultOfUnion(type, value, path);
    if (type.isLiteral()) return value === type.value ? undefined : this.wrong(type, value, path);
    if (flags & ts.TypeFlags.BooleanLiteral)
      return String(value) === this.checker.typeToString(type) ? undefined : this.wrong(type, value, path);
    if (flags & ts.TypeFlags.StringLike) return this.unless(typeof value === 'string', type, value, path);
    if (flags & ts.TypeFlags.NumberLike) return this.unless(typeof value === 'number', type, value, path);
    if (flags & ts.TypeFlags.BooleanLike) return this.unless(typeof value === 'boolean', type, value, path);
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void))
      return this.unless(value === undefined, type, value, path);
    if (flags & ts.TypeFlags.Null) return this.unless(value === null, type, value, path);
    if (flags & ts.TypeFlags.NonPrimitive)
      return this.unless(typeof value === 'object' && value !== null, type, value, path);
    return this.faultOfObject(type, value, path);
  }

  /** The fault of the best fitting union member, which is the one with the deepest mismatch. */
  private faultOfUnion(type: ts.UnionType, value: unknown, path: string): string | undefined {
    let deepest: string | undefined;
    for (const member of type.types) {
      const fault = this.fault(member, value, path);
      if (fault === undefined) return undefined;
      const isDeeper = deepest === undefined || pathIn(fault).length > pathIn(deepest).length;
      if (isDeeper) deepest = fault;
    }
    return pathIn(deepest ?? '') === path ? this.wrong(type, value, path) : deepest;
  }

  private faultOfObject(type: ts.Type, value: unknown, path: string): string | undefined {
    if (typeof value !== 'object' || value === null) return this.wrong(type, value, path);
    const name = type.getSymbol()?.getName() ?? '';
    if (TYPED_ARRAYS.test(name))
      return this.unless(Object.prototype.toString.call(value) === `[object ${name}]`, type, value, path);
    if (this.checker.isTupleType(type) || this.checker.isArrayType(type))
      return this.faultOfArray(type as ts.TypeReference, value, path);
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return this.wrong(type, value, path);
    const properties = this.checker.getPropertiesOfType(type);
    const names = new Set(properties.map((property) => property.getName()));
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    for (const property of properties) {
      const key = property.getName();
      const each = (value as Record<string, unknown>)[key];
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      if (each === undefined && isOptional) continue;
      const fault = this.fault(this.checker.getTypeOfSymbol(property), each, `${path}.${key}`);
      if (fault !== undefined) return fault;
    }
    for (const [key, each] of Object.entries(value)) {
      if (names.has(key)) continue;
      if (index === undefined) return `${path}.${key}: not in ${this.checker.typeToString(type)}`;
      const fault = this.fault(index.type, each, `${path}.${key}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  private faultOfArray(type: ts.TypeReference, value: object, path: string): string | undefined {
    if (!Array.isArray(value)) return this.wrong(type, value, path);
    const types = this.checker.getTypeArguments(type);
    const isTuple = this.checker.isTupleType(type);
    if (isTuple && value.length !== types.length) return this.wrong(type, value, path);
    for (const [i, each] of value.entries()) {
      const member = isTuple ? types[i] : types[0];
      if (member === undefined) continue;
      const fault = this.fault(member, each, `${path}[${i}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  private unless(fits: boolean, type: ts.Type, value: unknown, path: string): string | undefined {
    return fits ? undefined : this.wrong(type, value, path);
  }

  private wrong(type: ts.Type, value: unknown, path: string): string {
    const found = JSON.stringify(value)?.slice(0, 80) ?? String(value);
    return `${path}: ${found} is no ${this.checker.typeToString(type)}`;
  }
}

function pathIn(fault: string): string {
  return fault.slice(0, fault.indexOf(': '));
}
