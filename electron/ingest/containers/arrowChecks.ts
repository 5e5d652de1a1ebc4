/**
 * Checks of Arrow data before it is decoded. The decoder trusts lengths and offsets, so a damaged one would
 * make it allocate any amount of memory.
 */

/** Limits of the nesting and of the number of columns. */
const [DEEPEST, MOST_FIELDS] = [64, 1 << 16];
/** Most entries of a column without bytes, such as a column of nulls. */
const MOST_WITHOUT_BYTES = 1 << 22;
/** The type of a union column, which lists its members. */
const UNION = 14;

/** A flatbuffer table. Fields are addressed by their slot in its vtable. Absent fields are 0. */
export class FlatTable {
  private readonly buffer: Buffer;
  private readonly at: number;
  private readonly vtable: number;

  constructor(buffer: Buffer, reference = 0) {
    this.buffer = buffer;
    this.at = reference + buffer.readInt32LE(reference);
    this.vtable = this.at - buffer.readInt32LE(this.at);
  }

  byte(slot: number): number {
    const field = this.field(slot);
    return field === undefined ? 0 : this.buffer.readUInt8(field);
  }

  long(slot: number): number {
    const field = this.field(slot);
    return field === undefined ? 0 : Number(this.buffer.readBigInt64LE(field));
  }

  table(slot: number): FlatTable {
    const field = this.field(slot);
    if (field === undefined) throw new Error('a table without a required field');
    return new FlatTable(this.buffer, field);
  }

  /** @throws Error when its entries of `stride` bytes do not fit in the buffer */
  count(slot: number, stride: number): number {
    return this.vector(slot, stride).count;
  }

  tables(slot: number): readonly FlatTable[] {
    const { start, count } = this.vector(slot, 4);
    return Array.from({ length: count }, (_, i) => new FlatTable(this.buffer, start + 4 * i));
  }

  longs(slot: number): readonly number[] {
    const { start, count } = this.vector(slot, 8);
    return Array.from({ length: count }, (_, i) => Number(this.buffer.readBigInt64LE(start + 8 * i)));
  }

  private vector(slot: number, stride: number): { readonly start: number; readonly count: number } {
    const field = this.field(slot);
    if (field === undefined) return { start: 0, count: 0 };
    const at = field + this.buffer.readInt32LE(field);
    const count = this.buffer.readInt32LE(at);
    const start = at + 4;
    if (count < 0 || start + count * stride > this.buffer.length)
      throw new Error(`a list of ${count} entries`);
    return { start, count };
  }

  private field(slot: number): number | undefined {
    if (slot >= this.buffer.readUInt16LE(this.vtable)) return undefined;
    const offset = this.buffer.readUInt16LE(this.vtable + slot);
    return offset === 0 ? undefined : this.at + offset;
  }
}

/** @throws Error when a list of the schema claims more than it holds */
export function checkSchema(schema: FlatTable): void {
  let fields = 0;
  const check = (field: FlatTable, depth: number): void => {
    if (depth > DEEPEST || ++fields > MOST_FIELDS) throw new Error('too many columns');
    field.count(16, 4);
    if (field.byte(8) === UNION) field.table(10).count(6, 4);
    for (const child of field.tables(14)) check(child, depth + 1);
  };
  schema.count(8, 4);
  for (const field of schema.tables(6)) check(field, 0);
}

/** @throws Error when a list of the batch claims more than it holds */
export function checkBatchHeader(header: FlatTable): void {
  header.count(6, 16);
  const buffers = header.count(8, 16);
  if (header.longs(12).some((count) => count < 0 || count > buffers)) throw new Error('too many buffers');
}

/** The parts of the decoder's column that are checked. */
interface Column {
  readonly length: number;
  readonly validity?: ArrayLike<unknown>;
  readonly values?: unknown;
  readonly offsets?: ArrayLike<number | bigint>;
  readonly sizes?: ArrayLike<number | bigint>;
  /** Texts of a view column. */
  readonly data?: readonly unknown[];
  readonly typeIds?: unknown;
  readonly children?: readonly Column[];
  readonly type: object;
}

/** @throws Error when a column claims entries that it does not have */
export function checkColumn(column: Column): void {
  const { length, validity, values, offsets, sizes, type } = column;
  const stride = 'stride' in type ? Number(type.stride) : undefined;
  const children = column.children ?? [];
  const bytes = [validity, values, offsets, sizes].reduce<number>((sum, array) => sum + bytesOf(array), 0);
  const most = Math.max(8 * bytes, MOST_WITHOUT_BYTES, ...children.map((child) => child.length));
  if (!(length >= 0 && length <= most)) throw new Error(`a column of ${length} entries`);
  for (const child of children) checkColumn(child);
  if (offsets === undefined || length === 0) {
    if (stride !== undefined && children[0] !== undefined && length * stride > children[0].length)
      throw new Error('lists that are longer than their entries');
    return;
  }
  const inner = children[0]?.length ?? bytesOf(values);
  // A union has several children. Its offsets are positions in them and do not imply lengths.
  if (children.length > 1) return;
  let total = 0;
  for (let i = 0; i < length; i++) {
    const start = Number(offsets[i] ?? 0);
    const size = sizes === undefined ? Number(offsets[i + 1] ?? 0) - start : Number(sizes[i] ?? 0);
    // Views may overlap, so their sum is limited, too.
    total += size;
    if (!(start >= 0 && size >= 0 && start + size <= inner && total <= Math.max(inner, most)))
      throw new Error('lists that are longer than their entries');
  }
}

/** Whether any of the columns is a view of these bytes. */
export function refersTo(columns: readonly Column[], bytes: ArrayBufferLike): boolean {
  const isOf = (value: unknown): boolean => ArrayBuffer.isView(value) && value.buffer === bytes;
  return columns.some(
    ({ validity, values, offsets, sizes, typeIds, data = [], children = [] }) =>
      [validity, values, offsets, sizes, typeIds, ...data].some(isOf) || refersTo(children, bytes),
  );
}

function bytesOf(value: unknown): number {
  return ArrayBuffer.isView(value) ? value.byteLength : 0;
}
