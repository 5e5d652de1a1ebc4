/** Records and files that try to break a page, a pack or the host. None is over 3 MB; all are made from seeds. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  archiveOf,
  parquetClaiming,
  parquetOf,
  parquetWithLongRun,
} from '../../fixtures/generate/hostileFiles.ts';
import { Random } from '../../fixtures/generate/random.ts';
import { HEAVY_TEXTS, HOSTILE_TEXT } from './shells/hostileLog.ts';

export const CORPUS_RUN = 'corpus';
export const MANY_STEPS_RUN = 'many-steps';

const nested = (open: string, times: number, close = ''): string =>
  `${open.repeat(times)}x${close.repeat(times)}`;

/** Any characters: controls, halves of pairs, marks, letters of many scripts. */
function noise(random: Random, length: number): string {
  const ranges = [
    [0, 0x20],
    [0x21, 0x7e],
    [0x80, 0xa0],
    [0x300, 0x36f],
    [0x590, 0x6ff],
    [0x2000, 0x206f],
    [0xd800, 0xdfff],
    [0xe000, 0xe0ff],
    [0xfe00, 0xfe0f],
    [0xfff0, 0xffff],
  ] as const;
  return Array.from({ length }, () => {
    const [from, to] = random.pick(ranges);
    return String.fromCharCode(random.int(from, to));
  }).join('');
}

/** Thai letters without a blank. A browser looks for words in them. */
const thaiWord = (random: Random, length: number): string =>
  Array.from({ length }, () => String.fromCharCode(random.int(0x0e01, 0x0e2e))).join('');

const wideTable = (columns: number, rows: number): string =>
  `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`;

/** Texts that are written into every field of a rollout. */
function texts(): Readonly<Record<string, string>> {
  const random = new Random(19);
  const alone: Record<string, string> = {
    'everything at once': HOSTILE_TEXT,
    ...HEAVY_TEXTS,
    empty: '',
    blanks: ' '.repeat(50_000),
    'line ends': '\n'.repeat(50_000),
    'one long word': 'w'.repeat(1_000_000),
    'one long line': 'word '.repeat(200_000),
    'many lines': 'line\n'.repeat(100_000),
    'carriage returns': 'a\rb'.repeat(20_000),
    'half surrogates': '\ud800 \udfff '.repeat(5_000),
    'byte order marks': '\ufeff'.repeat(20_000),
    'null characters': '\u0000'.repeat(20_000),
    'delete and backspace': '\u007f\u0008'.repeat(10_000),
    'tag characters': '\u{e0041}'.repeat(10_000),
    'variation selectors': 'a\ufe0f\u{e0100}'.repeat(5_000),
    'combining marks': `a${'\u0301'.repeat(20_000)}`,
    'right-to-left words': 'שלום عالم '.repeat(5_000),
    'isolates that are never closed': '\u2066\u2067\u2068'.repeat(5_000),
    'emoji with joiners': '👩‍👩‍👧‍👦'.repeat(5_000),
    'wide table': `|${' a |'.repeat(2_000)}\n|${'---|'.repeat(2_000)}\n|${' b |'.repeat(2_000)}`,
    'long table': `| a |\n|---|\n${'| b |\n'.repeat(20_000)}`,
    'open fences': '```python\n'.repeat(5_000),
    'a table behind no fence': `\`\`\` \`\n${wideTable(1_000, 400)}`,
    'lists behind no fence': `\`\`\` \`\n${'- '.repeat(10_000)}`,
    'a table with carriage returns': wideTable(800, 2_000).replaceAll('\n', '\r'),
    'a matrix of blanks': `$$\n\\begin{matrix}${'&'.repeat(7_900)}\\end{matrix}\n$$`,
    'directions by turns': 'אa'.repeat(15_000),
    'scripts by turns': 'a\u{1e900}中\u{12000}'.repeat(8_000),
    'symbols by turns': 'a⏎'.repeat(60_000),
    'keycaps by turns': '1\ufe0f\u20e31'.repeat(12_000),
    'text and emoji by turns': '☎\ufe0e☎\ufe0f'.repeat(12_000),
    'words of one letter': 'א '.repeat(30_000),
    'one long fence': `\`\`\`\n${'x = 1\n'.repeat(50_000)}\`\`\``,
    'indented fences': Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}\`\`\``).join('\n'),
    'links in links': nested('[', 3_000, '](https://beacon.attacker.example/)'),
    'images in images': nested('![', 2_000, '](x)'),
    'reference definitions': '[a]: https://beacon.attacker.example/\n'.repeat(5_000),
    footnotes: 'a[^1]\n\n[^1]: b\n'.repeat(3_000),
    autolinks: 'https://beacon.attacker.example/ '.repeat(5_000),
    'nested details': nested('<details open>', 2_000, '</details>'),
    'nested divs': nested('<div>', 5_000, '</div>'),
    'open comments': '<!-- '.repeat(5_000),
    entities: '&lt;&#60;&amp;'.repeat(10_000),
    backslashes: '\\'.repeat(50_000),
    backticks: '`'.repeat(50_000),
    dollars: '$'.repeat(20_000),
    'display formulas': '$$x$$\n'.repeat(5_000),
    'a formula of fractions': `$${nested('\\frac{1}{', 400, '}')}$`,
    'a formula of matrices': `$\\begin{matrix}${'1&'.repeat(5_000)}\\end{matrix}$`,
    'macros that grow': `$\\def\\a{x}${'\\def\\a{\\a\\a}'.repeat(30)}\\a$`,
    'a rule of a kilometre': '$\\rule{99999em}{99999em}$ $\\kern{99999em}$ $\\hspace{-9999em}x$',
    'underscores and stars': '_*'.repeat(10_000),
    'strike and bold': '~~**'.repeat(5_000),
    'numbered lists with large numbers': '999999999. a\n'.repeat(5_000),
    'task lists': '- [x] a\n'.repeat(10_000),
    'rules and underlines': '---\n===\n'.repeat(5_000),
    'terminal titles': '\u001b]0;owned\u0007'.repeat(5_000),
    'terminal links': '\u001b]8;;https://beacon.attacker.example/\u0007x\u001b]8;;\u0007'.repeat(3_000),
    'cursor movements': '\u001b[2J\u001b[1;1H'.repeat(5_000),
    'broken escapes': '\u001b['.repeat(20_000),
    'colours of 24 bits': '\u001b[38;2;255;0;0mx'.repeat(5_000),
    'tool calls in text': '<tool_call>{"name":"a","arguments":{}}</tool_call>'.repeat(2_000),
    'open tool calls': '<tool_call>'.repeat(10_000),
    'open reasoning': '<think>'.repeat(10_000),
    'answers in answers': nested('<answer>', 3_000, '</answer>'),
    'boxes in boxes': nested('\\boxed{', 3_000, '}'),
    'chat markers': '<|im_start|>user\n<|im_end|>\n'.repeat(5_000),
    'JSON that nests': nested('[', 100_000, ']'),
    'JSON that repeats a key': `{${'"__proto__":{"a":1},'.repeat(2_000)}"a":1}`,
    'spreadsheet formulas': '=HYPERLINK("https://beacon.attacker.example","x")\n@SUM(1)\n+1\n-1\t|calc',
    'paths upward': '../../../../etc/passwd\\..\\..',
    'percent signs': '%2e%2e%2f%00%ff%',
    'a data address': `data:text/html,${'<script>window.pwned=9</script>'.repeat(100)}`,
    SQL: "'; DROP TABLE rollout_row; -- \" ; ATTACH 'x' AS y",
    credentials: 'Bearer sk-aaaaaaaaaaaaaaaaaaaaaaaa AKIAAAAAAAAAAAAAAAAA '.repeat(500),
    base64: 'QUFB'.repeat(200_000),
    'a regular expression that runs away': `${'a'.repeat(50_000)}!`,
    'Python that nests': `${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
    'Python strings that are never closed': '"""\n'.repeat(5_000),
    'a traceback of a thousand frames': `Traceback (most recent call last):\n${'  File "<stdin>", line 1, in f\n'.repeat(1_000)}RecursionError: x`,
    'words of hidden letters': 'w\u00ada\u200di\u2060t '.repeat(5_000),
    'Hangul fillers': '\u3164\u115f'.repeat(5_000),
    'private letters': '\ue000\uf8ff'.repeat(10_000),
    'Thai without blanks': thaiWord(new Random(21), 50_000),
  };
  const noisy = Array.from({ length: 12 }, (_, index) => [`noise ${index}`, noise(random, 4_000)] as const);
  return { ...alone, ...Object.fromEntries(noisy) };
}

/** A rollout has a text in about a dozen fields, and a file of two rollouts is at most 3 MB. */
const MOST_JSON = 100_000;

function bounded(text: string): string {
  // Arguments of calls are JSON within JSON.
  const share = MOST_JSON / Buffer.byteLength(JSON.stringify(JSON.stringify(text)));
  return share >= 1 ? text : text.slice(0, Math.floor(text.length * share));
}

/** A text for use as a key. Short, because keys are part of links. */
const keyOf = (text: string): string => text.slice(0, 120).toWellFormed();

function rolloutOf(group: string, step: number, index: number, text: string): object {
  const correct = index % 2 === 1;
  return {
    ...{ v: 1, type: 'rollout', run: CORPUS_RUN, step, split: 'train', group, index },
    problem: {
      id: `problem of ${group} ${keyOf(text)}`,
      prompt: text,
      ground_truth: text,
      source: keyOf(text),
    },
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: `<think>${text}</think>${text}`,
        tool_calls: [
          {
            ...{ id: 'call', type: 'function' },
            function: {
              name: keyOf(text) || 'tool',
              arguments: JSON.stringify({ code: text, [keyOf(text)]: text }),
            },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call', content: text },
      { role: 'assistant', content: `${correct ? '' : 'Wait. '}<answer>${text}</answer>` },
    ],
    ...{ reward: correct ? 1 : 0, is_correct: correct, answer: text, stop_reason: keyOf(text) || 'answer' },
    extra: { note: text, [keyOf(text)]: text },
  };
}

/** Rollouts with an unusual shape rather than an unusual text. */
function shapes(): Readonly<Record<string, object>> {
  const base = { problem: { id: 'p', prompt: 'q' }, reward: 1, text: 'a <answer>1</answer>' };
  const call = (index: number) => ({
    id: `c${index}`,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  });
  // A naive search reads most of the second text at each place of the first.
  const [text, almost] = ['a'.repeat(1_000_000), `${'a'.repeat(10)}b${'a'.repeat(100_000)}`];
  let deep: unknown = 'x';
  for (let depth = 0; depth < 3_000; depth++) deep = { deep };
  return {
    'a reward beyond all numbers': { ...base, reward: 1e308, penalties: { a: -1e308 } },
    'a reward of the least size': { ...base, reward: 5e-324 },
    'rewards as text': { ...base, reward: 'Infinity' },
    'extra fields that nest': { ...base, extra: deep },
    '5,000 extra fields': {
      ...base,
      extra: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field ${index}`, index])),
    },
    '20,000 messages': {
      ...{ ...base, text: undefined },
      messages: Array.from({ length: 20_000 }, (_, index) => ({
        role: index % 2 ? 'assistant' : 'user',
        content: 'm',
      })),
    },
    '10,000 calls in one message': {
      ...{ ...base, text: undefined },
      messages: [
        {
          role: 'assistant',
          content: '',
          tool_calls: Array.from({ length: 10_000 }, (_, index) => call(index)),
        },
      ],
    },
    '10,000 answered calls of one turn': {
      ...{ ...base, text: undefined },
      messages: [
        {
          role: 'assistant',
          content: '',
          tool_calls: Array.from({ length: 10_000 }, (_, index) => call(index)),
        },
        ...Array.from({ length: 10_000 }, (_, index) => ({
          ...{ role: 'tool', tool_call_id: `c${index}` },
          content: `output ${index}`,
        })),
      ],
    },
    'a message of 800,000 Thai letters': {
      ...{ ...base, text: undefined },
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: thaiWord(new Random(22), 800_000) },
      ],
    },
    'an answer and a ground truth that are almost in the text': {
      ...{ ...base, text, answer: `${'a'.repeat(100_000)}b`, is_correct: true },
      problem: { id: 'p', prompt: 'q', ground_truth: almost },
    },
    'a prompt that is almost in its messages': {
      problem: { id: 'p', prompt: almost },
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: 'b' },
      ],
    },
    'a code that is almost in its call': {
      ...{ ...base, text: undefined },
      messages: [
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              ...{ id: 'c', type: 'function' },
              function: {
                name: 'python',
                arguments: `{"note": "${text}", "code": "${almost.replace('b', '\\u0062')}"}`,
              },
            },
          ],
        },
      ],
    },
    'answers to calls that nobody made': {
      ...{ ...base, text: undefined },
      messages: Array.from({ length: 1_000 }, (_, index) => ({
        role: 'tool',
        tool_call_id: `x${index}`,
        content: 'o',
      })),
    },
    'names of the prototype': {
      ...base,
      extra: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3, "hasOwnProperty": 4}'),
    },
    'a created date beyond all calendars': { ...base, created_at: 1e18 },
    'no text at all': { ...base, text: undefined },
    'a text of one character': { ...base, text: '🧮' },
    'tokens without logprobs': { ...base, tokens: { text: Array.from({ length: 5_000 }, () => 'a') } },
    'tokens that do not fit the text': {
      ...base,
      tokens: { text: ['b', 'c'], logprobs: [-1, -2], entropy: [1, Number.MAX_VALUE] },
    },
    'entropies below zero': { ...base, tokens: { text: ['a', ' '], entropy: [-5, 1e300] } },
  };
}

/** Shapes that are refused, because they contain nothing to show. */
const REFUSED: ReadonlySet<string> = new Set(['answers to calls that nobody made', 'no text at all']);

export interface HostileCorpus {
  /** Name of each record's group, in order. A group has two rollouts, or one for unusual shapes. */
  readonly groups: readonly { readonly name: string; readonly key: string; readonly rollouts: number }[];
  /** Number of files that may be refused, each for a different reason. */
  readonly files: number;
}

/** Writes the corpus below a directory. */
export function writeHostileCorpus(directory: string): HostileCorpus {
  mkdirSync(directory, { recursive: true });
  const groups: { name: string; key: string; rollouts: number }[] = [];
  const records: object[][] = [
    [
      {
        v: 1,
        type: 'run',
        run: CORPUS_RUN,
        name: '<b>corpus</b>',
        config: { note: HOSTILE_TEXT, api_key: 'sk-a' },
      },
    ],
  ];
  for (const [name, whole] of Object.entries(texts())) {
    const text = bounded(whole);
    const key = `${name} ${keyOf(text)}`;
    groups.push({ name, key, rollouts: 2 });
    records.push([0, 1].map((index) => rolloutOf(key, 0, index, text)));
  }
  for (const [name, shape] of Object.entries(shapes())) {
    if (!REFUSED.has(name)) groups.push({ name, key: name, rollouts: 1 });
    records.push([
      { v: 1, type: 'rollout', run: CORPUS_RUN, step: 0, split: 'train', group: name, index: 0, ...shape },
    ]);
  }
  // One file each, so that none is over 3 MB and a refused record affects no other.
  for (const [index, lines] of records.entries())
    writeSmall(
      join(directory, `record-${String(index).padStart(3, '0')}.jsonl`),
      `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    );
  return { groups, files: writeOddFiles(join(directory, 'files')) };
}

/** A rollout in each of 20,000 steps from one on, and two at step 0. Rewards have the largest size that is read. */
function manySteps(first: number): string {
  const line = (step: number, index: number) =>
    `${JSON.stringify({ v: 1, type: 'rollout', run: MANY_STEPS_RUN, step, group: 'g', index, text: 'a', reward: 1e150 })}\n`;
  const steps = Array.from({ length: 20_000 }, (_, at) => line(first + at, 0)).join('');
  return first === 0 ? line(0, 1) + steps : steps;
}

function writeOddFiles(directory: string): number {
  mkdirSync(directory);
  const row = JSON.stringify({ input: 'user\nq\nassistant\n', output: '#### 1', score: 1, step: 1 });
  const random = new Random(20);
  const parquet = Buffer.from(parquetOf(50, 'text '.repeat(20)));
  const archive = Buffer.from(archiveOf([5, 5, 5]));
  const rows = (count: bigint) =>
    parquetClaiming((footer) => {
      footer.num_rows = count;
      for (const group of footer.row_groups) group.num_rows = count;
    });
  const files: Record<string, Uint8Array | string> = {
    'rows.parquet': rows(10n ** 9n),
    'more-rows.parquet': rows(10n ** 15n),
    'run.parquet': parquetWithLongRun(),
    'repeats.parquet': parquetOf(20_000, 'long '.repeat(2_000)),
    'members.eval': archiveOf([5, 70_000_000, 5]),
    'header.eval': archiveOf([5], 70_000_000),
    'bomb.jsonl.gz': gzipSync(Buffer.alloc(200 << 20, ' ')),
    'line.jsonl.gz': gzipSync(Buffer.concat([Buffer.from('{"output":"'), Buffer.alloc(150 << 20, 'a')])),
    'deep.jsonl': `${'['.repeat(1_000_000)}\n${row}\n`,
    'deep-objects.jsonl': `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}\n${row}\n`,
    'not-utf8.jsonl': Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0xd8]), Buffer.from(row)]),
    'utf16.jsonl': Buffer.from(`${row}\n`, 'utf16le'),
    'zeros.jsonl': Buffer.alloc(1 << 20),
    'empty.jsonl': '',
    'blank.jsonl': '\n'.repeat(100_000),
    'half.jsonl': row.slice(0, 20),
    'numbers.jsonl': `${'9'.repeat(100_000)}\n1e999999\n-0\n${row}\n`,
    'array.json': `[${Array.from({ length: 2_000 }, () => row).join(',')}]`,
    'array-open.json': `[${row},`,
    'keys.jsonl': `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(',')}}\n`,
    'mixed.jsonl': `${row}\n"text"\n[]\nnull\n{}\n${row}\n`,
    'names.parquet.jsonl': `${row}\n`,
    '<img src=x onerror=pwned>.jsonl': `${row}\n`,
    'line\nend.jsonl': `${row}\n`,
    '\u202egnp.jsonl': `${row}\n`,
    '-rf.jsonl': `${row}\n`,
    '%2e%2e%2f.jsonl': `${row}\n`,
    [`${'long'.repeat(60)}.jsonl`]: `${row}\n`,
    'text.zip': Buffer.from('PK\u0005\u0006not an archive'),
    'store.db': Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_000, 7)]),
    'header.arrow': Buffer.concat([Buffer.from('ARROW1\0\0'), Buffer.alloc(200, 0xff)]),
    'steps-0.jsonl': manySteps(0),
    'steps-20000.jsonl': manySteps(20_000),
    'self.gz': gzipSync(gzipSync(gzipSync(Buffer.from(row)))),
  };
  for (let index = 0; index < 16; index++) {
    for (const [name, whole] of [
      [`flipped-${index}.parquet`, parquet],
      [`flipped-${index}.eval`, archive],
    ] as const) {
      const damaged = Buffer.from(whole);
      for (let flips = 0; flips < 6; flips++) {
        const at = random.int(0, damaged.length - 1);
        damaged[at] = random.int(0, 255);
      }
      files[name] = random.chance(0.3) ? damaged.subarray(0, random.int(1, damaged.length)) : damaged;
    }
  }
  for (const [name, content] of Object.entries(files)) writeSmall(join(directory, name), content);
  return Object.keys(files).length;
}

function writeSmall(path: string, content: Uint8Array | string): void {
  if (Buffer.byteLength(content) > 3_000_000) throw new Error(`${path} is over 3 MB`);
  writeFileSync(path, content);
}
