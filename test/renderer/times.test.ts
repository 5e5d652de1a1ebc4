import { expect, it } from 'vitest';
import { dayAndTime, isoTime, lasted, timeZoneName } from '../../renderer/ui/times.ts';

it('names the time zone of a moment', () => {
  expect(dayAndTime(Date.UTC(2025, 8, 15, 19, 4))).toMatch(/^15 Sept? 2025, 19:04 UTC$/);
  expect(timeZoneName()).toBe('UTC');
});

it('has words for a number that is no date', () => {
  expect([dayAndTime(9e15), isoTime(9e15)]).toEqual(['no date', undefined]);
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
});

it('does not call a duration zero that its log rounds to seconds', () => {
  expect([lasted(0), lasted(54_000)]).toEqual(['under 1 s', '54 s']);
});
