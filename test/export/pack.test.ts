/** Packs of a library: readable again, deterministic, never overwriting, and removed when cancelled. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordWith } from '../../electron/export/pack/redact.ts';
import { openReader } from '../../electron/storage/open.ts';
import { EXPORTED_BY_ID } from '../../electron/storage/queries/exported.ts';
import { GROUPS_OF_PACK, MEMBERS, PACK_ORDER, SIBLING_COUNT } from '../../electron/storage/queries/packed.ts';
import { listRuns } from '../../electron/storage/queries/runs.ts';
import { PACK_FORMATS, type PackFormat } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { viewsOf } from '../../shared/domain/escapes.ts';
import { FLAGS } from '../../shared/domain/flags.ts';
import { DECISION_REASONS, TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import { DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { faultsOf } from '../support/jsonSchema.ts';
import { Labelled } from '../support/labelled.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { filesOf, type PackAsked, packHere } from '../support/packed.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

let place: Scratch;
let ids: readonly number[];
const packs = { count: 0 };
const here = (name: string): string => join(place.directory, name);
const fresh = (ending: string): string => here(`pack-${packs.count++}${ending}`);

async function pack(format: PackFormat, asked: PackAsked = {}) {
  const path = fresh(`.${format}`);
  const written = await packHere(place.library, format, path, asked);
  if (written === undefined) throw new Error('it was not written');
  return { path, written, text: format === 'parquet' ? '' : readFileSync(path, 'utf8') };
}

/** Lines of a pack with this type. */
const lines = (text: string, type: string): Record<string, never>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, never>)
    .filter((line) => line['type'] === type);

beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
  const labelled = new Labelled(place.library);
  try {
    labelled.annotations.setTaxonomy({
      name: 'Ours',
      choice: 'many',
      labels: [
        { id: 'loops', name: 'Goes round', colour: 'teal', description: 'Again and again', key: '1' },
        { id: 'odd', name: 'Odd', colour: 'pink', description: '' },
      ],
    });
    ids = rows(
      place.library,
      `SELECT rollout_id FROM rollout WHERE tool_errors > 1 AND is_correct = 0 ORDER BY rollout_id LIMIT 4`,
    ).map(({ rollout_id: id }) => Number(id));
    const right = rows(
      place.library,
      `SELECT rollout_id FROM rollout WHERE is_correct = 1 AND kept = 1 AND turns > 2 ORDER BY rollout_id LIMIT 1`,
    ).map(({ rollout_id: id }) => Number(id));
    ids = [...ids, ...right];
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids;
    labelled.apply(
      'ann',
      {
        put: {
          rolloutId: a,
          target: { kind: 'rollout' },
          label: 'loops',
          severity: 'major',
          note: 'It *loops*',
        },
      },
      {
        put: {
          rolloutId: a,
          target: { kind: 'span', text: 'response', start: 30, end: 60 },
          label: 'odd',
          correction: 'FIXED',
        },
      },
      { put: { rolloutId: b, target: { kind: 'turn', turn: 2 }, correction: 'The second turn, done well.' } },
      { put: { rolloutId: c, target: { kind: 'rollout' }, correction: 'All of it, done well.' } },
      { put: { rolloutId: d, target: { kind: 'rollout' }, label: 'odd' } },
      {
        put: {
          rolloutId: e,
          target: { kind: 'span', text: 'prompt', start: 0, end: 12 },
          note: 'the prompt',
        },
      },
      { read: a, verdict: 'read' },
    );
  } finally {
    labelled.close();
  }
});
afterAll(() => place.remove());

describe('JSON Lines', () => {
  it('imported into an empty library and exported again, is equal byte for byte', async () => {
    const { text, written } = await pack('jsonl', { tokens: true, siblings: true });
    const second = scratch();
    try {
      const log = second.file('pack.jsonl', text);
      await ingestHere(second.library, [log]);
      expect(rows(second.library, 'SELECT severity, message FROM ingest_issue')).toEqual([]);
      const again = join(second.directory, 'again.jsonl');
      const redone = await packHere(second.library, 'jsonl', again, { tokens: true, siblings: true });
      expect(readFileSync(again, 'utf8')).toBe(text);
      expect(redone).toMatchObject({
        cases: 5,
        annotations: 6,
        siblings: written.siblings,
        sha256: written.sha256,
      });
      const said =
        'SELECT annotation_id, label, note, correction, severity, author, state FROM annotation ORDER BY annotation_id';
      expect(rows(second.library, said)).toEqual(rows(place.library, said));
      expect(rows(second.library, 'SELECT state FROM annotation')).toEqual(Array(6).fill({ state: 'exact' }));
    } finally {
      second.remove();
    }
  });

  it('begins with a manifest that has the checksum of the rest and the selection', async () => {
    const { text, written } = await pack('jsonl', { labels: ['odd'], filter: 'tool_errors:>1' });
    const end = text.indexOf('\n') + 1;
    const manifest = JSON.parse(text.slice(0, end)) as Record<string, unknown>;
    expect(manifest['sha256']).toBe(createHash('sha256').update(text.slice(end)).digest('hex'));
    expect(written.sha256).toBe(createHash('sha256').update(text).digest('hex'));
    expect(written.bytes).toBe(Buffer.byteLength(text));
    expect(manifest).toMatchObject({
      ...{ pack: 1, type: 'manifest', turnwise: 'test', format: 'jsonl' },
      choice: { labels: ['odd'], filter: 'tool_errors:>1' },
      counts: { cases: 2, siblings: 0, annotations: 3 },
      runs: [{ kind: 'train', cases: 2 }],
      taxonomy: { name: 'Ours' },
    });
  });

  it('matches its schema, line by line', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../shared/format/pack.schema.json'), 'utf8');
    const schema = JSON.parse(text) as Record<string, unknown>;
    const all = { siblings: true, tokens: true, raw: true, redact: ['the'] };
    const written = (await pack('jsonl', all)).text.trimEnd().split('\n');
    const faults = written.flatMap((line) => faultsOf(schema, JSON.parse(line)));
    expect(faults).toEqual([]);
    expect(new Set(written.map((line) => (JSON.parse(line) as { type: string }).type))).toEqual(
      new Set(['manifest', 'run', 'stage', 'taxonomy', 'rollout', 'annotation', 'reading']),
    );
    // Every column is in the schema, and the schema rejects wrong values.
    const of = (schema['oneOf'] as { title: string; properties: object }[]).find(
      ({ title }) => title === 'rollout',
    );
    const left = DATA_SET_COLUMNS.filter(({ name }) => !Object.hasOwn(of?.properties ?? {}, name));
    expect(left.map(({ name }) => name)).toEqual(['rollout', 'path', 'line']);
    expect(faultsOf(schema, { pack: 1, type: 'annotation', annotation: { id: 'x' } })).not.toEqual([]);
    expect(faultsOf(schema, { pack: 2, type: 'taxonomy' })).not.toEqual([]);
  });

  it('has the logged record if requested', async () => {
    const { text } = await pack('jsonl', { raw: true, rolloutIds: [ids[0] ?? 0] });
    // The demo log was not granted here: the pack states that and has the rest.
    expect(lines(text, 'rollout')[0]).toMatchObject({
      raw: { missing: expect.stringContaining('which you have not opened here') },
    });
  });
});

describe('a run that its log names by a number', () => {
  let own: Scratch;
  beforeAll(async () => {
    own = scratch();
    const lines = [
      { v: 1, type: 'run', run: 'r', name: 42 },
      { v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, text: 'a', reward: 1 },
    ];
    await ingestHere(own.library, [
      own.file('log.jsonl', lines.map((line) => JSON.stringify(line)).join('\n')),
    ]);
  });
  afterAll(() => own.remove());

  it('has it as a name', () => {
    const db = openReader(own.library);
    expect(listRuns(db).map(({ name }) => name)).toEqual(['42']);
    db.close();
  });

  it.each(PACK_FORMATS)('is in a pack of %s', async (format) => {
    await packHere(own.library, format, join(own.directory, `pack.${format}`), { isAll: true });
  });
});

describe('every format', () => {
  it.each(PACK_FORMATS)('%s: deterministic', async (format) => {
    const all = { siblings: true, tokens: true, filter: 'label:any or note:any or tool_errors:>1' };
    const [first, second] = [await pack(format, all), await pack(format, all)];
    if (format === 'parquet') expect(filesOf(second.path)).toEqual(filesOf(first.path));
    else expect(second.text === first.text).toBe(true);
    expect(second.written).toEqual({ ...first.written, path: second.path });
  });

  it('keeps the order of the rollouts requested, with siblings after the cases of their group', async () => {
    const addressOf = (row: Record<string, unknown>) => `${row['step']} ${row['group']} ${row['index']}`;
    const keyOf = new Map(
      rows(place.library, 'SELECT rollout_id, step, group_key, ordinal FROM rollout').map((row) => [
        Number(row['rollout_id']),
        addressOf({ ...row, group: row['group_key'], index: row['ordinal'] }),
      ]),
    );
    for (const asked of [ids, ids.toReversed()]) {
      const { text } = await pack('jsonl', { rolloutIds: [...asked, asked[0] ?? 0] });
      const wanted = asked.map((id) => keyOf.get(id));
      expect(lines(text, 'rollout').map(addressOf)).toEqual(wanted);
      const { text: all } = await pack('jsonl', { rolloutIds: [...asked], siblings: true });
      const cases = lines(all, 'rollout').filter((row) => row['sibling'] !== true);
      expect(cases.map(addressOf).toSorted()).toEqual(wanted.toSorted());
      expect(cases.map(addressOf)[0]).toBe(wanted[0]);
      expect(new Set(lines(all, 'rollout').map(addressOf)).size).toBe(lines(all, 'rollout').length);
    }
  });

  it.each(PACK_FORMATS)('%s: leaves nothing when cancelled', async (format) => {
    const directory = fresh('');
    mkdirSync(directory);
    const path = join(directory, 'pack');
    expect(
      await packHere(place.library, format, path, { isAll: true, filter: 'step:0' }, 20),
    ).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(PACK_FORMATS)('%s: overwrites nothing', async (format) => {
    const directory = fresh('');
    mkdirSync(directory);
    const path = join(directory, 'pack');
    if (format === 'parquet') mkdirSync(path);
    const taken = format === 'parquet' ? join(path, 'mine') : path;
    writeFileSync(taken, 'mine');
    await expect(packHere(place.library, format, path)).rejects.toThrow(ApiError);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect([...filesOf(directory).keys()]).toHaveLength(1);
  });

  it.each(['csv', 'tsv', 'chat'] as const)('%s: does not overwrite the manifest either', async (format) => {
    const directory = fresh('');
    mkdirSync(directory);
    const path = join(directory, 'pack');
    writeFileSync(`${path}.manifest.json`, 'mine');
    await expect(packHere(place.library, format, path)).rejects.toThrow('pack.manifest.json already exists');
    expect(readdirSync(directory)).toEqual(['pack.manifest.json']);
  });

  it('packs labelled rollouts, or every match, or picked ones', async () => {
    const counted = async (asked: PackAsked) => (await pack('csv', asked)).written.cases;
    expect(await counted({})).toBe(5);
    expect(await counted({ filter: 'is_correct:true' })).toBe(1);
    const step = Number(rows(place.library, 'SELECT count(*) AS n FROM rollout WHERE step = 0')[0]?.['n']);
    expect(await counted({ filter: 'step:0', isAll: true })).toBe(step);
    expect(await counted({ rolloutIds: [1, 2, 3, 999_999] })).toBe(3);
    expect(await counted({ labels: ['loops'] })).toBe(1);
  });
});

describe('a table', () => {
  it('has a row per annotation, and one with blanks for a rollout without any', async () => {
    const { text, path } = await pack('tsv', { rolloutIds: [ids[0] ?? 0, 1] });
    const [head = '', ...table] = text.replace(/\n$/, '').split('\n');
    const names = head.split('\t');
    const values = table.map((line) =>
      Object.fromEntries(line.split('\t').map((cell, i) => [names[i], cell])),
    );
    expect(values.map(({ label, place: on, severity }) => [label, on, severity]).sort()).toEqual([
      ['', '', ''],
      ['loops', 'rollout', 'major'],
      ['odd', 'span', ''],
    ]);
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8')) as Record<string, unknown>;
    expect(manifest['sha256']).toBe(createHash('sha256').update(text).digest('hex'));
  });
});

describe('packs for reading', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  it.each([
    ['md', 1],
    ['html', 2],
  ] as const)('%s: names a case by its question if its group is a hash', async (format, times) => {
    const own = scratch();
    try {
      const record = { input: 'user\nWhat is 8·9?\nassistant\n', output: '#### 72', score: 1, step: 7 };
      await ingestHere(own.library, [own.file('7.jsonl', `${JSON.stringify(record)}\n`)]);
      expect(rows(own.library, 'SELECT group_key FROM rollout')).toEqual([
        { group_key: expect.stringMatching(/^[0-9a-f]{12}$/) },
      ]);
      const path = join(own.directory, 'pack');
      await packHere(own.library, format, path, { isAll: true });
      // The page has a list of cases, too. Markdown escapes the number sign.
      const names = readFileSync(path, 'utf8').matchAll(/ \/ step 7 \/ (.*?) \/ \\?#0/g);
      expect(Array.from(names, ([, name]) => name)).toEqual(Array(times).fill('What is 8·9?'));
    } finally {
      own.remove();
    }
  });

  it.each(['md', 'html'] as const)('%s: has the words of the pages, and no identifiers', async (format) => {
    const { text } = await pack(format, { isAll: true });
    const ids = [...TOOL_OUTCOMES, ...DECISION_REASONS, ...FLAGS].filter((id) => id.includes('_'));
    // Markdown escapes the low line.
    const written = text.replaceAll('\\_', '_');
    expect(ids.filter((id) => written.includes(id))).toEqual([]);
    expect(written).toContain('training');
    expect(written).toContain('stopped by the length limit');
  });

  it('has a manifest with the checksum of its cases', async () => {
    const { text: md } = await pack('md');
    const [from, to] = [md.indexOf('## Cases\n\n') + '## Cases\n\n'.length, md.lastIndexOf('## Manifest\n')];
    expect(md).toContain(`"sha256_of_cases": "${sha256(md.slice(from, to))}"`);
    const { text: page } = await pack('html');
    const main = page.slice(page.indexOf('<main>\n') + '<main>\n'.length, page.lastIndexOf('</main>\n'));
    expect(page).toContain(`&quot;sha256_of_main&quot;: &quot;${sha256(main)}&quot;`);
  });
});

describe('conversations', () => {
  it('has correct rollouts as they are, others with their correction, and counts the rest', async () => {
    const { text, path } = await pack('chat');
    const chats = text
      .trimEnd()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            messages: { role: string; content: string }[];
            meta: Record<string, unknown>;
          },
      );
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8')) as Record<string, unknown>;
    expect(manifest['conversations']).toEqual({
      as_they_are: 1,
      corrected: 3,
      left_out: { incorrect: 1, correctness_unknown: 0, discarded: 0, no_text: 0 },
    });
    expect(chats).toHaveLength(4);
    for (const { messages } of chats) {
      expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
      expect(messages.at(-1)?.role).toBe('assistant');
      expect(JSON.stringify(messages)).not.toContain('<|im_');
    }
    const corrected = chats.filter(({ meta }) => meta['corrected'] !== undefined);
    const last = corrected.map(({ messages }) => messages.at(-1)?.content);
    expect(last).toContain('All of it, done well.');
    expect(last).toContain('The second turn, done well.');
    const byTurn = corrected.find(
      ({ messages }) => messages.at(-1)?.content === 'The second turn, done well.',
    );
    expect(byTurn?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(byTurn?.meta['corrected']).toMatchObject({ turns: [2], not_applied: [] });
    const [a = 0] = ids;
    const whole = lines((await pack('jsonl', { rolloutIds: [a] })).text, 'rollout');
    const response = String(whole[0]?.['response']);
    const bySpan = corrected.find(({ messages }) =>
      messages.some(({ content }) => content.includes('FIXED')),
    );
    const [, , first] = bySpan?.messages ?? [];
    expect(first?.content).toContain(`${response.slice(0, 30)}FIXED${response.slice(60, 90)}`);
    const asItIs = chats.find(({ meta }) => meta['corrected'] === undefined);
    expect(asItIs?.messages.filter(({ role }) => role === 'tool').length).toBeGreaterThan(0);
  });
});

describe('Parquet', () => {
  it('opens again, annotations and all', async () => {
    const { path } = await pack('parquet', { siblings: true, filter: 'label:any or note:any' });
    expect(readdirSync(path).sort()).toEqual([
      'annotations.parquet',
      'manifest.json',
      'rollouts',
      'siblings',
    ]);
    const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as {
      files: { path: string; sha256: string }[];
    };
    for (const { path: name, sha256 } of manifest.files)
      expect(
        createHash('sha256')
          .update(readFileSync(join(path, name)))
          .digest('hex'),
      ).toBe(sha256);
    const second = scratch();
    try {
      await ingestHere(second.library, [path]);
      expect(rows(second.library, 'SELECT severity, message FROM ingest_issue')).toEqual([]);
      const said =
        'SELECT annotation_id, label, note, correction, severity, author, state FROM annotation ORDER BY annotation_id';
      const packed = rows(place.library, said).filter(({ label, note }) => label !== null || note !== null);
      expect(rows(second.library, said)).toEqual(packed);
    } finally {
      second.remove();
    }
  });
});

describe('a report in Markdown', () => {
  it('lists what it leaves out, and counts by label', async () => {
    const { text } = await pack('md', { filter: 'turns:>4', isAll: true });
    expect(text).toMatch(/^… \d+ turns? left out: \d+ tool calls?, [\d,]+ characters …$/m);
    const { text: labelled } = await pack('md');
    expect(labelled).toContain('| Goes round | 1 | 1 | 0 | 1 | 0 |');
    expect(labelled).toContain('> It *loops*');
    expect(labelled).toContain('| incorrect | not known | kept | discarded | not known |');
    expect(labelled).toContain('### Cases by tool outcome');
  });

  it('does not count decisions where no case has one', async () => {
    const other = scratch();
    try {
      const record = { v: 1, type: 'rollout', run: 'r', step: 0, group: 'g', index: 0, text: 'It is 7.' };
      await ingestHere(other.library, [other.file('log.jsonl', `${JSON.stringify(record)}\n`)]);
      const on = new Labelled(other.library);
      const [rolloutId = 0] = on.rollouts();
      on.apply('ann', { put: { rolloutId, target: { kind: 'rollout' }, label: 'loops' } });
      on.close();
      for (const format of ['md', 'html'] as const) {
        const path = join(other.directory, `pack.${format}`);
        await packHere(other.library, format, path, {});
        const text = readFileSync(path, 'utf8');
        expect(text).toContain('1 case');
        expect(text).not.toMatch(/\d kept|<th class="n">kept|\| kept/);
      }
    } finally {
      other.remove();
    }
  });
});

describe('redaction', () => {
  it('replaces every text by blocks of the same length, and counts them', async () => {
    const word = 'boundary';
    const { text, written } = await pack('jsonl', { redact: ['[Bb]oundary', 'It \\*'], tokens: true });
    const plain = (await pack('jsonl', { tokens: true })).text;
    expect(plain).toContain(word);
    expect(text).not.toContain(word);
    expect(written.redactions).toBeGreaterThan(1);
    const [before, after] = [lines(plain, 'rollout'), lines(text, 'rollout')];
    expect(after.map((line) => String(line['response']).length)).toEqual(
      before.map((line) => String(line['response']).length),
    );
    expect(lines(text, 'annotation').some((line) => JSON.stringify(line).includes('████loops*'))).toBe(true);
    const second = scratch();
    try {
      await ingestHere(second.library, [second.file('pack.jsonl', text)]);
      expect(rows(second.library, 'SELECT DISTINCT state FROM annotation')).toEqual([{ state: 'exact' }]);
    } finally {
      second.remove();
    }
  });

  it('matches escaped text in JSON, in the record, in calls, and in keys', async () => {
    const second = scratch();
    try {
      const secret = 'caf\u00e9 "no/w" 🙂';
      const escaped = secret.replaceAll('é', '\\u00e9').replaceAll('"', '\\"').replaceAll('/', '\\/');
      const call = `<tool_call>{"name": "python", "arguments": {"code": "print(1) # ${escaped}"}}</tool_call>`;
      const log = JSON.stringify({
        ...{ input: 'user\nWhat?\nassistant\n', output: `${call} ${secret}`, score: 1, step: 1 },
        ...{ [secret]: { deep: JSON.stringify({ again: JSON.stringify(secret) }) }, number: 5551234 },
      })
        .replaceAll('é', '\\u00e9')
        .replaceAll('/', '\\/');
      await ingestHere(second.library, [second.file('1.jsonl', `${log}\n`)]);
      const asked = { isAll: true, raw: true, redact: ['caf.{1,2} .no/w', '555\\d+'] };
      for (const format of ['jsonl', 'md', 'html'] as const) {
        const path = join(second.directory, `pack.${format}`);
        await packHere(second.library, format, path, asked);
        const text = readFileSync(path, 'utf8');
        // The manifest contains the pattern itself.
        expect(text).not.toMatch(/caf(?:é|\\)|(?:"|\\|&quot;)no\\*\/w|5551234/);
        if (format !== 'jsonl') continue;
        const [rollout] = lines(text, 'rollout');
        const raw = rollout?.['raw'] as unknown as { text: string };
        expect(JSON.parse(raw.text)).toMatchObject({ score: 1, number: '███████' });
        expect(String(rollout?.['response'])).toHaveLength(`${call} ${secret}`.length);
      }
    } finally {
      second.remove();
    }
  });

  it('masks a credential in the reason of a decision', async () => {
    const second = scratch();
    try {
      const key = `sk-${'aB3'.repeat(12)}`;
      const log = [
        { v: 1, type: 'run', run: 'r' },
        { v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, reward: 0, text: 'no' },
        {
          v: 1,
          type: 'decision',
          run: 'r',
          step: 1,
          group: 'g',
          index: 0,
          kept: false,
          reason: `judge: ${key}`,
        },
      ];
      await ingestHere(second.library, [
        second.file('1.jsonl', log.map((line) => `${JSON.stringify(line)}\n`).join('')),
      ]);
      for (const format of ['jsonl', 'csv', 'md', 'html'] as const) {
        const path = join(second.directory, `pack.${format}`);
        await packHere(second.library, format, path, { isAll: true });
        const text = readFileSync(path, 'utf8');
        expect([format, /judge.{1,8}███/.test(text), text.includes(key.slice(0, 9))]).toEqual([
          format,
          true,
          false,
        ]);
      }
    } finally {
      second.remove();
    }
  });

  it('is listed in one line if long, and whole in its case', async () => {
    const second = scratch();
    try {
      const answer = `begin ${'x'.repeat(300)} end`;
      const log = {
        input: 'user\nWhat?\nassistant\n',
        output: `<answer>${answer}</answer>`,
        score: 1,
        step: 1,
      };
      await ingestHere(second.library, [second.file('1.jsonl', `${JSON.stringify(log)}\n`)]);
      const short = `${answer.slice(0, 120)}… ${answer.length} characters`;
      for (const format of ['md', 'html'] as const) {
        const path = join(second.directory, `pack.${format}`);
        await packHere(second.library, format, path, { isAll: true });
        const text = readFileSync(path, 'utf8');
        expect(text).toContain(format === 'md' ? `answer ${short}` : `<td class="long">${short}</td>`);
        expect(text).toContain(format === 'md' ? `Answer:\n\n\`\`\`\n${answer}\n` : `<bdi>${answer}</bdi>`);
      }
      const lost = packHere(second.library, 'md', join(second.directory, 'none/here.md'), { isAll: true });
      await expect(lost).rejects.toThrow(`there is no directory ${join(second.directory, 'none')}`);
    } finally {
      second.remove();
    }
  });

  it('drops an unreadable record, and treats invalid JSON as text', () => {
    const hidden = (text: string) => text.replaceAll('secret', '██████');
    expect(recordWith('{"a": "secret", "b": NaN, "c": 12345678901234567890}', hidden)).toBe(
      '{"a": "██████", "b": NaN, "c": 12345678901234567890}',
    );
    expect(recordWith('{"a": "\\u0073ecret"', hidden)).toBeUndefined();
    expect(recordWith('a secret', hidden)).toBe('a ██████');
    const views = viewsOf('x \\\\u00e9y');
    expect(views.map(({ text }) => text)).toEqual(['x \\\\u00e9y', 'x \\u00e9y', 'x éy']);
    expect([0, 2, 3, 4].map((at) => views[2]?.startAt(at))).toEqual([0, 2, 9, 10]);
  });

  it('keeps apart groups that are redacted alike', async () => {
    const { text } = await pack('jsonl', { isAll: true, filter: 'step:0', redact: ['.'] });
    const plain = (await pack('jsonl', { isAll: true, filter: 'step:0' })).text;
    const groups = (of: string) => new Set(lines(of, 'rollout').map((line) => line['group'])).size;
    expect(groups(text)).toBe(groups(plain));
    expect(text).not.toContain('digit-sum');
  });

  it('refuses a pattern that never ends, and names it', async () => {
    const path = fresh('.md');
    const endless = { redact: ['fine', '(\\w+\\s?)+$\u0001'], isAll: true, filter: 'step:0' };
    await expect(packHere(place.library, 'md', path, endless)).rejects.toThrow(
      /\(\\w\+\\s\?\)\+.* takes longer than 1 s/,
    );
    expect(existsSync(path) || existsSync(`${path}.partial`)).toBe(false);
    await expect(packHere(place.library, 'md', path, { redact: ['('] })).rejects.toThrow(ApiError);
  });
});

describe('its queries', () => {
  it.each([
    ['order', PACK_ORDER],
    ['siblings', SIBLING_COUNT],
    ['groups', GROUPS_OF_PACK],
    ['members', MEMBERS],
    ['rollouts', EXPORTED_BY_ID],
  ])('%s scans no table', (_, sql) => {
    const plan = rows(place.library, `EXPLAIN QUERY PLAN ${sql.replaceAll(/\?|:ids/g, "'[1]'")}`);
    expect(
      plan.map(({ detail }) => String(detail)).filter((detail) => /SCAN (?!json_each|ids)/.test(detail)),
    ).toEqual([]);
  });
});
