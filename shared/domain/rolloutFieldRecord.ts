/** Properties of a rollout field, and the names, types and lists derived from the records. */
import { ROLLOUT_FIELDS, type RolloutFieldName } from './rolloutFields.ts';

/** `list`: several values per rollout; a filter matches if one does. `text`: words in its texts. */
export type RolloutFieldKind = 'number' | 'integer' | 'boolean' | 'word' | 'list' | 'text' | 'json';

/** How a column store encodes a field; see electron/storage/columnNames.ts. */
export type RolloutFieldEncoding = 'id' | 'number' | 'integer' | 'boolean' | 'code' | 'dictionary';

export interface RolloutField {
  readonly kind: RolloutFieldKind;
  /** Sentence fragment. */
  readonly describe: string;
  readonly unit?: string;
  /**
   * SQL of the public view's column, over the tables r (rollout), g (group), p (problem), t (timing), f
   * (file), n (run). Absent: not in the view.
   */
  readonly sql?: string;
  /** Included in list rows and the command line's `rollouts`. */
  readonly isListed?: true;
  /** Never NULL. */
  readonly isAlwaysKnown?: true;
  readonly column?: RolloutFieldEncoding;
  /** Lists sort by it. Needs `column`, unless `electron/columns/runOrder.ts` derives the values. */
  readonly sorts?: true;
  /** A condition of the filter language. Absent if the field cannot be filtered. Numbers need `column`, or a value in `electron/columns/fieldColumns.ts`. */
  readonly example?: string;
  /** All possible values. */
  readonly oneOf?: readonly string[];
  /** Suggested values if others are possible. */
  readonly usual?: readonly string[];
  /** Included in the data set of rollouts under the same name. Requires `sql`. */
  readonly exports?: true;
}

export function rolloutFieldNamed(name: string): RolloutField | undefined {
  return Object.hasOwn(ROLLOUT_FIELDS, name) ? ROLLOUT_FIELDS[name as RolloutFieldName] : undefined;
}

/** Names of the fields whose records have these properties. */
export type RolloutFieldWith<Properties> = {
  [N in RolloutFieldName]: (typeof ROLLOUT_FIELDS)[N] extends Properties ? N : never;
}[RolloutFieldName];

/** Names whose records pass the test, in record order. */
export function rolloutFieldsWhere<N extends RolloutFieldName>(
  holds: (field: RolloutField) => boolean,
): readonly N[] {
  const names = Object.keys(ROLLOUT_FIELDS) as RolloutFieldName[];
  // `holds` tests at run time what N states in types.
  return names.filter((name) => holds(ROLLOUT_FIELDS[name])) as N[];
}

export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The TypeScript name of a field: `policy_tokens` becomes `policyTokens`. */
export function camelCase<S extends string>(name: S): CamelCase<S> {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<S>;
}

type KindOf<F> = F extends { kind: infer K } ? K : never;

/** The TypeScript type of a known value. */
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

/** A list row; absent: unknown. */
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
