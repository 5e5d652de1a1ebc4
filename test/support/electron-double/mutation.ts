/** In the module whose URL ends in `file`, every `from` reads `to`. */
export interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
