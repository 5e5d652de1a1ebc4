/** Packs of pairs: both rollouts with their links, read again, chosen by label, redacted, cancelled, hostile. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareRollouts } from '../../electron/compare/align.ts';
import { openReader } from '../../electron/storage/open.ts';
import { problemChanges } from '../../electron/storage/queries/changes.ts';
import type { ChangedProblem, PackFormat } from '../../shared/api/contract.ts';
import { pack as packFormat } from '../../shared/format/pack.ts';
import { faultsOf } from '../support/jsonSchema.ts';
import { Labelled } from '../support/labelled.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { hostileLibrary, type PackAsked, packHere } from '../support/packed.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

let place: Scratch;
let runId: number;
let changed: readonly ChangedProblem[];
let count = 0;
const pairs = () => ({
  from: { runId, step: 0 },
  to: { runId, step: 500 },
  became: 'correct' as const,
});

async function pack(format: PackFormat, asked: PackAsked, library = place.library): Promise<string> {
  const path = join(place.directory, `pairs-${count++}.${format}`);
  const written = await packHere(library, format, path, asked);
  if (written === undefined) throw new Error('it was not written');
  return readFileSync(path, 'utf8');
}

interface Line {
  readonly type: string;
  readonly [name: string]: unknown;
}
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
  const db = openReader(place.library);
  try {
    runId = Number(db.prepare('SELECT run_id FROM run_row').pluck().get());
    changed = problemChanges(db, pairs().from, pairs().to).becameCorrect;
  } finally {
    db.close();
  }
  const labelled = new Labelled(place.library);
  try {
    const rolloutId = changed[0]?.to.rolloutId ?? 0;
    labelled.apply('ann', {
      put: { rolloutId, target: { kind: 'rollout' }, label: 'loops', note: 'Now it <b>works</b>' },
    });
  } finally {
    labelled.close();
  }
});
afterAll(() => place.remove());

describe('pairs as JSON Lines', () => {
  it('are a record each, with the rows of the comparison, the problem and the direction', async () => {
    expect(changed.length).toBeGreaterThan(1);
    const all = linesOf(await pack('jsonl', { isAll: true, pairs: pairs() }));
    const records = all.filter(({ type }) => type === 'pair');
    expect(records).toHaveLength(changed.length);
    expect(all[0]).toMatchObject({
      choice: { all: true, changes: { from: { step: 0 }, to: { step: 500 }, became: 'correct' } },
      counts: { pairs: changed.length, cases: 2 * changed.length, annotations: 1 },
    });
    const db = openReader(place.library);
    try {
      for (const { from, to, problemId } of changed) {
        const record = records.find(({ problem }) => (problem as { id: string }).id === problemId);
        expect(record).toMatchObject({
          became: 'correct',
          from: { step: 0, group: from.groupKey, index: from.ordinal, is_correct: false },
          to: { step: 500, group: to.groupKey, index: to.ordinal, is_correct: true },
        });
        const compared = compareRollouts(db, { rolloutIds: [from.rolloutId, to.rolloutId], baseline: 0 }, {});
        expect(record?.['turns']).toEqual(compared.rows.map(({ turns }) => turns));
        const sides = [record?.['from'], record?.['to']] as {
          prompt_segments: object[];
          segments: object[];
        }[];
        const shown = compared.rows.flatMap(({ blocks }) =>
          blocks.map(({ segments }) =>
            segments.map((at, i) => (at === null ? null : at - (sides[i]?.prompt_segments.length ?? 0))),
          ),
        );
        expect(record?.['segments']).toEqual(shown);
        // Every segment of either side is in one link.
        for (const i of [0, 1]) {
          const linked = shown.map((link) => link[i]).filter((at) => at !== null);
          expect(linked.sort((a, b) => Number(a) - Number(b))).toEqual(sides[i]?.segments.map((_, at) => at));
        }
      }
    } finally {
      db.close();
    }
  });

  it('match the schema, and are equal each time', async () => {
    const path = join(import.meta.dirname, '../../shared/format/pack.schema.json');
    const schema = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const asked = { isAll: true, tokens: true, pairs: pairs() };
    const text = await pack('jsonl', asked);
    expect(linesOf(text).flatMap((line) => faultsOf(schema, line))).toEqual([]);
    expect(await pack('jsonl', asked)).toBe(text);
    expect(faultsOf(schema, { pack: 1, type: 'pair', from: {}, to: {} })).not.toEqual([]);
  });

  it('are read again: both rollouts, with their labels', async () => {
    const text = await pack('jsonl', { isAll: true, tokens: true, pairs: pairs() });
    const second = scratch();
    try {
      await ingestHere(second.library, [second.file('pairs.jsonl', text)]);
      expect(rows(second.library, 'SELECT severity, message FROM ingest_issue')).toEqual([]);
      const texts = 'SELECT problem_id, step, is_correct, response_chars, answer FROM rollout ORDER BY 1, 2';
      const ids = changed.flatMap(({ from, to }) => [from.rolloutId, to.rolloutId]).join();
      const own = `SELECT problem_id, step, is_correct, response_chars, answer FROM rollout WHERE rollout_id IN (${ids}) ORDER BY 1, 2`;
      expect(rows(second.library, texts)).toEqual(rows(place.library, own));
      expect(rows(second.library, 'SELECT label, state FROM annotation')).toEqual([
        { label: 'loops', state: 'exact' },
      ]);
    } finally {
      second.remove();
    }
  });

  it('without one of the rollouts are refused in a sentence', () => {
    const reader = packFormat.open({ name: 'x', layout: { stem: 'x', depth: 0 } });
    expect(reader.read({ pack: 1, type: 'pair', from: {}, to: 3 }, 1)).toMatchObject([
      { kind: 'issue', issue: { message: expect.stringContaining('names no run') } },
      { kind: 'issue', issue: { message: 'the pair has no rollout in "to"' } },
    ]);
  });
});

describe('a choice of pairs', () => {
  it('is all, those with a label on either side, or two rollouts', async () => {
    const countOf = async (asked: PackAsked) =>
      linesOf(await pack('jsonl', asked)).filter(({ type }) => type === 'pair').length;
    expect(await countOf({ pairs: pairs() })).toBe(1);
    expect(await countOf({ labels: ['loops'], isAll: true, pairs: pairs() })).toBe(1);
    const [first, second] = changed;
    const picked = [first?.from.rolloutId ?? 0, second?.from.rolloutId ?? 0] as [number, number];
    const [record] = linesOf(await pack('jsonl', { isAll: true, pairs: { rolloutIds: picked } })).filter(
      ({ type }) => type === 'pair',
    );
    // Both are incorrect.
    expect(record).not.toHaveProperty('became');
  });

  it('is refused where it is empty, or the format cannot hold it', async () => {
    const id = changed[0]?.from.rolloutId ?? 0;
    for (const [asked, message] of [
      [{ pairs: pairs(), labels: ['odd'] }, /no rollout of a pair has such a label/],
      [{ isAll: true, pairs: { ...pairs(), to: pairs().from } }, /no problem changed/],
      [{ isAll: true, pairs: { rolloutIds: [id, id] } }, /two different rollouts/],
      [{ isAll: true, pairs: { rolloutIds: [id, 987_654_321] } }, /no rollout matches/],
      [{ isAll: true, pairs: pairs(), filter: 'turns:>1' }, /cannot be chosen by a filter/],
      [{ isAll: true, pairs: pairs(), siblings: true }, /without siblings/],
    ] as [PackAsked, RegExp][])
      await expect(pack('html', asked)).rejects.toThrow(message);
    await expect(pack('csv', { isAll: true, pairs: pairs() })).rejects.toThrow('html or jsonl; csv');
    expect(readdirSync(place.directory).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('leaves nothing when cancelled', async () => {
    const path = join(place.directory, 'cancelled.html');
    expect(await packHere(place.library, 'html', path, { isAll: true, pairs: pairs() }, 1)).toBeUndefined();
    expect([existsSync(path), existsSync(`${path}.partial`)]).toEqual([false, false]);
  });
});

describe('pairs as a page', () => {
  it('have a row of two columns for each pair of segments, and notes', async () => {
    const text = await pack('html', { isAll: true, pairs: pairs() });
    expect(text.match(/<article class="case pair"/g)).toHaveLength(changed.length);
    expect(text).toContain(
      `<h1>${changed.length} pairs that became correct from step 0 to step 500 with 1 annotation</h1>`,
    );
    expect(text).toContain('<small class="correct">became correct</small>');
    expect(text).toContain('Now it &lt;b&gt;works&lt;/b&gt;');
    expect(text).toContain('<b>Turn 1</b>');
    expect(text).toMatch(/<b>Turn \d+, only (before|after)<\/b>/);
  });

  it('mark what the other side lacks: without it, two marked texts are equal', async () => {
    const text = await pack('html', { isAll: true, pairs: pairs() });
    const blocks =
      /<(pre|div)(?: class="(?:prose|env|answer)[^"]*")?>((?:[^<]|<\/?(?:del|ins|span)[^>]*>)*)<\/\1>/g;
    let marked = 0;
    for (const [, before = '', after = ''] of text.matchAll(
      /<div class="sides"><div>(.*?)<\/div><div>(.*?)<\/div><\/div>\n/gs,
    )) {
      if (!/<(?:del|ins)>/.test(before + after)) continue;
      const rest = (side: string, name: string): string =>
        [...side.matchAll(blocks)]
          .map(([, , inner = '']) => inner.replaceAll(new RegExp(`<${name}>.*?</${name}>`, 'gs'), ''))
          .join();
      expect(rest(before, 'del')).toBe(rest(after, 'ins'));
      if (rest(before, 'del').trim() !== '') marked += 1;
      expect(before).not.toContain('<ins>');
      expect(after).not.toContain('<del>');
    }
    expect(marked).toBeGreaterThan(changed.length);
  });

  it('are in the order of the list of problems', async () => {
    const index = (await pack('html', { isAll: true, pairs: pairs() })).split('<main>')[0] ?? '';
    const names = [...index.matchAll(/<a href="#c\d+"><bdi>([^<]*)</g)].map(([, name]) => name);
    expect(names).toEqual(changed.map(({ problemId }) => problemId));
  });

  it('keep the notes that each rollout has on the same prompt', async () => {
    const library = join(place.directory, 'prompt-notes.sqlite');
    await copyDemoLibrary(library);
    const labelled = new Labelled(library);
    try {
      const rolloutIds = changed.slice(0, 1).flatMap(({ from, to }) => [from.rolloutId, to.rolloutId]);
      for (const [i, rolloutId] of rolloutIds.entries())
        labelled.apply('ann', {
          put: { rolloutId, target: { kind: 'turn', turn: 0 }, note: `note ${i} on the prompt` },
        });
    } finally {
      labelled.close();
    }
    const text = await pack('html', { isAll: true, pairs: pairs() }, library);
    expect(text).toContain('note 0 on the prompt');
    expect(text).toContain('note 1 on the prompt');
  });

  it('of hostile text have only our own tags, attributes and links', async () => {
    const own = scratch();
    try {
      await hostileLibrary(own.library, own.directory);
      const [a, b] = rows(own.library, 'SELECT rollout_id FROM rollout ORDER BY ordinal').map((row) =>
        Number(row['rollout_id']),
      );
      const asked = {
        isAll: true,
        tokens: true,
        pairs: { rolloutIds: [a ?? 0, b ?? 0] as [number, number] },
      };
      const text = await pack('html', asked, own.library);
      const body = text.slice(text.indexOf('</style>'));
      for (const [tag] of body.matchAll(/<[a-z][^>]*>/gi))
        expect(tag).toMatch(
          /^<(?:a|article|aside|b|bdi|body|br|code|del|details|div|em|figcaption|figure|h[1-3]|header|i|ins|li|line|main|mark|p|pre|rect|section|small|span|summary|svg|table|tbody|td|th|thead|title|tr|ul)(?:\s+(?:class|id|href|open|role|aria-label|viewBox|[xy][12]?|width|height)(?:="[^"<>]*")?)*\s*\/?>$/,
        );
      for (const [, link] of body.matchAll(/href="([^"]*)"/g)) expect(link).toMatch(/^#c\d+(?:n\d+)?$/);
      const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(body).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/);
      expect(body).toContain('became correct');
    } finally {
      own.remove();
    }
  });

  it('name the models of two runs', async () => {
    const own = scratch();
    try {
      const lines = ['gpt-4o', 'gemini <b>'].flatMap((model, i) => [
        { v: 1, type: 'run', run: `r${i}`, model },
        {
          ...{
            v: 1,
            type: 'rollout',
            run: `r${i}`,
            step: 0,
            group: 'g',
            index: 0,
            is_correct: i === 1,
            text: `So ${i}.`,
          },
          problem: { id: 'p', prompt: 'What is 1 + 1?' },
        },
      ]);
      await ingestHere(own.library, [
        own.file('runs.jsonl', lines.map((each) => JSON.stringify(each)).join('\n')),
      ]);
      const [from = 0, to = 0] = rows(own.library, 'SELECT run_id FROM run ORDER BY run_key').map((row) =>
        Number(row['run_id']),
      );
      const changes = {
        from: { runId: from, step: 0 },
        to: { runId: to, step: 0 },
        became: 'correct',
      } as const;
      const text = await pack('html', { isAll: true, pairs: changes }, own.library);
      expect(text).toContain('model <bdi>gpt-4o</bdi>');
      expect(text).toContain('model <bdi>gemini &lt;b&gt;</bdi>');
    } finally {
      own.remove();
    }
  });

  it('are redacted on both sides', async () => {
    for (const format of ['html', 'jsonl'] as const) {
      const text = await pack(format, { isAll: true, pairs: pairs(), redact: ['print\\('] });
      expect(text).toContain('██████');
      expect(text).not.toContain('print(');
    }
  });
});
