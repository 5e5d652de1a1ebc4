/**
 * Annotations survive re-ingest, other paths, changed texts and moved runs; and every change can be undone.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnchorSearch } from '../../electron/storage/annotationPlaces.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { DEFAULT_TAXONOMY } from '../../shared/domain/annotate/taxonomy.ts';
import { type Asked, Labelled } from '../support/labelled.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let open: Labelled[];
beforeEach(() => {
  place = scratch();
  open = [];
});
afterEach(() => {
  for (const each of open) each.close();
  place.remove();
});

const labelled = (library = place.library): Labelled => {
  const made = new Labelled(library);
  open.push(made);
  return made;
};

/** Four rollouts of two problems at one step; a verl dump, which names no run. */
const record = (problem: string, sample: number, step: number, end = '') => ({
  input: `<|im_start|>user\nWhat is ${problem}?<|im_end|>\n<|im_start|>assistant\n`,
  output: `Sample ${sample} of ${problem} at step ${step}. Wait, let me think.\n<answer>\\boxed{${sample}}</answer>${end}`,
  gts: '1',
  score: sample % 2,
  step,
  uid: problem,
});
const log = (step: number, end = ''): string =>
  ['six', 'seven']
    .flatMap((problem) => [0, 1].map((sample) => `${JSON.stringify(record(problem, sample, step, end))}\n`))
    .join('');

function writeRun(directory: string, end = ''): string {
  const path = join(place.directory, directory);
  mkdirSync(path, { recursive: true });
  for (const step of [1, 2]) writeFileSync(join(path, `${step}.jsonl`), log(step, end));
  return path;
}

const span = (rolloutId: number, start = 0, end = 8): Asked => ({
  put: { rolloutId, target: { kind: 'span', text: 'response', start, end }, label: 'loops' },
});
const states = (library = place.library) =>
  rows(library, 'SELECT state, count(*) AS n FROM annotation GROUP BY state ORDER BY state');
/** By the rollout's content, not by its row number. */
const attached = (library = place.library) =>
  rows(
    library,
    `SELECT a.annotation_id, r.step, r.problem_id, r.answer, a.state, substr(s.text, 1, 20) AS text FROM annotation a
     JOIN rollout r USING (rollout_id) JOIN segment s ON s.rollout_id = r.rollout_id AND s.turn > 0
     GROUP BY a.annotation_id ORDER BY a.annotation_id`,
  );

function annotateAll(on: Labelled): void {
  for (const id of on.rollouts())
    on.apply(
      'ann',
      span(id),
      { put: { rolloutId: id, target: { kind: 'rollout' }, note: 'all of it' } },
      { read: id, verdict: 'read' },
    );
}

describe('an annotation stays with its rollout', () => {
  it('when an unchanged file is read again', async () => {
    const directory = writeRun('run');
    await ingestHere(place.library, [directory]);
    const before = labelled();
    annotateAll(before);
    const kept = attached();
    const marks = () => rows(place.library, 'SELECT count(*) AS n FROM reading_row');
    before.close();
    open = [];
    const { files } = await ingestHere(place.library, [directory], { readAgain: true });
    expect(files.map(({ status }) => status)).toEqual(['read', 'read']);
    expect(kept).toHaveLength(16);
    expect(attached()).toEqual(kept);
    expect(states()).toEqual([{ state: 'exact', n: 16 }]);
    expect(marks()).toEqual([{ n: 8 }]);
  });

  it('when the run is removed and re-ingested', async () => {
    const directory = writeRun('run');
    await ingestHere(place.library, [directory]);
    const before = labelled();
    annotateAll(before);
    const was = attached();
    expect(was).toHaveLength(16);
    before.close();
    open = [];
    const db = openWriter(place.library);
    const runKey = String(db.prepare('SELECT run_key FROM run_row').pluck().get());
    new LibraryWriter(db).removal.remove(runKey);
    db.close();
    expect(states()).toEqual([{ state: 'unattached', n: 16 }]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM annotation WHERE quote IS NOT NULL')).toEqual([
      { n: 8 },
    ]);
    await ingestHere(place.library, [directory]);
    expect(states()).toEqual([{ state: 'exact', n: 16 }]);
    expect(attached()).toEqual(was);
    expect(
      rows(
        place.library,
        "SELECT count(*) AS n FROM reading WHERE rollout_id IS NOT NULL AND verdict = 'read'",
      ),
    ).toEqual([{ n: 8 }]);
  });

  it('when one run of a log of two is removed, and the log re-ingested', async () => {
    const demo = join(import.meta.dirname, '../../fixtures/demo/demo.jsonl');
    const path = place.file('demo.jsonl', readFileSync(demo, 'utf8'));
    await ingestHere(place.library, [path]);
    const before = labelled();
    const of =
      'SELECT kind, count(*) AS n, min(rollout_id) AS id FROM run JOIN rollout USING (run_id) GROUP BY kind';
    const kinds = rows(place.library, of);
    expect(kinds.map(({ kind }) => kind)).toEqual(['eval', 'train']);
    for (const { id } of kinds) before.apply('ann', span(Number(id)));
    const was = attached();
    for (const kind of ['eval', 'train']) {
      new LibraryWriter(before.db).removal.remove(
        String(rows(place.library, `SELECT run_key FROM run WHERE kind = '${kind}'`)[0]?.['run_key']),
      );
      expect(states()).toEqual([
        { state: 'exact', n: 1 },
        { state: 'unattached', n: 1 },
      ]);
      // A copy would duplicate the rest of it.
      const copy = place.file('copy.jsonl', readFileSync(demo, 'utf8'));
      expect((await ingestHere(place.library, [copy])).files).toMatchObject([{ status: 'duplicate' }]);
      await ingestHere(place.library, [path]);
      const counted = ({ kind: of, n }: Record<string, unknown>) => ({ of, n });
      expect(rows(place.library, of).map(counted)).toEqual(kinds.map(counted));
      expect(attached()).toEqual(was);
    }
  });

  it('when the logs are ingested from another path into another library, under another name', async () => {
    await ingestHere(place.library, [writeRun('run')]);
    const here = labelled();
    annotateAll(here);
    const was = attached();
    const elsewhere = join(place.directory, 'other.sqlite');
    cpSync(join(place.directory, 'run'), join(place.directory, 'deep/down/elsewhere'), { recursive: true });
    here.db.pragma('wal_checkpoint(TRUNCATE)');
    cpSync(place.library, elsewhere);
    const db = openWriter(elsewhere);
    const writer = new LibraryWriter(db);
    writer.removal.remove(String(db.prepare('SELECT run_key FROM run_row').pluck().get()));
    // The user names the directory, which becomes the key of its run, so every address changes.
    writer.nameRun(join(place.directory, 'deep/down/elsewhere'), 'renamed');
    db.close();
    await ingestHere(elsewhere, [join(place.directory, 'deep/down/elsewhere')]);
    expect(rows(elsewhere, 'SELECT run_key FROM run')).toEqual([{ run_key: 'renamed' }]);
    expect(attached(elsewhere)).toEqual(was);
  });

  it('when groups are formed another way, and back', async () => {
    await ingestHere(place.library, [writeRun('run')]);
    const on = labelled();
    annotateAll(on);
    const was = attached();
    const writer = new LibraryWriter(on.db);
    const runKey = String(on.db.prepare('SELECT run_key FROM run_row').pluck().get());
    writer.setGroupRule(runKey, { rule: 'order', size: 4 });
    writer.annotations.place();
    expect(states()).toEqual([{ state: 'exact', n: 16 }]);
    const [first] = on.rollouts();
    const { annotations } = on.apply('bob', span(first ?? 0, 2, 5));
    expect(annotations[0]?.rollout.group).toBe(
      rows(place.library, 'SELECT read_group AS g FROM rollout_row LIMIT 1')[0]?.['g'],
    );
    writer.setGroupRule(runKey, undefined);
    writer.annotations.place();
    expect(attached().filter((row) => row['annotation_id'] !== annotations[0]?.id)).toEqual(was);
  });

  it('when its text has changed: moved if still found, orphaned if not, never dropped', async () => {
    const path = place.file('1.jsonl', log(1));
    await ingestHere(place.library, [path]);
    const before = labelled();
    const [first = 0] = before.rollouts();
    before.apply('ann', span(first, 0, 8), span(first, 30, 45), {
      put: { rolloutId: first, target: { kind: 'rollout' }, label: 'loops' },
    });
    before.close();
    open = [];
    const changed = log(1).replace('Sample 0 of six', 'In other words, sample 0 of six');
    writeFileSync(path, changed);
    await ingestHere(place.library, [path]);
    expect(
      rows(place.library, 'SELECT target, state, quote, start FROM annotation ORDER BY target, start'),
    ).toEqual([
      { target: 'rollout', state: 'moved', quote: null, start: null },
      { target: 'span', state: 'orphaned', quote: 'Sample 0', start: null },
      { target: 'span', state: 'moved', quote: 't, let me think', start: 46 },
    ]);
    writeFileSync(path, log(1));
    await ingestHere(place.library, [path]);
    expect(states()).toEqual([{ state: 'exact', n: 3 }]);
  });

  it('is unattached rather than put on another problem with the same address', async () => {
    const path = place.file('1.jsonl', log(1));
    await ingestHere(place.library, [path]);
    const before = labelled();
    const [first = 0] = before.rollouts();
    before.apply('ann', span(first), {
      put: { rolloutId: first, target: { kind: 'rollout' }, label: 'loops' },
    });
    before.db.prepare("UPDATE problem_row SET problem_id = 'of somebody else'").run();
    before.db.prepare("UPDATE rollout_row SET content_hash = 'x' || rollout_id").run();
    before.db.prepare("UPDATE annotated_row SET content_hash = 'other'").run();
    before.db.prepare('DELETE FROM annotated_place_row').run();
    before.annotations.places.forgetSearch();
    before.annotations.place();
    expect(states()).toEqual([{ state: 'unattached', n: 2 }]);
  });

  it('costs ingest nothing without annotations, and is not searched again without new rollouts', async () => {
    await ingestHere(place.library, [writeRun('run')]);
    const on = labelled();
    const statements: string[] = [];
    const prepare = on.db.prepare.bind(on.db);
    on.db.prepare = ((sql: string) => {
      statements.push(sql);
      return prepare(sql);
    }) as typeof on.db.prepare;
    expect(on.annotations.place()).toEqual([]);
    annotateAll(on);
    on.annotations.place();
    statements.length = 0;
    expect(on.annotations.place()).toEqual([]);
    expect(statements).toEqual([]);
  });
});

describe('a run that is moved', () => {
  it('takes its annotations along, and leaves those of others', async () => {
    await ingestHere(place.library, [writeRun('one'), writeRun('two', ' ')]);
    const on = labelled();
    annotateAll(on);
    const runKeys = on.db.prepare('SELECT run_key FROM run_row ORDER BY run_id').pluck().all() as string[];
    const [moved = '', kept = ''] = runKeys;
    const all = attached();
    const to = join(place.directory, 'moved.sqlite');
    const writer = new LibraryWriter(on.db);
    const done = writer.removal.move(moved, to, { isCancelled: () => false, onProgress: () => undefined });
    expect(done).toHaveProperty('moved');
    expect(states(to)).toEqual([{ state: 'exact', n: 16 }]);
    expect(states()).toEqual([{ state: 'exact', n: 16 }]);
    expect(rows(to, 'SELECT DISTINCT run_key FROM annotation')).toEqual([{ run_key: moved }]);
    expect(rows(place.library, 'SELECT DISTINCT run_key FROM annotation')).toEqual([{ run_key: kept }]);
    expect([...attached(to), ...attached()].sort(byId)).toEqual(all);
    expect(rows(to, "SELECT count(*) AS n FROM reading WHERE verdict = 'read'")).toEqual([{ n: 8 }]);
    // The annotation that undo would restore is elsewhere.
    expect(on.undo().words).toBeUndefined();
  });
});

const byId = (a: Record<string, unknown>, b: Record<string, unknown>): number =>
  String(a['annotation_id']) < String(b['annotation_id']) ? -1 : 1;

describe('undo and redo', () => {
  beforeEach(async () => {
    await ingestHere(place.library, [place.file('1.jsonl', log(1))]);
  });

  const changes = fc.oneof(
    fc.record({
      on: fc.nat(3),
      id: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
      label: fc.constantFrom('loops', 'gave-up'),
      note: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      isSpan: fc.boolean(),
    }),
    fc.record({ remove: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ on: fc.nat(3), verdict: fc.constantFrom('read' as const, 'skipped' as const, null) }),
  );
  const steps = fc.array(
    fc.record({
      author: fc.constantFrom('ann', 'bob'),
      changes: fc.array(changes, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it.each(['many', 'one'] as const)(
    'undo ∘ apply and redo ∘ undo change nothing, with %s label for a place',
    (choice) => {
      const on = labelled();
      on.annotations.setTaxonomy({ ...DEFAULT_TAXONOMY, choice });
      const rollouts = on.rollouts();
      const asked = (
        change: (typeof steps extends fc.Arbitrary<infer S> ? S : never)[number]['changes'][number],
      ): Asked => {
        if ('remove' in change) return { remove: change.remove };
        const rolloutId = rollouts[change.on] ?? 0;
        if ('verdict' in change) return { read: rolloutId, verdict: change.verdict };
        const { id, label, note, isSpan } = change;
        const target = isSpan
          ? { kind: 'span' as const, text: 'response' as const, start: 1, end: 4 }
          : { kind: 'rollout' as const };
        return { put: { rolloutId, target, label, ...(id && { id }), ...(note && { note }) } };
      };
      fc.assert(
        fc.property(steps, (all) => {
          const history = [on.said()];
          for (const { author, changes: of } of all) {
            const before = on.said();
            const { history: state } = on.apply(author, ...of.map(asked));
            if (JSON.stringify(on.said()) === JSON.stringify(before)) {
              // Undone at once if the change did nothing but add a step.
              continue;
            }
            history.push(on.said());
            expect(state.undo).toBeDefined();
            on.undo();
            expect(on.said()).toEqual(before);
            on.redo();
            expect(on.said()).toEqual(history.at(-1));
          }
          const end = on.said();
          let back = 0;
          while (JSON.stringify(on.said()) !== JSON.stringify(history[0]) && back < 100) {
            on.undo();
            back++;
          }
          expect(on.said()).toEqual(history[0]);
          for (let i = 0; i < back; i++) on.redo();
          expect(on.said()).toEqual(end);
        }),
        { numRuns: 40 },
      );
    },
  );

  it('says that a note is undone, not its label', () => {
    const on = labelled();
    const [first = 0] = on.rollouts();
    const put = { rolloutId: first, target: { kind: 'rollout' }, label: 'loops' } as const;
    const [made] = on.apply('ann', { put }).annotations;
    on.apply('ann', { put: { id: made?.id ?? '', label: 'loops', note: 'hm' } });
    expect(on.undo()).toMatchObject({ words: 'note on label Loops' });
    expect(on.undo()).toMatchObject({ words: 'label Loops' });
  });

  it('survives a restart, ends with a new change, and describes the undone one', () => {
    const on = labelled();
    const [first = 0, second = 0] = on.rollouts();
    on.apply('ann', { put: { rolloutId: first, target: { kind: 'rollout' }, label: 'loops' } });
    on.apply('ann', { put: { rolloutId: second, target: { kind: 'rollout' }, note: 'hm' } });
    on.close();
    open = [];
    const again = labelled();
    expect(again.undo()).toMatchObject({
      words: 'note',
      rolloutIds: [second],
      history: { undo: 'label Loops', redo: 'note' },
    });
    again.apply('ann', { read: first, verdict: 'skipped' });
    expect(again.redo().words).toBeUndefined();
    expect(again.undo()).toMatchObject({ words: 'skipped', rolloutIds: [first] });
    expect(again.undo()).toMatchObject({ words: 'label Loops', rolloutIds: [first] });
    expect(again.undo().words).toBeUndefined();
    expect(again.said()).toEqual([]);
  });
});

describe('a change', () => {
  beforeEach(async () => {
    await ingestHere(place.library, [place.file('1.jsonl', log(1))]);
  });

  it('is atomic', () => {
    const on = labelled();
    const [first = 0] = on.rollouts();
    const good: Asked = { put: { rolloutId: first, target: { kind: 'rollout' }, label: 'loops' } };
    for (const [bad, message] of [
      [{ put: { rolloutId: 999, target: { kind: 'rollout' }, label: 'loops' } }, 'no rollout 999'],
      [
        { put: { rolloutId: first, target: { kind: 'rollout' }, label: 'no-such' } },
        'there is no label no-such',
      ],
      [{ put: { rolloutId: first, target: { kind: 'turn', turn: 9 }, label: 'loops' } }, 'no turn 9'],
      [{ put: { rolloutId: first, target: { kind: 'segment', segment: 99 }, label: 'loops' } }, 'segments'],
      [span(first, 0, 100_000), 'the response ends at'],
      [{ put: { id: 'nobody', label: 'loops' } }, 'there is no annotation nobody'],
      [
        { put: { rolloutId: first, target: { kind: 'rollout' }, note: '  ' } },
        'a label, a note or a correction',
      ],
    ] as [Asked, string][]) {
      expect(() => on.apply('ann', good, bad)).toThrow(message);
      expect(on.said()).toEqual([]);
    }
  });

  it('of an existing annotation keeps its date and, without a target, its target, and sets the author', () => {
    const on = labelled();
    const [first = 0] = on.rollouts();
    const [made] = on.apply('ann', span(first, 3, 9)).annotations;
    const [edited] = on.apply('bob', {
      put: { id: made?.id ?? '', note: 'because', label: 'gave-up' },
    }).annotations;
    expect(edited).toMatchObject({
      ...{
        author: 'bob',
        label: 'gave-up',
        note: 'because',
        createdAt: made?.createdAt,
        target: made?.target,
      },
      place: { start: 3, end: 9, state: 'exact' },
    });
    expect(edited?.annotationNo).toBe(made?.annotationNo);
    // A change to equal content is no change and sets no author.
    on.apply('ann', { put: { id: made?.id ?? '', note: 'because', label: 'gave-up' } });
    expect(rows(place.library, 'SELECT author FROM annotation')).toEqual([{ author: 'bob' }]);
    on.undo('bob');
    expect(rows(place.library, 'SELECT author, label FROM annotation')).toEqual([
      { author: 'ann', label: 'loops' },
    ]);
  });

  it('keeps the flag it confirms unless it takes that away', () => {
    const on = labelled();
    const [first = 0] = on.rollouts();
    const flag = 'repetition' as const;
    const [made] = on.apply('ann', {
      put: { rolloutId: first, target: { kind: 'rollout' }, label: 'loops', flag },
    }).annotations;
    const id = made?.id ?? '';
    expect(on.apply('ann', { put: { id, label: 'loops', note: 'yes' } }).annotations[0]?.flag).toBe(flag);
    const [without] = on.apply('ann', { put: { id, label: 'loops', flag: null } }).annotations;
    expect(without).toMatchObject({ id, label: 'loops' });
    expect(without?.flag).toBeUndefined();
  });

  it('that equals an existing annotation returns that one, from any window', () => {
    const on = labelled();
    const [first = 0, second = 0] = on.rollouts();
    const made = on.apply('ann', span(first), span(first)).annotations;
    expect(made).toHaveLength(1);
    const other = labelled();
    expect(other.apply('ann', span(first)).annotations.map(({ id }) => id)).toEqual([made[0]?.id]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM annotation')).toEqual([{ n: 1 }]);
    // A different author, target or content makes it a different annotation.
    const more: Asked = { put: { ...(span(first) as { put: object }).put, note: 'why' } } as Asked;
    on.apply('bob', span(first));
    on.apply('ann', span(first, 1, 8), span(second), more);
    expect(rows(place.library, 'SELECT count(*) AS n FROM annotation')).toEqual([{ n: 5 }]);
  });

  it('is undone by its author, past changes of others, unless they changed the same', () => {
    const on = labelled();
    const [first = 0, second = 0] = on.rollouts();
    const [mine] = on.apply('ann', span(first)).annotations;
    on.apply('bob', span(second));
    on.apply('ann', { read: first, verdict: 'read' });
    on.apply('bob', { read: second, verdict: 'skipped' });
    expect(on.undo('ann')).toMatchObject({
      words: 'read',
      history: { undo: 'label Loops', redo: 'read' },
    });
    expect(on.undo('ann').words).toBe('label Loops');
    expect(on.undo('ann').words).toBeUndefined();
    expect(rows(place.library, 'SELECT author FROM annotation')).toEqual([{ author: 'bob' }]);
    // Changes by somebody else do not clear ann's redo.
    on.apply('bob', span(second, 2, 5));
    expect(on.redo('ann').words).toBe('label Loops');
    on.apply('bob', { put: { id: mine?.id ?? '', label: 'gave-up' } });
    const was = on.said();
    expect(() => on.undo('ann')).toThrow('another reviewer has changed');
    expect(on.said()).toEqual(was);
    expect(on.redo('ann').words).toBe('read');
    expect(on.undo('bob').words).toMatch(/^label /);
    on.undo('ann');
    expect(on.undo('ann').words).toBe('label Loops');
  });

  it('with one label for a place replaces that of the same author, and keeps its note', () => {
    const on = labelled();
    on.annotations.setTaxonomy({ ...DEFAULT_TAXONOMY, choice: 'one' });
    const [first = 0] = on.rollouts();
    const put = (label: string, note?: string): Asked => ({
      put: { rolloutId: first, target: { kind: 'rollout' }, label, ...(note && { note }) },
    });
    const [plain] = on.apply('ann', put('loops')).annotations;
    on.apply('bob', put('loops'));
    on.apply('ann', span(first));
    const second = on.apply('ann', put('gave-up', 'see turn 2'));
    expect(second.removed).toEqual([plain?.id]);
    on.apply('ann', put('reward-hack'));
    expect(
      rows(
        place.library,
        'SELECT author, target, label, note FROM annotation ORDER BY author, target, label',
      ),
    ).toEqual([
      { author: 'ann', target: 'rollout', label: null, note: 'see turn 2' },
      { author: 'ann', target: 'rollout', label: 'reward-hack', note: null },
      { author: 'ann', target: 'span', label: 'loops', note: null },
      { author: 'bob', target: 'rollout', label: 'loops', note: null },
    ]);
  });

  it('puts a label on a turn, a segment and a span of the prompt, each quoted', () => {
    const on = labelled();
    const [first = 0] = on.rollouts();
    const { annotations } = on.apply(
      'ann',
      { put: { rolloutId: first, target: { kind: 'turn', turn: 1 }, label: 'loops' } },
      { put: { rolloutId: first, target: { kind: 'turn', turn: 0 }, label: 'loops' } },
      { put: { rolloutId: first, target: { kind: 'segment', segment: 1 }, label: 'loops' } },
      {
        put: {
          rolloutId: first,
          target: { kind: 'span', text: 'prompt', start: 17, end: 24 },
          label: 'loops',
        },
      },
    );
    const quotes = annotations.map(({ target }) => (target.kind === 'rollout' ? '' : target.anchor.quote));
    expect(quotes[0]).toContain('Sample 0 of six');
    expect(quotes[1]).toContain('What is six?');
    expect(quotes[0]).toContain(quotes[2]);
    expect(quotes[3]).toBe('What is');
    expect(annotations.every(({ place: at }) => at?.state === 'exact')).toBe(true);
  });
});

it('a quote that has moved is searched until much text has been, and then only found at its own place', async () => {
  const long = `${'a b '.repeat(1 << 18)}the end`.slice(8);
  const line = { v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, text: long };
  await ingestHere(place.library, [
    place.file('log.jsonl', `${JSON.stringify({ ...line, problem: { id: 'p', prompt: '?' } })}\n`),
  ]);
  const [rollout] = rows(place.library, 'SELECT rollout_id AS id FROM rollout');
  const id = Number(rollout?.['id']);
  const anchor = (start: number, quote: string) => ({
    ...{ text: 'response' as const, start, end: start + quote.length, quote, before: '', after: '' },
  });
  const db = openWriter(place.library);
  try {
    const search = new AnchorSearch(db);
    const [here, moved] = [anchor(long.indexOf('the end'), 'the end'), anchor(0, 'the end')];
    expect(search.locate(moved, id).state).toBe('moved');
    for (let i = 0; i < 70; i++) expect(search.locate(anchor(0, 'x'), id).state).toBe('orphaned');
    expect(search.locate(moved, id).state).toBe('orphaned');
    expect(search.locate(here, id).state).toBe('exact');
    expect(new AnchorSearch(db).locate(moved, id).state).toBe('moved');
  } finally {
    db.close();
  }
});
