/** Profile of a set of rollouts: lengths, turns, tools. */
import type { Likeness } from '../../shared/api/rocRows.ts';
import type { PoolRecord } from '../storage/queries/pool.ts';
import { Mean } from './sums.ts';
import type { GroupKeys } from './tallies.ts';

/** Upper bounds in characters. One more entry counts longer responses. */
export const LENGTH_BINS: readonly number[] = [
  500, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000, 96_000, 128_000,
];
/** The last entry counts rollouts with more turns. */
const TURN_BINS = 20;

export class LikenessTally {
  private readonly key: string;
  private readonly keys: GroupKeys;
  private rollouts = 0;
  private readonly chars = new Mean();
  private readonly tokens = new Mean();
  private readonly turns = new Mean();
  private readonly calls = new Mean();
  private readonly withoutCalls = new Mean();
  private readonly lengthCounts: number[] = new Array<number>(LENGTH_BINS.length + 1).fill(0);
  private readonly turnCounts: number[] = new Array<number>(TURN_BINS).fill(0);

  constructor(key: string, keys: GroupKeys) {
    this.key = key;
    this.keys = keys;
  }

  /** @param share fraction of the rollout that counts, 0 … 1 */
  add(row: PoolRecord, share: number): void {
    if (share === 0) return;
    const { key, keys } = this;
    keys.note(key, row.groupId);
    if (row.toolCalls === 0) keys.note(`${key}:without_calls`, row.groupId);
    this.rollouts += share;
    this.chars.add(row.responseChars, share);
    this.tokens.add(row.policyTokens, share);
    this.turns.add(row.turns, share);
    this.calls.add(row.toolCalls, share);
    const { toolCalls, responseChars, turns } = row;
    if (toolCalls !== null) this.withoutCalls.add(Number(toolCalls === 0), share);
    if (responseChars !== null) {
      const bin = LENGTH_BINS.findIndex((bound) => responseChars <= bound);
      const length = bin < 0 ? LENGTH_BINS.length : bin;
      addAt(this.lengthCounts, length, share);
      keys.note(`${key}:length:${length}`, row.groupId);
    }
    if (turns !== null) {
      const at = Math.min(TURN_BINS, Math.max(1, turns)) - 1;
      addAt(this.turnCounts, at, share);
      keys.note(`${key}:turns:${at}`, row.groupId);
    }
  }

  finish(): Likeness {
    const known = (name: keyof Likeness, { value }: Mean): Partial<Likeness> =>
      value === undefined ? {} : { [name]: value };
    return {
      key: this.key,
      rollouts: this.rollouts,
      ...known('meanResponseChars', this.chars),
      ...known('meanPolicyTokens', this.tokens),
      ...known('meanTurns', this.turns),
      ...known('meanToolCalls', this.calls),
      ...known('withoutToolCalls', this.withoutCalls),
      lengths: this.lengthCounts,
      turns: this.turnCounts,
    };
  }
}

function addAt(counts: number[], at: number, share: number): void {
  counts[at] = (counts[at] ?? 0) + share;
}
