/** The columns of one step at one revision. Each is loaded on demand. */
import type { StepFacts } from '../../shared/api/contract.ts';
import {
  CALL_COLUMNS,
  type ColumnArray,
  type ColumnName,
  DICTIONARIES,
  type DictionaryName,
  type StepColumns,
} from '../storage/columnNames.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type GroupFigures,
  groupFigures,
  readStepBlock,
  readStepColumns,
  type StepBlock,
  storedColumn,
  storedDictionary,
  storedFacts,
} from '../storage/queries/columns.ts';
import { bytesOfTexts, OBJECT_BYTES } from './columnMemory.ts';
import { type ColumnSource, stepFacts } from './series.ts';

/** Bytes of the part of a step in a block in V8, rounded up: two ranges, its dictionaries and a map entry. */
const PART_BYTES = 512;

/** Bytes of a typed array besides its numbers: object, buffer and map entry. They count in runs of many small steps. */
export const ARRAY_BYTES = 320;
/** Bytes of the chart data of a step in V8, rounded up. */
const FACTS_BYTES = 4096;

/** The columns of consecutive small steps, which are read together on demand. */
export class StepTableBlock {
  private readonly db: ReadableLibrary;
  private readonly runId: number;
  private readonly steps: { readonly from: number; readonly to: number };
  private loaded: StepBlock | undefined;
  /** Bytes in memory. */
  weight = 0;

  /** @param steps the first and the last step */
  constructor(db: ReadableLibrary, runId: number, steps: { readonly from: number; readonly to: number }) {
    this.db = db;
    this.runId = runId;
    this.steps = steps;
  }

  covers(from: number, to: number): boolean {
    return this.steps.from === from && this.steps.to === to;
  }

  column<N extends ColumnName>(step: number, name: N): ColumnArray<N> {
    const { arrays, parts } = this.load();
    const part = parts.get(step);
    const { from, to } = (CALLS.has(name) ? part?.calls : part?.rollouts) ?? { from: 0, to: 0 };
    return arrays[name].subarray(from, to) as ColumnArray<N>;
  }

  dictionary(step: number, name: DictionaryName): readonly string[] {
    return this.load().parts.get(step)?.dictionaries[name] ?? [];
  }

  private load(): StepBlock {
    if (this.loaded !== undefined) return this.loaded;
    const block = readStepBlock(this.db, this.runId, this.steps);
    this.weight = block.parts.size * PART_BYTES;
    for (const array of Object.values(block.arrays)) this.weight += ARRAY_BYTES + array.byteLength;
    for (const { dictionaries } of block.parts.values())
      for (const texts of Object.values(dictionaries)) this.weight += bytesOfTexts(texts);
    this.loaded = block;
    return block;
  }
}

const CALLS: ReadonlySet<string> = new Set(Object.keys(CALL_COLUMNS));

export class StepTable {
  readonly runId: number;
  readonly step: number;
  readonly revision: number;
  /** The block that holds the columns of a small step. */
  readonly block: StepTableBlock | undefined;
  private readonly db: ReadableLibrary;
  private readonly arrays = new Map<ColumnName, ColumnArray<ColumnName>>();
  private readonly dictionaries = new Map<DictionaryName, readonly string[]>();
  private dictionaryBytes = 0;
  private kept: StepFacts | undefined;
  private groups: readonly GroupFigures[] | undefined;

  constructor(
    db: ReadableLibrary,
    { runId, step, revision }: { readonly runId: number; readonly step: number; readonly revision: number },
    block?: StepTableBlock,
  ) {
    this.db = db;
    this.block = block;
    this.runId = runId;
    this.step = step;
    this.revision = revision;
  }

  get count(): number {
    return this.column('rolloutId').length;
  }

  /** Bytes in memory, without its block. */
  get weight(): number {
    let bytes = this.dictionaryBytes + (this.kept === undefined ? 0 : FACTS_BYTES);
    for (const array of this.arrays.values()) bytes += ARRAY_BYTES + array.byteLength;
    return bytes + (this.groups?.length ?? 0) * OBJECT_BYTES;
  }

  /** Chart data of the whole step. */
  facts(): StepFacts {
    this.kept ??= storedFacts(this.db, this);
    // Does not cache the columns: charts need the facts of every step, but the columns of none.
    this.kept ??= stepFacts(
      this.block !== undefined || this.arrays.size > 0
        ? this
        : sourceOf(this.step, readStepColumns(this.db, this.runId, this.step)),
    );
    return this.kept;
  }

  /** The groups of the step, in log order. */
  groupFigures(): readonly GroupFigures[] {
    this.groups ??= groupFigures(this.db, this.runId, this.step);
    return this.groups;
  }

  column<N extends ColumnName>(name: N): ColumnArray<N> {
    if (this.block !== undefined) return this.block.column(this.step, name);
    const known = this.arrays.get(name);
    if (known !== undefined) return known as ColumnArray<N>;
    const array = storedColumn(this.db, this, name);
    if (array === undefined) return this.compute().arrays[name];
    this.arrays.set(name, array as ColumnArray<ColumnName>);
    return array;
  }

  dictionary(name: DictionaryName): readonly string[] {
    if (this.block !== undefined) return this.block.dictionary(this.step, name);
    const known = this.dictionaries.get(name);
    if (known !== undefined) return known;
    const texts = storedDictionary(this.db, this, name);
    if (texts === undefined) return this.compute().dictionaries[name];
    this.keepDictionary(name, texts);
    return texts;
  }

  /** Computes all columns from the rows and caches them. */
  private compute(): StepColumns {
    const columns = readStepColumns(this.db, this.runId, this.step);
    for (const [name, array] of Object.entries(columns.arrays)) this.arrays.set(name as ColumnName, array);
    for (const name of DICTIONARIES) this.keepDictionary(name, columns.dictionaries[name]);
    return columns;
  }

  private keepDictionary(name: DictionaryName, texts: readonly string[]): void {
    this.dictionaryBytes += bytesOfTexts(texts) - bytesOfTexts(this.dictionaries.get(name) ?? []);
    this.dictionaries.set(name, texts);
  }
}

/** Columns that were just computed. */
export function sourceOf(step: number, { arrays }: StepColumns): ColumnSource {
  return { step, column: (name) => arrays[name] };
}
