/**
 * Agreement of the aligner with alignments made by reading (fixtures/alignment/README.md). Real logs are
 * compared if their folder exists (TURNWISE_REALDATA names it).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareHandlers } from '../../electron/compare/handlers.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import { resolveAddress } from '../../electron/storage/queries/places.ts';
import { TranscriptReader } from '../../electron/storage/queries/transcripts.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import { unpackComparison } from '../../shared/api/packedRows.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

interface GoldRollout {
  readonly run: string;
  readonly step: number;
  readonly group: string;
  readonly ordinal: number;
  readonly turns: number;
  readonly sha256: string;
}
interface GoldPair {
  readonly id: string;
  readonly source: string;
  readonly a: GoldRollout;
  readonly b: GoldRollout;
  readonly alignment: string;
  readonly allowed?: string;
  readonly obvious?: string;
}

const GOLD = join(import.meta.dirname, '..', '..', 'fixtures', 'alignment', 'gold.jsonl');
const NAMED =
  process.env['TURNWISE_REALDATA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'realdata');
/** With links resolved, as ingest names it. */
const REALDATA = existsSync(NAMED) ? realpathSync(NAMED) : NAMED;

/**
 * First part of `source` → how many turns are right at least, and how many obvious pairs are missed at most.
 * Adjust them when the aligner improves, so that it cannot get worse again.
 */
const LIMITS: Readonly<Record<string, readonly [right: number, missed: number]>> = {
  demo: [84, 0],
  'verl-val-multiturn': [79, 0],
  'tau-bench': [250, 0],
  'nemo-gym': [46, 0],
  inspect: [8, 0],
  verifiers: [21, 0],
  agentgym: [38, 0],
};

const PAIRS = readFileSync(GOLD, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as GoldPair);

const logOf = ({ source }: GoldPair): string => source.split('/')[0] ?? source;
const pairsOf = (log: string): readonly GoldPair[] => PAIRS.filter((pair) => logOf(pair) === log);

/** Entries such as `2-3`. */
const entriesOf = (list = ''): readonly string[] => list.split(' ').filter((entry) => entry !== '');
/** Splits an entry into the turns of both sides. `_`: no counterpart. */
const turnsOf = (entry: string): readonly string[] => entry.split('-');
const numbered = (turns: number): readonly string[] => Array.from({ length: turns }, (_, i) => `${i + 1}`);

const addressOf = ({ run, step, group, ordinal }: GoldRollout) => ({
  runKey: run,
  step,
  groupKey: group,
  ordinal,
});

describe('the table', () => {
  it('has sixty pairs, of every source', () => {
    expect(new Set(PAIRS.map(({ id }) => id)).size).toBe(60);
    expect(new Set(PAIRS.map(logOf))).toEqual(new Set(Object.keys(LIMITS)));
  });

  it('names every turn once and in order', () => {
    for (const { id, a, b, alignment, allowed, obvious } of PAIRS) {
      const entries = entriesOf(alignment);
      [a, b].forEach(({ turns }, side) => {
        const named = entries.map((entry) => turnsOf(entry)[side]).filter((turn) => turn !== '_');
        expect({ id, side, named }).toEqual({ id, side, named: numbered(turns) });
        const further = entriesOf(allowed).map((entry) => turnsOf(entry)[side]);
        expect([...numbered(turns), '_', '*'], id).toEqual(expect.arrayContaining(further));
      });
      expect(entries, id).toEqual(expect.arrayContaining([...entriesOf(obvious)]));
    }
  });
});

describe('the demo run', () => {
  compareLogs(['demo'], copyDemoLibrary);
});

describe.runIf(existsSync(REALDATA))('real logs', () => {
  const logs = Object.keys(LIMITS).filter((log) => log !== 'demo');
  const sources = new Set(logs.flatMap(pairsOf).map(({ source }) => join(REALDATA, source)));
  compareLogs(logs, (library) => ingestHere(library, [...sources]));
});

function compareLogs(logs: readonly string[], fill: (library: string) => Promise<unknown>): void {
  let place: Scratch;
  let db: ReadableLibrary;
  beforeAll(async () => {
    place = scratch();
    await fill(place.library);
    db = openReader(place.library);
  });
  afterAll(() => {
    db.close();
    place.remove();
  });

  it.each(logs)('%s has the rollouts that were read', (log) => {
    for (const { id, a, b } of pairsOf(log))
      for (const rollout of [a, b])
        expect({ id, ...rollout, ...storedRollout(db, rollout) }).toEqual({ id, ...rollout });
  });

  it.each(logs)('%s is aligned no worse than before', (log) => {
    const { right, turns, missed, obvious, errors } = agreement(db, pairsOf(log));
    const share = ((100 * right) / turns).toFixed(1);
    const figures = `${log}: ${right} of ${turns} turns right (${share} %), ${missed} of ${obvious} obvious pairs missed`;
    console.log([figures, ...errors].join('\n  '));
    const [leastRight, mostMissed] = LIMITS[log] ?? [turns, 0];
    expect(right).toBeGreaterThanOrEqual(leastRight);
    expect(missed).toBeLessThanOrEqual(mostMissed);
  });
}

function storedRollout(
  db: ReadableLibrary,
  rollout: GoldRollout,
): { readonly sha256: string; readonly turns: unknown } {
  const { rolloutId } = resolveAddress(db, addressOf(rollout));
  if (rolloutId === undefined) throw new Error('an address with a group and an ordinal names a rollout');
  const response = new TranscriptReader(db).read(rolloutId)?.response ?? '';
  return {
    sha256: createHash('sha256').update(response).digest('hex'),
    turns: db.prepare('SELECT turns FROM rollout WHERE rollout_id = ?').pluck().get(rolloutId),
  };
}

interface Agreement {
  right: number;
  turns: number;
  missed: number;
  obvious: number;
  /** Wrong entries and missed obvious pairs, a line per pair of rollouts. */
  readonly errors: string[];
}

function agreement(db: ReadableLibrary, pairs: readonly GoldPair[]): Agreement {
  const sum: Agreement = { right: 0, turns: 0, missed: 0, obvious: 0, errors: [] };
  for (const pair of pairs) {
    const found = alignmentOf(db, pair);
    const accepted = new Set([...entriesOf(pair.alignment), ...entriesOf(pair.allowed)]);
    const wrong = found.filter((entry) => {
      const [a = '_', b = '_'] = turnsOf(entry);
      const counted =
        Number(a !== '_' && !accepted.has(`${a}-*`)) + Number(b !== '_' && !accepted.has(`*-${b}`));
      sum.turns += counted;
      if (accepted.has(entry)) sum.right += counted;
      return counted > 0 && !accepted.has(entry);
    });
    const obvious = entriesOf(pair.obvious);
    const missed = obvious.filter((entry) => !found.includes(entry));
    sum.obvious += obvious.length;
    sum.missed += missed.length;
    if (wrong.length > 0)
      sum.errors.push(`${pair.id}: wrong ${wrong.join(' ')}; missed ${missed.join(' ') || 'none'}`);
  }
  return sum;
}

/** The aligner's answer to a compare request, in the notation of the table. */
function alignmentOf(db: ReadableLibrary, { a, b }: GoldPair): readonly string[] {
  const rollouts = [addressOf(a), addressOf(b)];
  const packed = compareHandlers(db)['compare.align']({ rollouts, baseline: 0 }, FREE_TASK);
  return unpackComparison(packed).rows.map(({ turns }) => `${turns[0] ?? '_'}-${turns[1] ?? '_'}`);
}
