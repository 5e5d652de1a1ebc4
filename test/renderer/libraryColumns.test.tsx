/** The table of runs: which columns are shown, and what the date says. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { sortedByKeys } from '../../renderer/ui/sorting.ts';
import { blankColumns, runColumns } from '../../renderer/views/library/runColumns.tsx';
import type { RunDate, RunSummary } from '../../shared/api/contract.ts';

afterEach(cleanup);

const COLUMNS = runColumns(
  () => undefined,
  () => undefined,
);
const NO_TRENDS = { steps: [], meanReward: [], toolErrorRate: [], noToolShare: [], meanResponseChars: [] };

/** An evaluation as most producers log it: no steps, no dates, no correctness. */
const run = (runKey: string, more: Partial<RunSummary> = {}): RunSummary => ({
  ...{
    runId: 1,
    runKey,
    name: runKey,
    kind: 'eval',
    keySource: 'logged',
    format: 'messages',
    directory: '/x',
  },
  ...{ isSynthetic: false, hasSteps: false, steps: 1, groups: 3, rollouts: 96, correct: 0, correctKnown: 0 },
  ...{ issues: 0, trends: { ...NO_TRENDS, steps: [0], meanReward: [0.5], toolErrorRate: [null] } },
  ...more,
});
const shown = (...runs: readonly RunSummary[]) => {
  const blank = blankColumns(COLUMNS, runs);
  return COLUMNS.filter(({ id }) => !blank.has(id)).map(({ id }) => id);
};
const training = run('train', {
  ...{ kind: 'train', hasSteps: true, steps: 2, firstStep: 0, lastStep: 1, correctKnown: 96 },
  trends: { ...NO_TRENDS, steps: [0, 1], meanReward: [0, 1], toolErrorRate: [null, null] },
});
const columnOf = (id: string) => {
  const column = COLUMNS.find((one) => one.id === id);
  if (column === undefined) throw new Error(`there is no column ${id}`);
  return column;
};
const draw = (id: string, of: RunSummary) => render(<div>{columnOf(id).cell(of)}</div>).container;

describe('the share of correct rollouts', () => {
  const known = { correct: 27, correctKnown: 30 };

  it('has a word if Turnwise compared answers with ground truths, as the log has no verdict', () => {
    expect(draw('correct', run('tora', { ...known, correctSource: 'derived' })).textContent).toBe(
      '90.0derived',
    );
  });

  it('has none for a verdict or a reward of the log', () => {
    expect(draw('correct', run('verdicts', { ...known, correctSource: 'logged' })).textContent).toBe('90.0');
    expect(draw('correct', run('rewards', known)).textContent).toBe('90.0');
  });
});

describe('the name of a run', () => {
  it.each([
    ['error', '✕ error'],
    ['cancelled', '✕ cancelled'],
    ['started', 'started, not finished'],
    [undefined, 'not finished: no status logged'],
    ['<b>odd</b>', 'status <b>odd</b>'],
  ])('has the status %s of an evaluation', (status, badge) => {
    const evaluation = status === undefined ? {} : { status };
    expect(draw('name', run('a', { evaluation })).querySelector('.chip.is-warning')?.textContent).toBe(badge);
  });

  it('has no badge of success, or of a log without an evaluation', () => {
    expect(
      draw('name', run('a', { evaluation: { status: 'success' } })).querySelector('.is-warning'),
    ).toBeNull();
    expect(draw('name', run('a')).querySelector('.is-warning')).toBeNull();
  });
});

describe('a column of the library', () => {
  it('is shown only if a run has a value for it, in the order of reading', () => {
    expect(shown(run('a', { trends: NO_TRENDS }))).toEqual(['name', 'rollouts']);
    expect(shown(run('a'))).toEqual(['name', 'rollouts', 'reward']);
    const at = Date.UTC(2025, 8, 4);
    const dated = run('b', { correctKnown: 1, sharedIssues: 2, lastWritten: { at, of: 'rollout' } });
    expect(shown(run('a'), dated)).toEqual(['name', 'date', 'rollouts', 'correct', 'reward', 'issues']);
    expect(shown(run('a'), training)).toEqual(['name', 'steps', 'rollouts', 'correct', 'reward']);
  });

  it('is blank where the run has none', () => {
    for (const { id } of COLUMNS.filter((column) => column.isKnown !== undefined)) {
      expect(draw(id, run('a', { trends: NO_TRENDS })).textContent, id).toBe('');
      cleanup();
    }
    expect(draw('steps', training).textContent).toBe('20–1');
  });

  it('of a trend is a number where the run has no steps', () => {
    expect(draw('reward', run('a')).textContent).toBe('0.500');
    expect(draw('reward', training).querySelector('svg')).not.toBeNull();
  });
});

describe('the date of a run', () => {
  const at = (date: string, of: RunDate['of'] = 'rollout'): Partial<RunSummary> => ({
    lastWritten: { at: Date.parse(date), of },
  });

  it('says that it is the date of a file where the log has none', () => {
    expect(draw('date', run('a', at('2025-09-04T12:34:56Z'))).textContent).toBe('4 Sept 2025');
    const ofFile = run('b', at('2026-01-02T00:00:00Z', 'file'));
    expect(draw('date', ofFile).textContent).toBe('2 Jan 2026file date');
    const { name, value } = columnOf('date').copiedWith ?? {};
    expect([name, value?.(ofFile), value?.(run('c'))]).toEqual([
      'date from',
      'a log file was modified',
      undefined,
    ]);
  });

  it('is a day, with the time and its source in the title', () => {
    draw('date', run('a', at('2025-09-04T12:34:56Z')));
    const day = screen.getByText('4 Sept 2025');
    expect(day.getAttribute('datetime')).toBe('2025-09-04T12:34:56.000Z');
    expect(day.title).toBe('Thursday, 4 September 2025 at 12:34:56 UTC: newest time of a rollout, as logged');
    draw('date', run('b', at('2026-01-02T00:00:00Z', 'file')));
    expect(screen.getByText('2 Jan 2026').title).toMatch(/ UTC: a log file was modified$/);
    draw('date', run('c', at('2026-02-02T00:00:00Z', 'completed')));
    expect(screen.getByText('2 Feb 2026').title).toMatch(/ UTC: the run was completed, as logged$/);
  });

  it('sorts runs, and an unknown date is last', () => {
    const { measure } = columnOf('date');
    if (measure === undefined) throw new Error('dates cannot be sorted');
    const runs = [run('unknown'), run('old', at('2024-01-01')), run('new', at('2026-01-01'))];
    const sorted = sortedByKeys(runs, [{ measure, direction: 'descending' }]);
    expect(sorted.map(({ runKey }) => runKey)).toEqual(['new', 'old', 'unknown']);
  });
});

describe('a sparkline', () => {
  it('says its ends and its range', () => {
    const trends = {
      ...NO_TRENDS,
      steps: [10, 20, 30],
      meanReward: [0.25, 1, 0.5],
      toolErrorRate: [null, 0.125, 0.25],
    };
    const title = (id: string) => draw(id, { ...training, trends }).querySelector('title')?.textContent;
    expect(title('reward')).toBe(
      'Mean reward by step: 0.250 at step 10, 0.500 at step 30; between 0.250 and 1',
    );
    expect(title('toolErrors')).toBe(
      'Share of failed tool calls by step: 12.5% at step 20, 25% at step 30; between 12.5% and 25%',
    );
  });
});
