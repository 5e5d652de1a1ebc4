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

  has(slot: number): boolean {
    return this.field(slot) !== undefined;
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

export interface Schema {
  readonly columns: number;
  /** Ids of dictionaries. */
  readonly dictionaries: ReadonlySet<number>;
}

/**
 * @throws Error when a list of the schema claims more than it holds
 */
export function checkSchema(schema: FlatTable): Schema {
  const dictionaries = new Set<number>();
  let fields = 0;
  const check = (field: FlatTable, depth: number): void => {
    if (depth > DEEPEST || ++fields > MOST_FIELDS) throw new Error('too many columns');
    field.count(16, 4);
    if (field.byte(8) === UNION) field.table(10).count(6, 4);
    if (field.has(12)) dictionaries.add(field.table(12).long(4));
    for (const child of field.tables(14)) check(child, depth + 1);
  };
  schema.count(8, 4);
  const columns = schema.tables(6);
  for (const field of columns) check(field, 0);
  return { columns: columns.length, dictionaries };
}

/**
 * @param columns that the batch has at least
 * @throws Error when a list of the batch claims more than it holds
 */
export function checkBatchHeader(header: FlatTable, columns: number): void {
  const stored = header.count(6, 16);
  if (stored < columns) throw new Error(`a batch of ${stored} columns, and the schema has ${columns}`);
  const buffers = header.count(8, 16);
  if (header.longs(12).some((count) => count < 0 || count > buffers)) throw new Error('too many buffers');
}

/** The parts of the decoder's column that are checked. */
export interface Column {
  readonly length: number;
  readonly nullCount: number;
  readonly validity?: Uint8Array;
  readonly values?: ArrayLike<number | bigint> & ArrayBufferView;
  readonly offsets?: ArrayLike<number | bigint> | null;
  readonly sizes?: ArrayLike<number | bigint>;
  /** Texts of a view column. */
  readonly data?: readonly unknown[];
  readonly typeIds?: ArrayLike<number>;
  readonly children?: readonly Column[];
  /** Values that the column refers to. */
  readonly dictionary?: { readonly length: number };
  readonly type: { readonly typeId: number; readonly stride?: number; readonly bitWidth?: number };
}

const UNFITTING = 'lists that are longer than their entries';

/**
 * @param repeated how often lists above it share its entries
 * @throws Error when a column claims entries that it does not have
 */
export function checkColumn(column: Column, repeated = 1): void {
  const { length, nullCount, validity, values, sizes, typeIds, type } = column;
  const offsets = column.offsets ?? undefined;
  const children = column.children ?? [];
  const bytes = [validity, values, offsets, sizes].reduce<number>((sum, array) => sum + bytesOf(array), 0);
  const most = Math.max(8 * bytes, MOST_WITHOUT_BYTES, ...children.map((child) => child.length));
  if (!(length >= 0 && length <= most && repeated * length <= Math.max(most, MOST_WITHOUT_BYTES)))
    throw new Error(`a column of ${length} entries`);
  if (nullCount !== 0 && validity !== undefined && 8 * validity.byteLength < length)
    throw new Error(
      `a column of ${length} entries that says of ${8 * validity.byteLength} whether they are there`,
    );
  const stored = Math.min(
    values === undefined || offsets !== undefined ? length : entriesIn(values, type),
    offsets === undefined || length === 0 ? length : offsets.length - (isSumOf(column) ? 1 : 0),
    sizes === undefined ? length : sizes.length,
    typeIds === undefined ? length : typeIds.length,
  );
  if (stored < length) throw new Error(`a column of ${length} entries that stores ${stored}`);
  if (values !== undefined && column.dictionary !== undefined)
    checkIndexes(column, values, column.dictionary.length);
  const again = repeated * (offsets === undefined || length === 0 ? 1 : checkLists(column, offsets, most));
  if (offsets === undefined)
    for (const child of children)
      if (child.length < length * (type.stride ?? (hasChildrenOfItsLength(type.typeId) ? 1 : 0)))
        throw new Error(UNFITTING);
  for (const child of children) checkColumn(child, again);
}

/** Whether offsets are beginnings and ends, and not positions of single entries. */
function isSumOf({ sizes, typeIds }: Column): boolean {
  return sizes === undefined && typeIds === undefined;
}

/** Ids of column types (apache/arrow:format/Schema.fbs, `Type`). The decoder has another one for dictionaries. */
const [BOOL, DECIMAL, INTERVAL, STRUCT, FIXED_BINARY, BINARY_VIEW, UTF8_VIEW] = [6, 7, 11, 13, 15, 23, 24];
const VIEW_BYTES = 16;
/** Bytes of an interval: months, days and milliseconds, or months, days and nanoseconds. */
const INTERVAL_BYTES = [4, 8, 16];

const hasChildrenOfItsLength = (typeId: number): boolean => typeId === STRUCT || typeId === UNION;

function entriesIn(values: ArrayBufferView & ArrayLike<unknown>, type: Column['type']): number {
  const { byteLength } = values;
  switch (type.typeId) {
    case BOOL:
      return 8 * byteLength;
    case DECIMAL:
      return Math.floor((8 * byteLength) / (type.bitWidth ?? 8));
    case INTERVAL:
      return Math.floor(byteLength / (INTERVAL_BYTES['unit' in type ? Number(type.unit) : 0] ?? 1));
    case FIXED_BINARY:
      return Math.floor(byteLength / Math.max(1, type.stride ?? 1));
    case BINARY_VIEW:
    case UTF8_VIEW:
      return Math.floor(byteLength / VIEW_BYTES);
    default:
      return values.length;
  }
}

function checkIndexes(
  { length, nullCount, validity }: Column,
  indexes: ArrayLike<number | bigint>,
  limit: number,
): void {
  for (let i = 0; i < length; i++) {
    const index = Number(indexes[i] ?? 0);
    const isNull =
      nullCount !== 0 && validity !== undefined && ((validity[i >> 3] ?? 0) >> (i & 7)) % 2 === 0;
    if (!isNull && !(index >= 0 && index < limit))
      throw new Error(`it refers to the value ${index} of a dictionary of ${limit}`);
  }
}

/** @returns how often an entry is in lists on average, at least 1 */
function checkLists(column: Column, offsets: ArrayLike<number | bigint>, most: number): number {
  const { length, values, sizes } = column;
  const children = column.children ?? [];
  // A union has several children. Its offsets are positions in them and do not imply lengths.
  if (children.length > 1) return 1;
  const inner = children[0]?.length ?? bytesOf(values);
  let total = 0;
  for (let i = 0; i < length; i++) {
    const start = Number(offsets[i] ?? 0);
    const size = sizes === undefined ? Number(offsets[i + 1] ?? 0) - start : Number(sizes[i] ?? 0);
    // Views may overlap, so their sum is limited, too.
    total += size;
    if (!(start >= 0 && size >= 0 && start + size <= inner && total <= Math.max(inner, most)))
      throw new Error(UNFITTING);
  }
  return Math.max(1, total / Math.max(1, inner));
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
