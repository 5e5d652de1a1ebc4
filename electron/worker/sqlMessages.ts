import type { NamedWarehouse } from '../warehouse/namedWarehouse.ts';

export interface SqlRequest {
  readonly libraryPath: string;
  readonly sql: string;
  /** The statement is one of this warehouse, and is stopped there after this time. */
  readonly inWarehouse?: { readonly named: NamedWarehouse; readonly timeoutMs: number };
  /** Checks the pages of the library instead, at the lowest priority. */
  readonly isCheck?: boolean;
  /**
   * `shown`: formatted for the console (`SqlValue`). `exact`: complete, with integers beyond 2^53 as
   * bigint. Absent: complete, with integers as JavaScript numbers.
   */
  readonly values?: 'shown' | 'exact';
}

export type SqlMessage =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly unknown[])[] }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'refused';
      readonly message: string;
      /** Position in the statement, in UTF-16 units. */
      readonly at?: { readonly start: number; readonly end: number };
    };

/** The parent has processed a page of rows and accepts another. */
export interface SqlPageTaken {
  readonly kind: 'taken';
}
