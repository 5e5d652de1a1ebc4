export interface SqlRequest {
  readonly libraryPath: string;
  readonly sql: string;
  /**
   * `shown`: as the console shows them (`SqlValue`); `exact`: whole, integers beyond 2^53 as bigint.
   * Absent: whole, integers as JavaScript numbers.
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
      /** Where in the statement, in UTF-16 code units. */
      readonly at?: { readonly start: number; readonly end: number };
    };

/** The parent has dealt with a page of rows and can take another. */
export interface SqlTaken {
  readonly kind: 'taken';
}
