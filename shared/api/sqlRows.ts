/** Values of the SQL console. */

/**
 * A cell. NULL is null. An integer beyond 2^53 keeps its digits, bytes say only how many they are, and a text too long
 * to be shown says how long it is: an export has it whole.
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

/** Where in the statement, in UTF-16 code units. */
export interface SqlPlace {
  readonly start: number;
  readonly end: number;
}

export interface SqlRefusal {
  readonly kind: 'refused';
  /** SQLite's own words, or what is not accepted. */
  readonly message: string;
  /** Absent where SQLite does not say what it stumbled over. */
  readonly at?: SqlPlace;
}

interface SqlRows {
  readonly kind: 'rows';
  /** For `sql.page`; the host keeps the last few results only. */
  readonly resultId: number;
  readonly columns: readonly string[];
  /** Rows that are held. */
  readonly rows: number;
  /** Why there are no more rows than these; absent where these are all. */
  readonly cut?: 'rows' | 'bytes';
  readonly milliseconds: number;
}

export type SqlAnswer = SqlRows | SqlRefusal;

export type SqlFormat = 'csv' | 'tsv' | 'jsonl';

export type SqlExportStart = { readonly kind: 'started'; readonly exportId: number } | SqlRefusal;

export interface SqlExportPart {
  /** To be put behind the parts before it. */
  readonly text: string;
  /** Rows written so far. */
  readonly rows: number;
  readonly isWhole: boolean;
}

interface SqlColumn {
  readonly name: string;
  readonly about: string;
}

/** What a statement can read from. */
export interface SqlSource {
  readonly name: string;
  /** `table`: a function that is read like a view; `function`: one of values. */
  readonly kind: 'view' | 'table' | 'function';
  /** With parameters, as it is written: `tokens(rollout_id)`. */
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

/** A statement that answers a question of the field. */
export interface ExampleQuery {
  readonly name: string;
  /** The question. */
  readonly about: string;
  readonly sql: string;
}

/** Where a row leads: as far down as it says. */
export interface SqlTarget {
  readonly runKey: string;
  readonly step?: number;
  readonly groupKey?: string;
  readonly ordinal?: number;
}
