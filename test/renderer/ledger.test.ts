import { describe, expect, it } from 'vitest';
import { choiceOfUrl } from '../../renderer/data/rocChoice.ts';
import { useInterface } from '../../renderer/state/interface.ts';
import { sortedBy } from '../../renderer/ui/sorting.ts';
import { type LedgerColumnOptions, ledgerColumns } from '../../renderer/views/group/ledgerColumns.tsx';
import {
  countedKind,
  filterOfRows,
  hasMark,
  type LedgerMark,
  ledgerEntries,
  listedIn,
  marksOf,
  marksText,
  matchesLedger,
  outcomeOf,
  pairFacts,
  pairToCompare,
  showsRoc,
  stripOf,
} from '../../renderer/views/group/ledgerModel.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { EXAMPLE, ledgerOf, rolloutsOf } from './rocSides.ts';

const POOL = '+0 +5 -0 +5 +9 ? -0 -5';
const FOUR = {
  ...EXAMPLE,
  down_sample_to_n: 4,
  min_zero_reward_trace_num: 1,
  min_non_zero_reward_trace_num: 1,
};
const KNOWN = '+0 +5 -0 +5 +9 -0 -5 -0';
const entriesOf = (picture: string, whatIf?: typeof EXAMPLE) =>
  ledgerEntries(ledgerOf(picture, FOUR, whatIf), rolloutsOf(picture));

describe('the strip', () => {
  it('is ordered by class, penalty and rollout order', () => {
    const strip = stripOf(entriesOf(POOL));
    expect(strip.bars.map(({ entry }) => entry.row.ordinal)).toEqual([0, 1, 3, 4, 5, 2, 6, 7]);
    expect(strip.heightMeans).toBe('penalty');
  });

  it('has its cut after the kept positives', () => {
    const strip = stripOf(entriesOf(KNOWN));
    expect(strip.cutAt).toBe(2);
    expect(strip.bars.slice(0, 4).map(({ entry }) => entry.standing.kept)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(strip.bars.map(({ entry }) => entry.isTie)).toEqual([false, true, true, ...Array(5).fill(false)]);
  });

  it('ranks rows cut by the world size separately', () => {
    const ledger = ledgerOf(KNOWN, FOUR);
    const rows = ledger.rows.map((row) => ({
      ...row,
      logged:
        row.ordinal === 0
          ? { kept: false, reason: 'discarded_world_size_truncation' }
          : { kept: row.recomputed.kept === true, reason: row.recomputed.reason },
    }));
    const strip = stripOf(ledgerEntries({ ...ledger, source: 'logged', rows }, rolloutsOf(KNOWN)));
    expect(strip.cutAt).toBe(2);
  });

  it('draws no cut through decisions that no line separates, nor through unknown ones', () => {
    expect(stripOf(entriesOf(POOL)).cutAt).toBeUndefined();
    const ledger = ledgerOf(KNOWN, FOUR);
    const rows = ledger.rows.map((row) => ({
      ...row,
      logged: { kept: row.ordinal !== 1 && row.ordinal < 5 },
    }));
    const entries = ledgerEntries({ ...ledger, source: 'logged', rows }, rolloutsOf(KNOWN));
    expect(stripOf(entries).cutAt).toBeUndefined();
  });
});

describe('the rows that a replay follows', () => {
  it('are named by their ordinals where some are left out', () => {
    const entries = ledgerEntries(ledgerOf(KNOWN, FOUR), rolloutsOf(KNOWN));
    const some = entries.filter(({ row }) => row.ordinal === 5 || row.ordinal === 2);
    expect(filterOfRows(some.toReversed(), entries.length)).toBe('ordinal:2,5');
    expect(readFilter(filterOfRows(some, entries.length)).ok).toBe(true);
    expect(filterOfRows(entries, entries.length)).toBe('');
  });
});

const columnsWith = (options: Partial<LedgerColumnOptions>) =>
  ledgerColumns({
    ...{ entries: [], hasRoc: false, hasStopReason: true, scores: [] },
    ...{ source: 'unknown', counted: 'text', hasWhatIf: false, hasDifferences: false, showsAllWays: false },
    ...{
      markOf: () => '',
      hasTokens: true,
      hasMalformedCalls: false,
      hasLongAnswers: false,
      hasLabels: false,
    },
    ...options,
  });

it('the column of decisions has room for the mark of a difference', () => {
  const width = (hasDifferences: boolean) =>
    columnsWith({ hasRoc: true, hasDifferences }).find(({ id }) => id === 'decision')?.minWidth ?? 0;
  expect(width(true) - width(false)).toBeGreaterThan(30);
});

it('the column of decisions is as wide as its longest text, with the reason alone beside a what-if', () => {
  const entriesWith = (reason: string) =>
    ledgerEntries(
      {
        ...ledgerOf(KNOWN, FOUR),
        source: 'logged',
        rows: ledgerOf(KNOWN, FOUR).rows.map((row) => ({
          ...row,
          logged: { kept: false, reason },
        })),
      },
      rolloutsOf(KNOWN),
    );
  const width = (id: string, reason: string, hasWhatIf: boolean) =>
    columnsWith({ hasRoc: true, entries: entriesWith(reason), source: 'logged', hasWhatIf }).find(
      (column) => column.id === id,
    )?.minWidth ?? 0;
  const long = 'discarded_world_size_truncation';
  expect(width('decision', long, false)).toBeGreaterThan(width('decision', 'discarded_errored', false));
  expect(width('decision', long, false)).toBeGreaterThan(width('decision', long, true));
  expect(width('decision', long, true)).toBeGreaterThan(220);
});

it('names part and source of each penalty that is compared', () => {
  const labels = columnsWith({ hasRoc: true, showsAllWays: true }).map(({ label }) => label);
  for (const part of ['p_err', 'p_format', 'penalty'])
    expect(labels.filter((label) => label.startsWith(`${part} `))).toEqual([
      `${part} logged`,
      `${part} text`,
      `${part} outcomes`,
    ]);
});

it('the column of long answers gets the spare width', () => {
  const share = (hasLongAnswers: boolean) => {
    const grows = columnsWith({ hasRoc: true, hasLongAnswers }).map(({ id, grow = 1 }) => ({ id, grow }));
    const all = grows.reduce((sum, { grow }) => sum + grow, 0);
    return (grows.find(({ id }) => id === 'answer')?.grow ?? 0) / all;
  };
  expect(share(false)).toBeLessThan(0.3);
  expect(share(true)).toBeGreaterThan(0.6);
});

describe('scores', () => {
  it('have a column each, sorted with grades among numbers and words last', () => {
    const scored = (scores: object | undefined) =>
      entriesOf(KNOWN).map((entry) =>
        entry.rollout === undefined
          ? entry
          : { ...entry, rollout: { ...entry.rollout, scores: scores && JSON.stringify(scores) } },
      )[0];
    const column = columnsWith({ scores: ['match', 'judge.style'] }).find(({ id }) => id === 'scores.match');
    const values = [
      { match: 'N' },
      { match: 0.25 },
      { match: 'P' },
      { match: true },
      { match: 'unsure' },
      {},
    ];
    const entries = values.flatMap((scores) => scored(scores) ?? []);
    const sorted = sortedBy(entries.toReversed(), column?.measure ?? (() => undefined), 'ascending');
    expect(sorted.map((entry) => column?.value?.(entry))).toEqual([
      'N',
      0.25,
      'P',
      true,
      'unsure',
      undefined,
    ]);
    expect(column?.hint).toMatch(/as logged/);
  });
});

describe('Resample-on-Correct', () => {
  const choice = (query: string) => choiceOfUrl(new URLSearchParams(query));
  const unknown = { ...ledgerOf(KNOWN, FOUR), source: 'unknown' as const };
  const columns = (hasRoc: boolean, hasStopReason = true, hasMalformedCalls = false) =>
    columnsWith({ hasRoc, hasStopReason, hasMalformedCalls }).map(({ id }) => id);

  it('is shown where the log has it, or where it is simulated', () => {
    expect(showsRoc(ledgerOf(KNOWN, FOUR), choice(''))).toBe(true);
    expect(showsRoc(unknown, choice(''))).toBe(false);
    expect(showsRoc(unknown, choice('basis=example'))).toBe(true);
    expect(showsRoc(unknown, choice('whatif=group'))).toBe(true);
  });

  it('leaves no column and no fact where it is not shown', () => {
    const plain = [
      'ordinal',
      'answer',
      'reward',
      'turns',
      'toolCalls',
      'toolErrors',
      'policyTokens',
      'stopReason',
    ];
    expect(columns(false, false)).not.toContain('stopReason');
    expect(columns(false).filter((id) => id !== 'pair')).toEqual(plain);
    expect(columns(false, true, true)).toContain('malformedCalls');
    expect(columns(true)).toEqual(
      expect.arrayContaining([...plain, 'decision', 'pErr', 'penalty', 'advantage']),
    );
    const [a, b] = entriesOf(KNOWN);
    if (a === undefined || b === undefined) throw new Error('two rollouts');
    const labels = pairFacts(a, b, undefined).map(({ label }) => label);
    expect(labels).toEqual(['answer', 'reward', 'turns', 'calls, failed', 'tokens', 'stopped by']);
    const rollout = { ...rolloutsOf(KNOWN)(a.row.rolloutId), malformedCalls: 2 };
    expect(pairFacts({ ...a, rollout }, b, undefined)).toContainEqual({
      ...{ label: 'malformed calls', values: ['2', ''], differs: true },
    });
  });
});

describe('the decision in force', () => {
  it('is never the recomputation if the log has one', () => {
    const ledger = ledgerOf(KNOWN, FOUR);
    const rows = ledger.rows.map((row) =>
      row.ordinal === 0 ? { ...row, logged: { kept: false, reason: 'discarded_positive_penalty' } } : row,
    );
    const [first, second] = ledgerEntries({ ...ledger, source: 'logged', rows }, rolloutsOf(KNOWN));
    expect(first?.standing).toEqual({ kept: false, reason: 'discarded_positive_penalty' });
    expect(first?.differs).toBe(true);
    // Not logged in a group that has logged decisions: unknown, though the recomputation would keep it.
    expect(second?.standing.kept).toBeUndefined();
  });

  it('is unknown if nothing is logged nor configured, and then the penalty is the plain sum', () => {
    const ledger = { ...ledgerOf(KNOWN, FOUR), source: 'unknown' as const };
    const [, second] = ledgerEntries(ledger, rolloutsOf(KNOWN));
    expect(second?.standing).toEqual({});
    expect(second?.penalty).toBe(0.5);
    expect(countedKind(ledger)).toBe('text');
  });

  it('flips only if both are known and differ', () => {
    const entries = entriesOf(KNOWN, { ...FOUR, down_sample_to_n: 6 });
    const flipped = entries.filter((entry) => entry.isFlip);
    expect(flipped.map(({ row }) => row.ordinal)).toEqual([3, 6]);
    expect(flipped.every(({ row }) => row.whatIf?.kept)).toBe(true);
    expect(entriesOf(POOL, FOUR).some((entry) => entry.isFlip)).toBe(false);
  });

  it('has no outcome while its row loads', () => {
    expect(outcomeOf(undefined)).toBe('unknown');
  });
});

describe('filters', () => {
  it('combine all enabled marks', () => {
    const entries = entriesOf(KNOWN);
    const shown = (marks: readonly LedgerMark[]) =>
      entries.filter((entry) => matchesLedger(entry, marks)).map(({ row }) => row.ordinal);
    expect(shown(['kept'])).toEqual([0, 1, 2, 5]);
    expect(shown(['kept', 'right'])).toEqual([0, 1]);
    expect(shown(['tie'])).toEqual([1, 3]);
    expect(entries.filter((entry) => hasMark(entry, 'disagrees'))).toEqual([]);
  });

  it('are in the URL, and opposites disable each other', () => {
    expect(marksOf('tie.kept.nonsense')).toEqual(['kept', 'tie']);
    expect(marksText(['kept', 'tie'], 'discarded')).toBe('tie.discarded');
    expect(marksText(['tie'], 'tie')).toBeUndefined();
  });
});

describe('two rollouts side by side', () => {
  it('show differences, and leave unknown blank', () => {
    const [a, b] = entriesOf(KNOWN);
    if (a === undefined || b === undefined) throw new Error('the pool has two');
    const facts = new Map(pairFacts(a, b, 'recomputed').map((fact) => [fact.label, fact]));
    expect(facts.get('penalty')).toMatchObject({ values: ['0', '0.500'], differs: true });
    expect(facts.get('decision, recomputed')?.values).toEqual(['kept, lowest penalty', 'kept, won the tie']);
    expect(facts.get('reward')?.differs).toBe(false);
    expect(pairFacts({ ...a, rollout: undefined }, b, 'unknown')[0]?.values[0]).toBe('');
  });

  it('are two at most: a third replaces the first', () => {
    const { flipCompared, clearCompared } = useInterface.getState();
    for (const id of [1, 2, 3]) flipCompared(7, id);
    expect(useInterface.getState().comparedOf[7]).toEqual([2, 3]);
    flipCompared(7, 2);
    expect(useInterface.getState().comparedOf[7]).toEqual([3]);
    clearCompared(7);
    expect(useInterface.getState().comparedOf[7]).toEqual([]);
  });
});

describe('a pool joined with its list of kept rollouts', () => {
  it('names the list that decided', () => {
    const ledger = ledgerOf(KNOWN, FOUR);
    expect(listedIn(ledger)).toBeUndefined();
    const rows = ledger.rows.map((row) => ({ ...row, logged: { kept: true, rule: 'listed in dumps' } }));
    expect(listedIn({ ...ledger, rows })).toBe('listed in dumps');
    const own = ledger.rows.map((row) => ({ ...row, logged: { kept: true, rule: 'release' } }));
    expect(listedIn({ ...ledger, rows: own })).toBeUndefined();
  });
});

describe('the comparison that a group offers', () => {
  const choiceOf = (picture: string, selected: readonly number[] = []) => {
    const choice = pairToCompare(entriesOf(picture), selected);
    return 'whyNot' in choice ? choice.whyNot : choice.pair.map(({ row }) => row.ordinal);
  };

  it('is the best correct rollout with the best incorrect one', () => {
    expect(choiceOf('-5 +5 -0 +0')).toEqual([3, 2]);
    expect(choiceOf('+5 -0 +5 -0')).toEqual([0, 1]);
  });

  it('is the selected pair where two are selected, in their order', () => {
    const ids = entriesOf('+0 +5 -0').map(({ row }) => row.rolloutId);
    expect(choiceOf('+0 +5 -0', [ids[1] ?? 0, ids[0] ?? 0])).toEqual([1, 0]);
    expect(choiceOf('+0 +5 -0', ids.slice(1, 2))).toEqual([0, 2]);
  });

  it('gives a reason where no pair can be chosen', () => {
    expect(choiceOf('+0')).toMatch(/one rollout/);
    expect(choiceOf('+0 +5')).toBe('No rollout of this group is incorrect. Select two rows to compare them');
    expect(choiceOf('-0 ?')).toBe('No rollout of this group is correct. Select two rows to compare them');
    expect(choiceOf('? ?')).toMatch(/^It is not known which/);
    const unread = ledgerEntries(ledgerOf('+0 -0', FOUR), () => undefined);
    expect(pairToCompare(unread, [])).toEqual({ whyNot: 'The rollouts are loading' });
  });
});
