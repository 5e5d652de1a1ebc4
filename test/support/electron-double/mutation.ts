/** Replaces every `from` by `to` in the module whose URL ends in `file`. */
export interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
