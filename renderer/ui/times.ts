/** Formats moments in the reader's time zone. All functions take milliseconds since 1970. */

import { duration } from './numbers.ts';

/** English like the rest of the page, whatever the language of the browser. */
const formatted = (style: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', style);
  return (at: number): string => (isDate(at) ? format.format(at) : 'no date');
};

/** False for a number beyond the year 275,760, which a library of somebody else may have. */
const isDate = (at: number): boolean => !Number.isNaN(new Date(at).getTime());

/** `2025-09-15T19:04:11.000Z`, for `<time dateTime>` and exports; undefined if it is no date. */
export const isoTime = (at: number): string | undefined =>
  isDate(at) ? new Date(at).toISOString() : undefined;

/** `15 Sept 2025`. */
export const day = formatted({ dateStyle: 'medium' });
/** `19:04`, for a moment of this day. */
export const timeOfDay = formatted({ timeStyle: 'short' });
/** `15 Sept 2025, 19:04 UTC`. */
export const dayAndTime = formatted({
  ...({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const),
  timeZoneName: 'short',
});
/** How long a thing took by its logged start and end, which a log may round to whole seconds. */
export const lasted = (milliseconds: number): string =>
  milliseconds === 0 ? 'under 1 s' : duration(milliseconds);
/** `UTC`: the time zone of all these texts, for the head of a column of days. */
export const timeZoneName = (): string =>
  new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })
    .formatToParts(0)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';
/** `15 Sept 2025, 19:04:11 UTC`. Times from a log need a time zone, since the log may be from anywhere. */
export const timeWithZone = formatted({ dateStyle: 'medium', timeStyle: 'long' });
/** `Monday, 15 September 2025 at 19:04:11 UTC`, for tooltips. */
export const wholeTime = formatted({ dateStyle: 'full', timeStyle: 'long' });
