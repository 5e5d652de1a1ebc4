/** What the record of a rollout's field says, and the names, types and lists that derive from the records. */
import { ROLLOUT_FIELDS, type RolloutFieldName } from './rolloutFields.ts';

/** `list`: several values per rollout, of which one is enough for a filter. `text`: words in its texts. */
export type RolloutFieldKind = 'number' | 'integer' | 'boolean' | 'word' | 'list' | 'text' | 'json';

/** How a column store encodes a field; see electron/storage/columnNames.ts. */
export type RolloutFieldEncoding = 'id' | 'number' | 'integer' | 'boolean' | 'code' | 'dictionary';

export interface RolloutField {
  readonly kind: RolloutFieldKind;
  /** Half a sentence. */
  readonly describe: string;
  readonly unit?: string;
  /** The public view has it. SQL over the tables r (rollout), g (group), p (problem), t (timing), f (file), n (run). */
  readonly sql?: string;
  /** Rows of lists and the command line's `rollouts` have it. */
  readonly isListed?: true;
  /** Never NULL. */
  readonly isAlwaysKnown?: true;
  readonly column?: RolloutFieldEncoding;
  readonly sorts?: true;
  /** A condition of the filter language; absent where it cannot be filtered. */
  readonly example?: string;
  /** Every value there is. */
  readonly oneOf?: readonly string[];
  /** Values worth offering where others are possible. */
  readonly usual?: readonly string[];
  /** The data set of rollouts has it under the same name; it has `sql`. */
  readonly exports?: true;
}

export function rolloutFieldNamed(name: string): RolloutField | undefined {
  return Object.hasOwn(ROLLOUT_FIELDS, name) ? ROLLOUT_FIELDS[name as RolloutFieldName] : undefined;
}

/** Names of the fields whose records have these properties. */
export type RolloutFieldWith<Properties> = {
  [N in RolloutFieldName]: (typeof ROLLOUT_FIELDS)[N] extends Properties ? N : never;
}[RolloutFieldName];

/** Names whose record passes, in the order of the record. */
export function rolloutFieldsWhere<N extends RolloutFieldName>(
  holds: (field: RolloutField) => boolean,
): readonly N[] {
  const names = Object.keys(ROLLOUT_FIELDS) as RolloutFieldName[];
  // `holds` tests at run time what the caller's N says in types.
  return names.filter((name) => holds(ROLLOUT_FIELDS[name])) as N[];
}

export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The name of a field in TypeScript: `policy_tokens` is `policyTokens`. */
export function camelCase<S extends string>(name: S): CamelCase<S> {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<S>;
}

type KindOf<F> = F extends { kind: infer K } ? K : never;

/** What a field is in TypeScript, where it is known. */
type RolloutFieldValue<N extends RolloutFieldName> = (typeof ROLLOUT_FIELDS)[N] extends {
  oneOf: readonly (infer V)[];
}
  ? V
  : KindOf<(typeof ROLLOUT_FIELDS)[N]> extends 'number' | 'integer'
    ? number
    : KindOf<(typeof ROLLOUT_FIELDS)[N]> extends 'boolean'
      ? boolean
      : string;

export type ListedField = RolloutFieldWith<{ isListed: true }>;
export const LISTED_FIELDS = rolloutFieldsWhere<ListedField>(({ isListed }) => isListed === true);

type ListedAlways = RolloutFieldWith<{ isListed: true; isAlwaysKnown: true }>;

/** A row of a list: absent is unknown. */
export type ListedRollout = {
  readonly [N in ListedAlways as CamelCase<N>]: RolloutFieldValue<N>;
} & {
  readonly [N in Exclude<ListedField, ListedAlways> as CamelCase<N>]?: RolloutFieldValue<N>;
};

type SortField = RolloutFieldWith<{ sorts: true }>;
export type SortName = CamelCase<SortField>;
export const SORT_FIELDS = rolloutFieldsWhere<SortField>(({ sorts }) => sorts === true);

export type ExportedField = RolloutFieldWith<{ exports: true; sql: string }>;
export const EXPORTED_FIELDS = rolloutFieldsWhere<ExportedField>(({ exports }) => exports === true);
