/** The columns of one step at one revision. Each is loaded on demand. */
import type { StepFacts } from '../../shared/api/contract.ts';
import type { ColumnArray, ColumnName, DictionaryName, StepColumns } from '../storage/columnNames.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type GroupFigures,
  groupFigures,
  readStepColumns,
  storedColumn,
  storedDictionary,
  storedFacts,
} from '../storage/queries/columns.ts';
import { type ColumnSource, stepFacts } from './series.ts';

/** Bytes of an object of nine numbers in V8, rounded up. */
const GROUP_BYTES = 160;

export class StepTable {
  readonly runId: number;
  readonly step: number;
  readonly revision: number;
  private readonly db: ReadableLibrary;
  private readonly arrays = new Map<ColumnName, ColumnArray<ColumnName>>();
  private readonly dictionaries = new Map<DictionaryName, readonly string[]>();
  /** All columns at once, computed from the rows. */
  private read: StepColumns | undefined;
  private kept: StepFacts | undefined;
  private groups: readonly GroupFigures[] | undefined;

  constructor(
    db: ReadableLibrary,
    { runId, step, revision }: { readonly runId: number; readonly step: number; readonly revision: number },
  ) {
    this.db = db;
    this.runId = runId;
    this.step = step;
    this.revision = revision;
  }

  get count(): number {
    return this.column('rolloutId').length;
  }

  /** Bytes in memory. */
  get weight(): number {
    let bytes = 0;
    for (const array of this.arrays.values()) bytes += array.byteLength;
    return bytes + (this.groups?.length ?? 0) * GROUP_BYTES;
  }

  /** Chart data of the whole step. */
  facts(): StepFacts {
    this.kept ??= storedFacts(this.db, this);
    this.kept ??= stepFacts(this);
    return this.kept;
  }

  /** The groups of the step, in log order. */
  groupFigures(): readonly GroupFigures[] {
    this.groups ??= groupFigures(this.db, this.runId, this.step);
    return this.groups;
  }

  column<N extends ColumnName>(name: N): ColumnArray<N> {
    const known = this.arrays.get(name);
    if (known !== undefined) return known as ColumnArray<N>;
    const array =
      (this.read === undefined ? storedColumn(this.db, this, name) : undefined) ?? this.rows().arrays[name];
    this.arrays.set(name, array as ColumnArray<ColumnName>);
    return array as ColumnArray<N>;
  }

  dictionary(name: DictionaryName): readonly string[] {
    const known = this.dictionaries.get(name);
    if (known !== undefined) return known;
    const texts =
      (this.read === undefined ? storedDictionary(this.db, this, name) : undefined) ??
      this.rows().dictionaries[name];
    this.dictionaries.set(name, texts);
    return texts;
  }

  private rows(): StepColumns {
    this.read ??= readStepColumns(this.db, this.runId, this.step);
    return this.read;
  }
}

/** Columns that were just computed. */
export function sourceOf(step: number, { arrays }: StepColumns): ColumnSource {
  return { step, column: (name) => arrays[name] };
}
