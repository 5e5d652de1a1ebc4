/** Mappings: invalid ones with the reason, parsed records, and proposals for unknown shapes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedLine } from '../../shared/format/format.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { formatOfMapping, readMapping } from '../../shared/format/mapped.ts';
import type { Mapping, MappingField } from '../../shared/format/mapping.ts';
import { pathsIn, proposeMapping } from '../../shared/format/mappingProposal.ts';
import { type PathStep, parsePath, valueAt, writePath } from '../../shared/format/recordPath.ts';
import { judge } from '../support/recordLaw.ts';

const mapping = (fields: Partial<Record<MappingField, string>>, rollouts?: string): Mapping => ({
  version: 1,
  name: 'ours',
  shape: [],
  fields,
  ...(rollouts === undefined ? {} : { rollouts }),
});

function read(made: Mapping, record: Record<string, unknown>, path = 'log.jsonl'): readonly ParsedLine[] {
  const parsed = formatOfMapping(made)
    .open({ name: path, layout: layoutOf(path) })
    .read(record, 1);
  const lines = 'kind' in parsed ? [parsed] : parsed;
  judge(`mapping:${made.name}`, lines);
  return lines;
}

function rolloutsOf(lines: readonly ParsedLine[]) {
  return lines.flatMap((line) => (line.kind === 'rollout' ? [line.rollout] : []));
}

describe('a mapping', () => {
  const whole = {
    version: 1,
    name: ' ours ',
    shape: ['meta', 'reply'],
    rollouts: 'samples',
    fields: { response: 'reply', reward: 'meta["a.b"][-1]' },
  };

  it('parses its own export', () => {
    const found = readMapping(JSON.parse(JSON.stringify(whole)));
    expect(found).toEqual({ mapping: { ...whole, name: 'ours' } });
  });

  it.each([
    ['a list', [], /JSON object/],
    ['nothing', null, /JSON object/],
    ['another version', { ...whole, version: 2 }, /"version" is 2/],
    ['no name', { ...whole, name: '  ' }, /"name"/],
    ['a shape of numbers', { ...whole, shape: [1] }, /"shape"/],
    ['no fields', { ...whole, fields: [] }, /"fields"/],
    ['an unknown field', { ...whole, fields: { response: 'a', loss: 'b' } }, /"fields.loss" is not a field/],
    ['a path that is none', { ...whole, fields: { response: 'a[' } }, /path of "response" is "a\["/],
    ['a path that is no text', { ...whole, fields: { response: 3 } }, /path of "response" is 3/],
    ['a list that is no path', { ...whole, rollouts: 7 }, /path of "rollouts" is 7/],
    ['neither response nor messages', { ...whole, fields: { reward: 'r' } }, /needs a path/],
    ['a field of every object', { ...whole, fields: { response: 'a', constructor: 'b' } }, /not a field/],
  ])('is refused with %s', (_what, value, message) => {
    const found = readMapping(value);
    expect('message' in found && found.message).toMatch(message);
  });
});

describe('reading by a mapping', () => {
  it('reads prompt and response, and the step from a deeper field', () => {
    const made = mapping({
      prompt: 'q',
      response: 'a',
      reward: 'meta.score',
      step: 'meta.step',
      group: 'uid',
    });
    const [rollout] = rolloutsOf(
      read(made, { q: 'six?', a: 'It is 6.', meta: { score: 1, step: 7, seed: 3 }, uid: 4, other: [1] }),
    );
    expect(rollout).toMatchObject({
      response: 'It is 6.',
      reward: 1,
      step: 7,
      groupKey: '4',
      groupRule: 'logged',
      problem: { prompt: 'six?' },
      extra: { other: [1] },
    });
  });

  it('reads code blocks with output blocks after them as tool calls, unless the text has tags', () => {
    const written = 'Let me see.\n```python\nprint(6*7)\n```\n```output\n42\n```\nIt is \\boxed{42}.';
    const called = `<tool_call>\n{"name": "python"}\n</tool_call> ${written}`;
    const [blocks, tags, alone] = [written, called, '```python\nprint(1)\n```'].flatMap((reply) =>
      rolloutsOf(read(mapping({ response: 'reply', prompt: 'q' }), { q: '6·7?', reply })),
    );
    expect(blocks?.toolCalls.map(({ outcome }) => outcome)).toEqual(['ok_stdout']);
    expect(blocks?.turns).toHaveLength(2);
    expect(blocks?.answer).toBe('42');
    expect(tags?.toolCalls).toHaveLength(1);
    expect(tags?.segments.some(({ kind }) => kind === 'tool-response')).toBe(false);
    expect(alone?.toolCalls).toEqual([]);
  });

  it('reads messages that name role and text in their own words', () => {
    const usual = [
      { role: 'user', content: 'What is 2 + 2?' },
      { role: 'assistant', content: 'It is 4.' },
    ];
    const own = usual.map(({ role, content }) => ({ who: role, say: content, at: 3 }));
    const [expected] = rolloutsOf(read(mapping({ messages: 'chat' }), { chat: usual }));
    const [found] = rolloutsOf(read(mapping({ messages: 'chat' }), { chat: own }));
    expect([found?.response, found?.segments]).toEqual([expected?.response, expected?.segments]);
    const asResponse = read(mapping({ prompt: 'q', response: 'a' }), { q: 'Hello', a: [own[1]] });
    expect(rolloutsOf(asResponse)[0]?.response).toContain('It is 4.');
  });

  const spoken = {
    log: [
      { who: 'user', says: 'six?', at: 'noon' },
      { who: 'solver', says: 'It is 6.', at: 'one' },
      { who: 'checker', says: 'Right.', at: 'two' },
    ],
  };
  const ownKeys = mapping({ messages: 'log', messageRole: 'who', messageText: 'says' });

  it('reads messages by the keys and the roles that the mapping names', () => {
    const made: Mapping = { ...ownKeys, roles: { solver: 'assistant', checker: 'user' } };
    const [rollout] = rolloutsOf(read(made, spoken));
    expect(rollout?.problem.prompt).toContain('six?');
    expect(rollout?.response).toContain('It is 6.');
    expect(rollout?.turns.length).toBe(1);
    expect(readMapping(JSON.parse(JSON.stringify({ ...made, shape: ['log'] })))).toEqual({
      mapping: { ...made, shape: ['log'] },
    });
    expect(readMapping({ ...made, roles: { solver: 'judge' } })).toMatchObject({
      message: expect.stringContaining('"roles"'),
    });
  });

  it('names the roles of messages of which none is by the policy, and a text key that leads nowhere', () => {
    expect(read(ownKeys, spoken)).toMatchObject([
      {
        issue: {
          message:
            'no message of "log" is by the policy: its roles are user, solver, checker. Choose which one is the policy',
        },
      },
    ]);
    const lost = mapping({ messages: 'log', messageRole: 'who', messageText: 'said' });
    expect(read(lost, spoken)).toMatchObject([
      { issue: { message: 'no message of "log" has a text at "said"' } },
    ]);
  });

  it('says what is missing if the mapping names neither messages nor a response', () => {
    expect(read(mapping({ reward: 'r' }), { r: 1 })).toMatchObject([
      { issue: { message: 'a rollout needs messages or a response; choose where they are' } },
    ]);
  });

  it('refuses messages whose role or text it cannot tell, and names their keys', () => {
    for (const chat of [
      [{ who: 'solver', say: 'x' }],
      [{ who: 'user', say: 'x', think: 'y' }],
      [{ who: 'user' }],
    ])
      expect(read(mapping({ messages: 'chat' }), { chat })).toMatchObject([
        {
          kind: 'issue',
          issue: {
            message: expect.stringMatching(/^"chat" has 1 message without a known role and text; .*who/),
          },
        },
      ]);
  });

  it('reads messages; the prompt ends before the first answer', () => {
    const messages = [
      { role: 'user', content: 'six?' },
      { role: 'assistant', content: 'It is 6.' },
    ];
    const [rollout] = rolloutsOf(read(mapping({ messages: 'chat' }), { chat: messages }));
    expect(rollout?.response).toContain('It is 6.');
    expect(rollout?.problem.prompt).toContain('six?');
    expect(rollout?.groupRule).toBe('prompt');
  });

  it('reads every element of a list, looking up fields there first and then around it', () => {
    const made = mapping({ prompt: 'q', response: 'text', reward: 'r' }, 'samples');
    const found = rolloutsOf(
      read(made, {
        q: 'six?',
        r: 0.5,
        samples: [{ text: 'a', r: 1 }, { text: 'b' }, { text: 'c', q: 'seven?' }],
      }),
    );
    expect(found.map(({ response, reward, problem }) => [response, reward, problem.prompt])).toEqual([
      ['a', 1, 'six?'],
      ['b', 0.5, 'six?'],
      ['c', 0.5, 'seven?'],
    ]);
  });

  it('reads tokens, aligned if they decode to the response', () => {
    const fields = {
      response: 'a',
      tokenTexts: 't',
      tokenLogprobs: 'l',
      tokenEntropies: 'e',
      tokenMask: 'm',
    };
    const columns = { l: [-0.1, -0.2], e: [0.5, null], m: [1, 0] };
    const [spelled] = rolloutsOf(read(mapping(fields), { a: 'It is', t: ['It', ' is'], ...columns }));
    expect([...(spelled?.tokens?.ends ?? [])]).toEqual([2, 5]);
    expect(spelled?.tokens?.entropy?.[1]).toBeNaN();
    const [other] = rolloutsOf(read(mapping(fields), { a: 'Something else', t: ['It', ' is'], ...columns }));
    expect(other?.tokens?.ends).toBeUndefined();
  });

  it.each([
    ['no response', { a: null }, /"a" is null; a rollout needs its response/],
    ['no field', {}, /not in the record/],
  ])('refuses a record with %s', (_what, record, message) => {
    const [line] = read(mapping({ response: 'a' }), record);
    expect(line).toMatchObject({ kind: 'issue', issue: { severity: 'refused', code: 'mapping_mismatch' } });
    expect(line?.kind === 'issue' && line.issue.message).toMatch(message);
  });

  it('refuses a value that is not a list, and an empty list', () => {
    for (const samples of ['x', [], null]) {
      expect(read(mapping({ response: 'a' }, 'samples'), { samples })).toMatchObject([{ kind: 'issue' }]);
    }
  });

  it('reports which mapped fields are unreadable, and leaves them unknown', () => {
    const made = mapping({ response: 'a', reward: 'r', step: 's', kept: 'k' });
    const [line] = read(made, { a: 'x', r: 'good', s: -1, k: 'yes' });
    expect(line?.kind === 'rollout' && line.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('not a valid reward'),
      expect.stringContaining('not a valid step'),
      expect.stringContaining('not a valid kept'),
    ]);
    expect(rolloutsOf([line].flatMap((one) => one ?? []))[0]?.reward).toBeUndefined();
  });

  it('never throws', () => {
    const made = mapping({ messages: 'm', prompt: 'p', response: 'a', tokenIds: 't', tokenMask: 'k' });
    const record = fc.record(
      { m: fc.jsonValue(), p: fc.jsonValue(), a: fc.jsonValue(), t: fc.jsonValue(), k: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(record, (values) => {
        expect(read(made, values)).toHaveLength(1);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});

describe('proposing a mapping', () => {
  it.each([
    [
      { meta: { step: 3, uid: 'u' }, prompt: 'q', reply: 'a', score: 1.5 },
      { prompt: 'prompt', response: 'reply', reward: 'score', step: 'meta.step', group: 'meta.uid' },
    ],
    [
      {
        trajectory: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: 'a' },
        ],
        success: true,
      },
      { messages: 'trajectory', isCorrect: 'success' },
    ],
    [
      { prompt: 'q', reply: 'a', ok: true },
      { prompt: 'prompt', response: 'reply', isCorrect: 'ok' },
    ],
    [
      { question: 'q', outputs: [{ generated_text: 'a', logprobs: [-1], token_ids: [4] }] },
      {
        prompt: 'question',
        response: 'outputs[0].generated_text',
        tokenIds: 'outputs[0].token_ids',
        tokenLogprobs: 'outputs[0].logprobs',
      },
    ],
    [
      {
        trajectory: [
          { who: 'user', says: 'What is six?' },
          { who: 'solver', says: 'It is 6.' },
        ],
        score: 1,
      },
      { messages: 'trajectory', messageRole: 'who', messageText: 'says', reward: 'score' },
    ],
    [{ loss: 1, lr: 2 }, {}],
  ])('for %j', (record, fields) => {
    const proposed = proposeMapping('new', [record]);
    expect(proposed.fields).toEqual(fields);
    expect(proposed.shape).toEqual(Object.keys(record));
  });

  it('uses the keys of all records as its shape', () => {
    expect(
      proposeMapping('new', [
        { a: 1, b: 2 },
        { b: 3, c: 4 },
      ]).shape,
    ).toEqual(['b']);
  });

  it('gives no path to two fields, and every path has a value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 3 }),
        (records) => {
          const paths = Object.values(proposeMapping('new', records).fields);
          expect(new Set(paths).size).toBe(paths.length);
          for (const path of paths) {
            const steps = parsePath(path);
            expect(
              records.some((record) => steps !== undefined && valueAt(record, steps) !== undefined),
            ).toBe(true);
          }
        },
      ),
      { seed: 2, numRuns: 300 },
    );
  });
});

it('a path parses to what was written', () => {
  const steps: fc.Arbitrary<PathStep[]> = fc.array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.integer({ min: -99, max: 99 }),
      fc.constantFrom('a.b', '', '"', ']', '\\', '0'),
    ),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(steps, (made) => {
      // −0 is written like 0.
      expect(parsePath(writePath(made))).toEqual(made.map((step) => (step === 0 ? 0 : step)));
    }),
    { seed: 3, numRuns: 2000 },
  );
});

describe('texts around a list of rollouts', () => {
  const made = mapping({ prompt: 'p', response: 't' }, 'r');

  it('are read for each rollout, up to a size', () => {
    const [first] = rolloutsOf(read(made, { p: 'q', t: 'a'.repeat(1000), r: Array(50).fill(0) }));
    expect(first?.response).toHaveLength(1000);
    const lines = read(made, { p: 'q', t: 'a'.repeat(300_000), r: Array(700).fill(0) });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('700 rollouts in \\"r\\" share texts of the record');
  });

  it('do not count for rollouts that have their own', () => {
    const own = Array(700).fill({ t: 'b', p: 'q' });
    expect(rolloutsOf(read(made, { t: 'a'.repeat(300_000), r: own }))).toHaveLength(700);
  });

  it('count with every message in them', () => {
    const record = { m: Array(2000).fill({ role: 'assistant', content: '' }), r: Array(40_000).fill(0) };
    expect(read(mapping({ messages: 'm' }, 'r'), record)).toHaveLength(1);
  });
});

it('proposes from the first fields of a record that has very many, or names of any length', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
  const record = { ['x'.repeat(1000)]: 'q', prompt: 'p', response: 'r', ...many };
  expect(pathsIn([record, record]).length).toBe(2000);
  const { shape, fields } = proposeMapping('m', [record]);
  expect([shape.length, shape[0]]).toEqual([200, 'prompt']);
  expect(fields).toMatchObject({ prompt: 'prompt', response: 'response' });
});
