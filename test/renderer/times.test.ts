import { expect, it } from 'vitest';
import { dayAndTime, lasted, timeZoneName } from '../../renderer/ui/times.ts';

it('names the time zone of a moment', () => {
  expect(dayAndTime(Date.UTC(2025, 8, 15, 19, 4))).toMatch(/^15 Sept? 2025, 19:04 UTC$/);
  expect(timeZoneName()).toBe('UTC');
});

it('does not call a duration zero that its log rounds to seconds', () => {
  expect([lasted(0), lasted(54_000)]).toEqual(['under 1 s', '54 s']);
});
