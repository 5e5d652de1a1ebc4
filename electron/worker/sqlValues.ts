/** Values of a row on their way out of the SQL process. */
import type { SqlValue } from '../../shared/api/sqlRows.ts';

/** UTF-16 code units of a text that are shown; more than a window holds. */
const SHOWN_CHARS = 20_000;

/** @param row integers as bigint; @returns those that a number holds exactly as numbers, the others as `SqlValue` or bigint */
export function shownRow(row: readonly unknown[], isShown: boolean): unknown[] {
  return row.map((value) => {
    if (typeof value === 'bigint') {
      const number = Number(value);
      if (Number.isSafeInteger(number)) return number;
      return isShown ? ({ kind: 'integer', digits: String(value) } satisfies SqlValue) : value;
    }
    return isShown ? shown(value) : value;
  });
}

function shown(value: unknown): SqlValue {
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value.byteLength };
  // JSON, which a wire may be, has no word for these.
  if (typeof value === 'number') return Number.isFinite(value) ? value : value > 0 ? '∞' : '−∞';
  if (typeof value !== 'string') return null;
  return value.length <= SHOWN_CHARS ? value : { kind: 'cut', text: beginning(value), chars: value.length };
}

/** Not amid a character of two units. */
function beginning(text: string): string {
  const isInsidePair = (text.codePointAt(SHOWN_CHARS - 1) ?? 0) > 0xffff;
  // A copy: a slice would keep the whole text alive.
  return Buffer.from(text.slice(0, isInsidePair ? SHOWN_CHARS - 1 : SHOWN_CHARS)).toString();
}

const CELL = 8;

/** In bytes, about. */
export function pageSize(row: readonly unknown[]): number {
  let size = 0;
  for (const value of row) size += CELL + sizeOf(value);
  return size;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return 'text' in value && typeof value.text === 'string' ? value.text.length : 16;
}
