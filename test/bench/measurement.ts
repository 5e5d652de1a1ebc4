export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor?: number;
  /** value / floor, if there is a floor. */
  readonly ratio?: number;
  /** Maximum of the ratio if there is one, else of the value. */
  readonly budget?: number;
  readonly within?: boolean;
}

export function ratioOf(
  name: string,
  value: number,
  floor: number,
  unit: string,
  budget: number,
): Measurement {
  const ratio = value / floor;
  return { name, value, unit, floor, ratio, budget, within: ratio <= budget };
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}
