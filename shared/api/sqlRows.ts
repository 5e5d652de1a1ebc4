/** Values of the SQL console. */

/**
 * A cell. NULL is null. An integer beyond 2^53 keeps its digits as text. Bytes give only their number. A text
 * too long to display gives its beginning and length; an export writes it whole.
 */
export type SqlValue =
  | null
  | number
  | string
  | { readonly kind: 'integer'; readonly digits: string }
  | { readonly kind: 'bytes'; readonly bytes: number }
  /** `text` is its beginning; `chars` counts UTF-16 code units of the whole. */
  | { readonly kind: 'cut'; readonly text: string; readonly chars: number };

export type SqlRow = readonly SqlValue[];

/** Position in the statement, in UTF-16 code units. */
export interface SqlPosition {
  readonly start: number;
  readonly end: number;
}

export interface SqlRefusal {
  readonly kind: 'refused';
  /** SQLite's message, or why the statement is rejected. */
  readonly message: string;
  /** Absent if SQLite gives no position. */
  readonly at?: SqlPosition;
}

interface SqlRows {
  readonly kind: 'rows';
  /** For `sql.page`. The host keeps only the last few results. */
  readonly resultId: number;
  readonly columns: readonly string[];
  /** Rows in memory. */
  readonly rows: number;
  /** The limit that cut the result. Absent if it is complete. */
  readonly cut?: 'rows' | 'bytes';
  readonly milliseconds: number;
}

export type SqlAnswer = SqlRows | SqlRefusal;

export type SqlFormat = 'csv' | 'tsv' | 'jsonl';

export type SqlExportStart = { readonly kind: 'started'; readonly exportId: number } | SqlRefusal;

export interface SqlExportPart {
  /** Append to the previous parts. */
  readonly text: string;
  /** Rows written so far. */
  readonly rows: number;
  readonly isWhole: boolean;
}

interface SqlColumn {
  readonly name: string;
  readonly about: string;
}

/** A view or function that a statement can query. */
export interface SqlSource {
  readonly name: string;
  /** `table`: a table-valued function, queried like a view. `function`: a scalar function. */
  readonly kind: 'view' | 'table' | 'function';
  /** Usage with parameters: `tokens(rollout_id)`. */
  readonly form: string;
  readonly about: string;
  readonly columns: readonly SqlColumn[];
}

export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** An example statement with the question it answers. */
export interface ExampleQuery {
  readonly name: string;
  /** The question. */
  readonly about: string;
  readonly sql: string;
}

/** The link target of a row, as specific as its columns allow. */
export interface SqlTarget {
  readonly runKey: string;
  readonly step?: number;
  readonly groupKey?: string;
  readonly ordinal?: number;
}
