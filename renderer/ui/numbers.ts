/** Number formats of the interface. An unknown value is blank, never 0. */
const COUNT = new Intl.NumberFormat('en');
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

export function count(value: number | undefined): string {
  return value === undefined ? '' : COUNT.format(Math.round(value));
}

/** Larger numbers are not exact in a log, and would be a line of digits. */
const LARGEST_WHOLE = 1e15;

/** A logged number of any size: digits before the point are kept, six digits in all otherwise. */
export function figure(value: number): string {
  const size = Math.abs(value);
  const rounded = Number(value.toPrecision(6));
  if (size >= LARGEST_WHOLE) return rounded.toExponential();
  return size >= 1000 ? COUNT.format(value) : String(rounded);
}

/** A number that may be an expected value: one decimal, if needed. */
export function amount(value: number | undefined): string {
  if (value === undefined) return '';
  const tenths = Math.round(value * 10) / 10;
  return Number.isInteger(tenths) ? COUNT.format(tenths) : fixed(value, 1);
}

export function compact(value: number): string {
  return COMPACT.format(value);
}

/** `one rollout`, `2 rollouts`. */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${COUNT.format(value)} ${value === 1 ? singular : plural}`;
}

/** Sizes that `fixed` shifts exactly: larger and smaller ones are written with an exponent. */
const [SMALLEST_SHIFTED, LARGEST_SHIFTED] = [1e-6, 1e15];

/**
 * Rounds halves of the decimal number away from zero: 69.85 is `69.9`. `toFixed` rounds the binary number, which is
 * below or above the decimal one.
 */
function fixed(value: number, digits: number): string {
  // A product such as 0.6985 · 100 has noise in its last digits.
  const size = Math.abs(Number(value.toPrecision(15)));
  if (!(size >= SMALLEST_SHIFTED && size < LARGEST_SHIFTED)) return value.toFixed(digits);
  const rounded = Number(`${Math.round(Number(`${size}e${digits}`))}e-${digits}`);
  return `${value < 0 ? '-' : ''}${rounded.toFixed(digits)}`;
}

export function decimal(value: number | undefined, digits = 2): string {
  if (value === undefined || Number.isNaN(value)) return '';
  // A true minus sign is as wide as the plus, so signed columns align.
  return fixed(value, digits)
    .replace(/^-(?=.*[1-9])/, '−')
    .replace(/^-/, '');
}

/** Rounds to `digits` decimals, or to as many as a small number needs: `0.00043` is not shown as 0. */
export function significant(value: number | undefined, digits = 3): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const size = Math.abs(value);
  if (size === 0 || size >= 10 ** (1 - digits)) return decimal(value, digits);
  const magnitude = Math.floor(Math.log10(size));
  if (magnitude < -6) return value.toExponential(1).replaceAll('-', '−').replace('e', ' e');
  return decimal(value, 1 - magnitude);
}

/** A reward or a mean of rewards: whole, or with three decimals: `1`, `0.350`, `0.506`. */
export function reward(value: number | undefined): string {
  return decimal(value, value !== undefined && Number.isInteger(value) ? 0 : 3);
}

export function signed(value: number | undefined, digits = 2): string {
  if (value === undefined) return '';
  return value > 0 ? `+${decimal(value, digits)}` : decimal(value, digits);
}

/** `part` divided by `whole`. Undefined if the whole is empty. */
export function ratio(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

export function percent(value: number | undefined, digits = 1): string {
  return value === undefined ? '' : fixed(value * 100, digits);
}

/** A share on a chart: with the one decimal of the tables, or none if it is whole, so that a page shows one figure. */
export function asShare(value: number): string {
  if (value > 0 && value < 0.0005) return '<0.1%';
  if (value < 1 && value >= 0.9995) return '>99.9%';
  return `${percent(value).replace(/\.0$/, '')}%`;
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : fixed(rest, 1)} ${units[unit] ?? 'B'}`;
}

export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  if (value >= 100) return `${Math.round(value)} s`;
  return `${fixed(value, value >= 10 ? 1 : 2)} s`;
}

/** About 11 years: minutes and seconds of a longer duration are noise. */
const MANY_HOURS = 1e5;

/** Three digits, in a unit that fits: `0.4 ms`, `315 ms`, `1.25 s`, `1:40 min`, `1:02:30 h`. */
export function duration(milliseconds: number): string {
  const short = Number(milliseconds.toPrecision(3));
  if (short < 1000) return `${short} ms`;
  if (short < 60_000) return `${short / 1000} s`;
  const whole = Math.round(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours >= MANY_HOURS) return `${figure(hours)} h`;
  const rest = String(whole % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest} min` : `${hours}:${String(minutes).padStart(2, '0')}:${rest} h`;
}

/** `st` of 1st, 21st, 91st. A fraction always has `th`. */
export function ordinalSuffix(value: string): string {
  if (value.includes('.') || /1[123]$/.test(value)) return 'th';
  return { '1': 'st', '2': 'nd', '3': 'rd' }[value.at(-1) ?? ''] ?? 'th';
}
