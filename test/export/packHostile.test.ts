/** Active text stays inert in every field of every format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CSV_COLUMNS } from '../../electron/export/pack/csv.ts';
import { fenced, plain, quoted } from '../../electron/export/pack/fences.ts';
import { colourClass } from '../../electron/export/pack/htmlCase.ts';
import { noteText } from '../../electron/export/pack/htmlNote.ts';
import { PACK_TOKENS } from '../../electron/export/pack/htmlStyle.ts';
import { html, type Mark, markedHtml } from '../../electron/export/pack/htmlText.ts';
import { packText } from '../../electron/export/pack/modelText.ts';
import { Redactor } from '../../electron/export/pack/redact.ts';
import { openReader } from '../../electron/storage/open.ts';
import { PACK_SECTIONS, type PackFormat } from '../../shared/api/contract.ts';
import { DEFAULT_TAXONOMY, type Label } from '../../shared/domain/annotate/taxonomy.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { HOSTILE, hostileLibrary, packHere } from '../support/packed.ts';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await hostileLibrary(place.library, place.directory);
});
afterAll(() => place.remove());

let count = 0;
async function pack(format: PackFormat): Promise<string> {
  const path = join(place.directory, `hostile-${count++}.${format}`);
  await packHere(place.library, format, path, { tokens: true, siblings: true, raw: true });
  return readFileSync(path, 'utf8');
}

/** Characters that a text file for people or terminals must not contain. */
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/;

describe('a text of a page', () => {
  const pieces = (text: string) => text.replace(/<[^>]*>/g, '');
  const blocks = (text: string) => text.split('<span class="b">').length - 1;

  it('is in blocks if it would take a browser seconds to draw', () => {
    const turns = 'a\u05d0'.repeat(100_000);
    const written = html(turns);
    expect(blocks(written)).toBeGreaterThan(20);
    expect(pieces(written)).toBe(turns);
    expect(blocks(html('\u200b'.repeat(10_500)))).toBe(11);
    expect(blocks(html('A sentence of a log.\r\n'.repeat(900)))).toBe(0);
    expect(blocks(html('word '.repeat(200_000)))).toBe(0);
  });

  it('ends a block at the end of a line, and marks go on in the next', () => {
    const line = `${'a\u05d0'.repeat(400)}\n`;
    const text = line.repeat(12);
    const marks: readonly Mark[] = [
      { start: 10, end: text.length - 10, open: '<mark>', close: '</mark>', after: '<a>end</a>' },
    ];
    const written = markedHtml(text, 0, text.length, marks);
    expect(blocks(written)).toBeGreaterThan(1);
    expect(written.split('\n</mark></span>').length).toBe(blocks(written));
    expect(written.match(/<a>end/g)).toHaveLength(1);
    expect(pieces(written)).toBe(`${text.slice(0, -10)}end${text.slice(-10)}`);
  });
});

describe('a page of HTML', () => {
  it('has only our own tags and attributes', async () => {
    const text = await pack('html');
    const body = text.slice(text.indexOf('</style>'));
    const tags = new Set(
      Array.from(body.matchAll(/<\/?([a-z][a-z0-9]*)/gi), ([, name]) => name?.toLowerCase()),
    );
    const known = [
      'a',
      'article',
      'aside',
      'b',
      'bdi',
      'body',
      'br',
      'code',
      'details',
      'div',
      'em',
      'figcaption',
    ];
    const more = [
      'figure',
      'h1',
      'h2',
      'h3',
      'head',
      'header',
      'html',
      'i',
      'li',
      'line',
      'main',
      'mark',
      'p',
      'pre',
    ];
    const rest = [
      'rect',
      'section',
      'small',
      'span',
      'style',
      'summary',
      'svg',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
    ];
    const others = ['title', 'tr', 'ul'];
    expect([...tags].filter((tag) => ![...known, ...more, ...rest, ...others].includes(tag ?? ''))).toEqual(
      [],
    );
    for (const [tag] of body.matchAll(/<[a-z][^>]*>/gi))
      expect(tag).toMatch(
        /^<[a-z0-9]+(?:\s+(?:class|id|href|open|role|aria-label|viewBox|[xy][12]?|width|height)(?:="[^"<>]*")?)*\s*\/?>$/,
      );
    for (const [, link] of body.matchAll(/href="([^"]*)"/g)) expect(link).toMatch(/^#c\d+(?:n\d+)?$/);
    expect(body).not.toMatch(ACTING);
    expect(body).toContain('long&lt;b&gt;line');
  });

  it('uses the colours of the app', () => {
    const css = readFileSync(join(import.meta.dirname, '../../renderer/theme/tokens.css'), 'utf8');
    const [light = '', dark = ''] = css.split(':root[data-theme="dark"]');
    for (const [name, values] of Object.entries(PACK_TOKENS)) {
      expect(light).toContain(`--${name}: ${values[0]};`);
      expect(dark).toContain(`--${name}: ${values[1]};`);
    }
  });

  it('marks overlapping spans, and keeps all text', () => {
    const text = 'a<b>c&d';
    const mark = (start: number, end: number, name: string): Mark => ({
      ...{ start, end, open: `[${name}`, close: `${name}]` },
      after: `(${name})`,
    });
    const marked = markedHtml(text, 0, text.length, [mark(0, 4, 'x'), mark(2, 6, 'y'), mark(6, 6, 'z')]);
    expect(marked).toBe('[xa&lt;x][x[yb&gt;y]x](x)[yc&amp;y](y)d');
    expect(html('\u0000\u202e\ud800')).toBe(
      '<span class="c">␀</span><span class="c">⟨RLO⟩</span><span class="c">⟨U+D800⟩</span>',
    );
  });

  it('reads notes as far as notes go', () => {
    expect(noteText('a *b* **c** `<d>`\n\n- [x](javascript:1)\n- <i>\n\n```\n*raw*\n```')).toBe(
      '<p>a <em>b</em> <b>c</b> <code>&lt;d&gt;</code></p><ul><li>[x](javascript:1)</li><li>&lt;i&gt;</li></ul><pre>*raw*</pre>',
    );
    expect(noteText('```\nopen <b>')).toBe('<pre>open &lt;b&gt;</pre>');
    const before = process.cpuUsage();
    noteText('*'.repeat(200_000) + '`'.repeat(200_000));
    // Time of the processor, which other programs do not add to.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

describe('a report in Markdown', () => {
  it('has log text in fences it cannot end, or escaped', async () => {
    const text = await pack('md');
    expect(text).not.toMatch(ACTING);
    const outside = withoutFences(text);
    expect(outside).not.toMatch(/<(?:script|img|svg|iframe|a|style|base|meta|details|textarea)/i);
    expect(outside).not.toMatch(/(?<!\\)\]\(\s*javascript:/i);
    expect(outside).not.toMatch(/(?<!\\)!\[/);
    expect(outside.split('\n').filter((line) => line.startsWith('# ')).length).toBe(1);
  });

  it('uses longer fences than the text, and escapes links', () => {
    expect(fenced('a\n````\nb', 'python')).toBe('`````python\na\n````\nb\n`````\n');
    expect(plain('<b> [x](y) `c`\n| https://a www.b')).toBe(
      '&lt;b\\> \\[x\\](y) \\`c\\` \\| https\\://a www\\.b',
    );
    expect(quoted('a\n[x](javascript:1) ![p](https://q)\n[r]: javascript:2\n<b>')).toBe(
      '> a\n> [x]\\(javascript:1) !\\[p](https://q)\n> [r]\\: javascript:2\n> &lt;b>',
    );
    expect(quoted('- [a]: javascript:1\n[b\nc]:\tfile:///x\n[d\\]e]: java\\script\\:3\n[f]:\ndata:4')).toBe(
      '> - [a]\\: javascript:1\n> [b\n> c]\\:\tfile:///x\n> [d\\]e]\\: java\\script\\:3\n> [f]\\:\n> data:4',
    );
    // Web pages and code stay as they are.
    const kept = '[r]: https://q\n[s](https://q)\nx[0]: 5\nd: dict[str, int]: the map';
    expect(quoted(kept)).toBe(kept.replace(/^/gm, '> '));
  });
});

/** Fences as CommonMark defines them, at the start of lines. */
function withoutFences(text: string): string {
  let fence = '';
  return text
    .split('\n')
    .filter((line) => {
      const mark = /^(`{3,})/.exec(line)?.[1];
      if (fence === '') {
        if (mark !== undefined) fence = mark;
        return mark === undefined;
      }
      if (mark !== undefined && mark.length >= fence.length && line.trim() === mark) fence = '';
      return false;
    })
    .join('\n');
}

describe('a table', () => {
  it.each([
    ['csv', ','],
    ['tsv', '\t'],
  ] as const)('%s has no formula, and as many cells in every row', async (format, separator) => {
    const text = await pack(format);
    expect(text).not.toMatch(ACTING);
    const table = cellsOf(text, separator);
    expect(table.length).toBe(1 + 3 * 3);
    for (const row of table) expect(row).toHaveLength(CSV_COLUMNS.length);
    const cells = table.flat().filter((cell) => /^\s*[=+\-@]/.test(cell));
    expect(cells).toEqual([]);
    expect(table[1]?.[CSV_COLUMNS.findIndex(({ name }) => name === 'answer')]).toMatch(/^'\+/);
  });
});

/** Parses RFC 4180 literally. */
function cellsOf(text: string, separator: string): readonly (readonly string[])[] {
  const table: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      at++;
      for (; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else {
      const end = Math.min(
        ...[separator, '\n'].map((mark) => text.indexOf(mark, at)).filter((place) => place >= 0),
      );
      cell = text.slice(at, end);
      at = end;
    }
    row.push(cell);
    if (text[at] === '\n') {
      table.push(row);
      row = [];
    }
    at++;
  }
  return table;
}

describe('lines of JSON', () => {
  it('keep every text, and parse again', async () => {
    const text = await pack('jsonl');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const second = scratch();
    try {
      await ingestHere(second.library, [second.file('pack.jsonl', text)]);
      expect(rows(second.library, 'SELECT severity, message FROM ingest_issue')).toEqual([]);
      const said =
        'SELECT annotation_id, label, note, correction, author, state FROM annotation ORDER BY annotation_id';
      expect(rows(second.library, said)).toEqual(rows(place.library, said));
      expect(rows(second.library, 'SELECT run_key, name FROM run')).toEqual(
        rows(place.library, 'SELECT run_key, name FROM run'),
      );
    } finally {
      second.remove();
    }
  });

  it('are conversations without changes', async () => {
    for (const line of (await pack('chat')).trimEnd().split('\n')) {
      const { messages } = JSON.parse(line) as { messages: { role: string; content: string }[] };
      expect(
        messages.some(({ content }) => content.includes('<script>window.pwned = "script"</script>')),
      ).toBe(true);
      expect(messages.every(({ role }) => ['system', 'user', 'assistant', 'tool'].includes(role))).toBe(true);
    }
  });
});

/** Nothing is masked. */
const KEPT = { redact: [], keepsCredentials: true };

describe('a text for a language model', () => {
  it('has every requested part, in fences, and lists the omitted ones', async () => {
    const db = openReader(place.library);
    try {
      const rolloutId = Number(db.prepare('SELECT max(rollout_id) FROM rollout').pluck().get());
      const all = await packText(db, { rolloutId, sections: PACK_SECTIONS, ...KEPT });
      for (const head of ['Problem', 'Outcome', 'Labels and notes', 'Transcript', 'Answer'])
        expect(all?.text).toContain(`## ${head}\n`);
      expect(all?.text).not.toMatch(ACTING);
      const some = await packText(db, { rolloutId, sections: ['reasoning'], ...KEPT, redact: ['window'] });
      expect(some?.text).toMatch(/\(code, [\d,]+ characters, left out\)/);
      expect(some?.text).not.toContain('window');
      expect(some?.redactions).toBeGreaterThan(0);
      expect(await packText(db, { rolloutId: 999_999, sections: ['answer'], ...KEPT })).toBeUndefined();
    } finally {
      db.close();
    }
  });
});

it('a colour that is none of ours is grey', () => {
  const colour = '"><meta http-equiv=refresh content="0;url=http://127.0.0.1">' as Label['colour'];
  const labels = DEFAULT_TAXONOMY.labels.map((label) => ({ ...label, colour }));
  expect(colourClass({ ...DEFAULT_TAXONOMY, labels }, labels[0]?.id)).toBe('l-grey');
});

describe('a credential', () => {
  const key = `sk-${'aB3'.repeat(12)}`;

  it('is masked in a text and in a call within it, and counted', () => {
    const redactor = new Redactor({ redact: [], keepsCredentials: false });
    const call = JSON.stringify({ code: `import os\nos.environ["X"] = "${key}"\n` });
    const masked = redactor.text(`I use ${key}. ${call}`);
    expect(masked).not.toContain(key.slice(0, 12));
    expect(masked).toContain(`I use ${'█'.repeat(key.length)}. {"code":"import os\\nos.environ`);
    expect(redactor.report()).toEqual([{ pattern: 'credentials', count: 2 }]);
  });

  it('stays where the user wants it', () => {
    expect(new Redactor(KEPT).text(key)).toBe(key);
    expect(new Redactor(KEPT).report()).toEqual([]);
  });
});

describe('a pattern', () => {
  it('keeps 40,000 names apart that a pattern makes equal', () => {
    const redactor = new Redactor({ redact: ['\\d+'], keepsCredentials: true }, 60_000);
    const [label] = DEFAULT_TAXONOMY.labels as readonly [Label];
    const labels = Array.from({ length: 40_000 }, (_, i) => ({ ...label, name: `label ${100_000 + i}` }));
    const before = process.cpuUsage();
    const { labels: redacted } = redactor.taxonomy({ ...DEFAULT_TAXONOMY, labels });
    // Trying every alias again takes a minute.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
    expect(new Set(redacted.map(({ name }) => name)).size).toBe(labels.length);
    expect(redacted.slice(0, 3).map(({ name }) => name)).toEqual([
      'label ██████',
      'label ██████~2',
      'label ██████~3',
    ]);
  });

  it('a pattern that is the secret itself is not in the manifest', () => {
    const redactor = new Redactor({ ...KEPT, redact: ['sk-abc123', 'h[ae]y'] });
    expect(redactor.text('sk-abc123 and hay')).toBe('█████████ and ███');
    expect(redactor.report()).toEqual([
      { pattern: '█████████', count: 1 },
      { pattern: 'h[ae]y', count: 1 },
    ]);
  });

  it('replaces code unit by code unit', () => {
    expect(new Redactor({ ...KEPT, redact: ['.'] }).text('a😀\n')).toBe('███\n');
    expect(new Redactor({ ...KEPT, redact: ['x*'] }).text('yxx')).toBe('y██');
    expect(HOSTILE.length).toBe(new Redactor({ ...KEPT, redact: ['\\w+'] }).text(HOSTILE).length);
  });
});
