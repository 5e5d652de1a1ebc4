export interface SqlRequest {
  readonly libraryPath: string;
  readonly sql: string;
}

export type SqlMessage =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly unknown[])[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly message: string };

/** The parent has dealt with a page of rows and can take another. */
export interface SqlTaken {
  readonly kind: 'taken';
}
