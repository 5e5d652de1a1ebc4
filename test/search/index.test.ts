/** The index returns the same as scanning, at any progress and after removals. */
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { SEARCH } from '../../electron/storage/migrations/initial/rollouts.ts';
import { openReader, openWriter, type WritableLibrary } from '../../electron/storage/open.ts';
import { indexQuery, indexState } from '../../electron/storage/queries/search.ts';
import { indexPiece } from '../../electron/storage/searchIndex.ts';
import { TEXT_FIELDS } from '../../shared/domain/filter/fields.ts';
import type { TextNode } from '../../shared/domain/filter/node.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { wordsOf } from '../../shared/domain/filter/words.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { askColumns } from '../support/columnQuestion.ts';
import { ingestInto, type Scratch, scratch } from '../support/library.ts';

/** Words that fold, join and split in different ways, in several scripts. */
const WORDS = [
  'wait',
  'Wait',
  'double',
  'check',
  'double-check',
  'snake_case_name',
  'x1',
  '42',
  '3.14',
  'naïve',
  'NAÏVE',
  'e\u0301te\u0301',
  'été',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
  'straße',
  'STRASSE',
  'İstanbul',
  '漢字',
  '字漢',
  '答えは',
  'ไทย',
  'हिन्दी',
  'हिन्',
  'עברית',
  'þ00e9',
  'þ',
  '🧮',
  'a🧮b',
  '𝒳𝒴',
  'ǆ',
  '\u0000',
  '\ud800',
];
const word = fc.constantFrom(...WORDS);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '-', '', '. ', '\n', '_')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''));
const response = fc
  .tuple(text, text, text, text)
  .map(
    ([reason, code, output, answer]) =>
      `<reason>${reason}</reason>\n<tool_call>\n${JSON.stringify({ name: 'python', arguments: { code } })}\n</tool_call>` +
      `user\n<tool_response>\n${output}\n</tool_response>\nassistant\n<answer>${answer}</answer>`,
  );
const node: fc.Arbitrary<TextNode> = fc
  .record({
    kind: fc.constant('text' as const),
    field: fc.constantFrom(...TEXT_FIELDS),
    form: fc.constantFrom('words' as const, 'prefix' as const),
    text: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  })
  .filter((each) => wordsOf(each.text).length > 0)
  .map((each) => {
    // A prefix is a single typed word.
    const last = wordsOf(each.text).at(-1) ?? '';
    return each.form === 'prefix' ? { ...each, text: last.slice(0, Math.max(1, last.length - 1)) } : each;
  })
  .filter((each) => wordsOf(each.text).length > 0);

const lines = (records: readonly (readonly [prompt: string, output: string])[], step: number): string =>
  records.map(([input, output]) => JSON.stringify({ input, output, score: 0, step, gts: '1' })).join('\n');

let place: Scratch;
let db: WritableLibrary;
beforeAll(() => {
  place = scratch();
});
afterAll(() => place.remove());

function idsFor(reader: WritableLibrary, filter: string): number[] {
  const runs = reader.prepare('SELECT run_id FROM run_row ORDER BY 1').pluck().all() as number[];
  return runs.flatMap((runId) => {
    const answer = askColumns(new ColumnQueryEngine(reader), {
      method: 'rollout.order',
      runId,
      filter,
      sort: [],
    });
    if (!answer.ok) throw new Error(answer.failure.message);
    return Array.from((answer.value as { ids: Uint32Array }).ids);
  });
}

const finish = (): void => {
  while (indexPiece(db));
};

let libraries = 0;
async function libraryOf(records: readonly (readonly [string, string])[]): Promise<void> {
  libraries += 1;
  const path = place.file(`logs-${libraries}/1.jsonl`.replace('/', '-'), lines(records, 1));
  db = openWriter(`${place.library}-${libraries}`);
  await ingestInto(db, [path]);
}

describe('the full-text index', () => {
  it('finds what scanning finds, in every script, field and form, before, during and after indexing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, response), { minLength: 1, maxLength: 12 }),
        fc.array(node, { minLength: 1, maxLength: 12 }),
        async (records, nodes) => {
          await libraryOf(records);
          try {
            const filters = nodes.flatMap((each) => {
              const asked = filterText(each);
              return [asked, `not ${asked}`, `reward:0 (${asked} or reward:1)`];
            });
            const read = filters.map((filter) => idsFor(db, filter));
            finish();
            expect(indexState(db)).toMatchObject({ indexed: indexState(db).rollouts });
            expect(filters.map((filter) => idsFor(db, filter))).toEqual(read);
            // Half of it: the rest is scanned.
            const half = Math.ceil(records.length / 2);
            db.prepare('DELETE FROM search_text WHERE rowid > ?').run(half);
            db.prepare('UPDATE search_state_row SET rollouts_to = ?, prompts_to = 0').run(half);
            expect(filters.map((filter) => idsFor(db, filter))).toEqual(read);
          } finally {
            db.close();
          }
        },
      ),
      { seed: 11, numRuns: 60 },
    );
  });

  it('a phrase does not cross segments', async () => {
    await libraryOf([['p', '<reason>one two</reason>\n<reason>three</reason>\n<answer>four</answer>']]);
    expect(idsFor(db, '"two three"')).toEqual([]);
    finish();
    expect(idsFor(db, '"two three"')).toEqual([]);
    expect(idsFor(db, '"one two"')).toEqual([1]);
    db.close();
  });

  it('removed rollouts leave it, and reused ids are indexed again', async () => {
    await libraryOf([
      ['p', '<answer>alpha</answer>'],
      ['p', '<answer>beta</answer>'],
    ]);
    finish();
    expect(idsFor(db, 'alpha')).toEqual([1]);
    const [runKey = ''] = db.prepare('SELECT run_key FROM run_row').pluck().all() as string[];
    new LibraryWriter(db).removal.remove(runKey);
    expect(indexState(db)).toMatchObject({ indexed: 0, rollouts: 0 });
    // The file contains no trace of their words.
    expect(db.prepare("SELECT count(*) FROM search_text WHERE search_text MATCH 'alpha'").pluck().get()).toBe(
      0,
    );
    const other = place.file('other.jsonl', lines([['q', '<answer>gamma</answer>']], 1));
    await ingestInto(db, [other]);
    expect(idsFor(db, 'alpha')).toEqual([]);
    expect(idsFor(db, 'gamma')).toEqual([1]);
    finish();
    expect(idsFor(db, 'alpha')).toEqual([]);
    expect(idsFor(db, 'gamma')).toEqual([1]);
    expect(indexState(db)).toMatchObject({ indexed: 1, rollouts: 1 });
    db.close();
  });

  it('has every rollout, in whatever order rollouts come, go and are indexed', () => {
    const marks = new Database(':memory:');
    for (const name of ['rollout', 'prompt'])
      marks.exec(`CREATE TABLE ${name}_row (${name}_id INTEGER PRIMARY KEY)`);
    marks.exec(SEARCH);
    const random = seededRandom(12);
    const ids = () => marks.prepare('SELECT rollout_id FROM rollout_row').pluck().all() as number[];
    for (let round = 0; round < 400; round++) {
      const kind = random();
      if (kind < 0.4)
        for (let n = random() * 6; n > 0; n--) marks.exec('INSERT INTO rollout_row DEFAULT VALUES');
      else if (kind < 0.7) {
        for (const id of ids())
          if (random() < 0.5) marks.prepare('DELETE FROM rollout_row WHERE rollout_id = ?').run(id);
      } else if (kind < 0.8) marks.exec('DELETE FROM rollout_row WHERE true');
      else {
        const { rollouts_to: from } = marks.prepare('SELECT rollouts_to FROM search_state_row').get() as {
          rollouts_to: number;
        };
        const next = ids()
          .filter((id) => id > from)
          .slice(0, 3);
        marks
          .prepare('UPDATE search_state_row SET rollouts_to = ?, indexed = indexed + ?')
          .run(next.at(-1) ?? from, next.length);
      }
      const state = marks.prepare('SELECT rollouts_to, indexed FROM search_state_row').get() as {
        rollouts_to: number;
        indexed: number;
      };
      expect(state.rollouts_to).toBeLessThanOrEqual(Math.max(0, ...ids()));
      expect(state.indexed).toBe(ids().filter((id) => id <= state.rollouts_to).length);
    }
    marks.close();
  });

  it('a rewritten file is indexed again', async () => {
    libraries += 1;
    const name = 'again.jsonl';
    const records = (words: string) => lines([['p', `<answer>${words}</answer>`]], 1);
    db = openWriter(`${place.library}-${libraries}`);
    await ingestInto(db, [place.file(name, records('first'))]);
    finish();
    await ingestInto(db, [place.file(name, `${records('second and longer')}\n${records('third')}`)]);
    finish();
    expect(idsFor(db, 'first')).toEqual([]);
    expect(idsFor(db, 'second')).toHaveLength(1);
    expect(indexState(db)).toMatchObject({ indexed: 2, rollouts: 2 });
    db.close();
  });

  it('an interruption in a batch leaves the mark unchanged', async () => {
    await libraryOf([['p', '<answer>alpha</answer>']]);
    while (indexState(db).promptsTo === 0) indexPiece(db);
    expect(() =>
      db.transaction(() => {
        indexPiece(db);
        throw new Error('the process ends here');
      })(),
    ).toThrow('ends here');
    expect(indexState(db).indexed).toBe(0);
    expect(indexPiece(db)).toBe(true);
    expect(idsFor(db, 'alpha')).toEqual([1]);
    expect(indexPiece(db)).toBe(false);
    db.close();
  });

  it('is readable by a read-only connection', async () => {
    await libraryOf([['p', '<answer>alpha</answer>']]);
    finish();
    const path = db.name;
    db.close();
    const reader = openReader(path);
    expect(idsFor(reader as WritableLibrary, 'alpha')).toEqual([1]);
    reader.close();
  });

  it('is not used for queries it cannot answer', () => {
    const asked = (form: TextNode['form'], words: string) =>
      indexQuery({ kind: 'text', field: 'code', form, text: words });
    expect(asked('words', 'double-check')).toBe('code : "double check"');
    expect(asked('prefix', 'symp')).toBe('code : "symp" *');
    expect(asked('words', 'NAÏVE')).toBe('code : "naþ006nve"');
    expect(asked('regex', 'a+')).toBeUndefined();
    // Longer than a token of the index can be.
    expect(asked('words', 'é'.repeat(10_000))).toBeUndefined();
    // The index would read the places of each word at once.
    expect(asked('words', 'a '.repeat(33))).toBeUndefined();
  });
});
