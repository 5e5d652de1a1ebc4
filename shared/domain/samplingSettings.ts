/** How continuations are sampled. */
export interface SamplingSettings {
  /** Number of continuations. */
  readonly n: number;
  readonly temperature: number;
  readonly topP: number;
  /** Of each continuation, over all of its turns. */
  readonly maxTokens: number;
  /** Texts that end a turn. */
  readonly stop: readonly string[];
  /** Of the first continuation; each further one adds 1. */
  readonly seed: number;
}
