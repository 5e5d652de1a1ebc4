import { expect, it } from 'vitest';
import { type ChangesLink, changePath, changesPath, readChange } from '../../renderer/data/changesLink.ts';
import { readCompare } from '../../renderer/data/compareLink.ts';

const link: ChangesLink = { from: { run: 'a/b', step: 0 }, to: { run: 'c&d', step: 60 }, became: 'correct' };
const side = (groupKey: string) => ({ rolloutId: 1, groupKey, ordinal: 2, correct: 1, known: 1 });
const problem = { problemId: 'p', question: '', from: side('g 1'), to: side('g/2') };

it('of a changed problem names both rollouts, and its place in the list', () => {
  const { search, pathname } = new URL(changePath(link, 3, problem), 'http://x');
  const query = new URLSearchParams(search);
  expect(pathname).toBe('/compare');
  expect(readChange(query)).toEqual({ link, index: 3 });
  expect(readCompare(query).lanes).toEqual([
    '/run/a%2Fb/step/0/group/g%201/rollout/2',
    '/run/c%26d/step/60/group/g%2F2/rollout/2',
  ]);
});

it('keeps layout, panel and chosen lane on the way to the next problem', () => {
  const left = new URL(`${changePath(link, 3, problem)}&on=0&layout=unified&side=labels&at=0.2`, 'http://x');
  const { search } = new URL(changePath(link, 4, problem, left.searchParams), 'http://x');
  const query = new URLSearchParams(search);
  expect(readCompare(query)).toMatchObject({ on: 0, base: 0, layout: 'unified', at: undefined });
  expect(query.get('side')).toBe('labels');
  expect(readChange(query)?.index).toBe(4);
  expect(query.getAll('lane')).toHaveLength(2);
});

it('of the list has its steps, and the other run', () => {
  expect(changesPath(link)).toBe('/run/a%2Fb/problems?tab=changes&from=0&to=60&with=c%26d&became=correct');
  expect(changesPath({ from: link.from, to: { run: 'a/b', step: 9 }, became: 'incorrect' })).toBe(
    '/run/a%2Fb/problems?tab=changes&from=0&to=9',
  );
});

it('bears nonsense', () => {
  for (const search of [
    '',
    'change=1',
    'change=x&changes={}',
    'change=1&changes={',
    'change=1&changes={"from":1}',
  ])
    expect(readChange(new URLSearchParams(search))).toBeUndefined();
});
