/** Sums over the kept rows of groups. */
import type { RocSums } from '../../shared/api/rocRows.ts';
import type { PoolRecord } from '../storage/queries/pool.ts';

/** A weighted mean that is undefined without values. */
export class Mean {
  private sum = 0;
  private weight = 0;

  add(value: number | null | undefined, weight = 1): void {
    if (value === null || value === undefined || Number.isNaN(value) || weight === 0) return;
    this.sum += value * weight;
    this.weight += weight;
  }

  get value(): number | undefined {
    return this.weight === 0 ? undefined : this.sum / this.weight;
  }
}

export class Sums {
  private decided = 0;
  private kept = 0;
  private zeros = 0;
  private nonZeros = 0;
  private readonly penalty = new Mean();
  private readonly tokens = new Mean();
  private readonly chars = new Mean();
  private readonly advantage = new Mean();

  /** @param share kept fraction of the row, 0 … 1; NaN: undecided */
  add(row: PoolRecord, share: number, penalty: number | undefined, advantage: number | undefined): void {
    if (Number.isNaN(share)) return;
    this.decided++;
    if (share === 0) return;
    this.kept += share;
    if (row.reward !== null) {
      if (row.reward > 0) {
        this.nonZeros += share;
        this.penalty.add(penalty, share);
      } else this.zeros += share;
    }
    this.tokens.add(row.policyTokens, share);
    this.chars.add(row.responseChars, share);
    this.advantage.add(advantage === undefined ? undefined : Math.abs(advantage), share);
  }

  finish(): RocSums {
    if (this.decided === 0) return {};
    const known = (name: keyof RocSums, { value }: Mean): Partial<RocSums> =>
      value === undefined ? {} : { [name]: value };
    return {
      kept: this.kept,
      discarded: this.decided - this.kept,
      keptByClass: { zeros: this.zeros, nonZeros: this.nonZeros },
      ...known('meanPenalty', this.penalty),
      ...known('meanPolicyTokens', this.tokens),
      ...known('meanResponseChars', this.chars),
      ...known('meanAbsAdvantage', this.advantage),
    };
  }
}
