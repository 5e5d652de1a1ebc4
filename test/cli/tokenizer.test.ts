/** Token ids without text get offsets from a tokenizer.json, and lose them again. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byteTokenizerJson, idsOf } from '../support/byteTokenizer.ts';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const turnwise = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, [...args, '--library', place.library]);

/**
 * A NeMo-Gym rollout: a message and a call, sampled together, with ids and log-probabilities but no token
 * texts.
 */
function rollout(index: number, text: string): string {
  const call = '{"name": "add", "arguments": {"a": 1}}';
  const ids = [...idsOf(`${text}\n\n<tool_call>\n${call}\n</tool_call>`), 256];
  const record = {
    responses_create_params: { input: [{ role: 'user', content: 'What is 1 + 1? 🎉' }] },
    response: {
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `${text}\n\n` }] },
        {
          type: 'function_call',
          name: 'add',
          arguments: '{"a": 1}',
          call_id: 'c',
          prompt_token_ids: [1, 2],
          generation_token_ids: ids,
          generation_log_probs: ids.map((_, i) => -i / 100),
        },
        { type: 'function_call_output', call_id: 'c', output: '2' },
      ],
    },
    reward: 1,
    _ng_task_index: 0,
    _ng_rollout_index: index,
  };
  return `${JSON.stringify(record)}\n`;
}

const TEXT = 'Let me add é🎉 first.';
const runKey = () => String(rows(place.library, 'SELECT run_key FROM run')[0]?.['run_key']);
const spelled = () =>
  rows(
    place.library,
    `SELECT r.ordinal, group_concat(t.text, '') AS text, max(t."end") AS "end", r.response_chars AS chars
     FROM rollout r, tokens(r.rollout_id) t GROUP BY r.rollout_id ORDER BY r.ordinal`,
  );

describe('tokenizer', () => {
  it('aligns ids with exact characters, also for rollouts read later, and undoes it', async () => {
    await ingestHere(place.library, [place.file('rollouts.jsonl', rollout(0, TEXT))]);
    expect(spelled()).toMatchObject([{ text: null, end: null }]);
    const path = place.file('tokenizer.json', JSON.stringify(byteTokenizerJson()));
    const { code, out } = await turnwise('tokenizer', runKey(), path, '--json');
    expect(JSON.parse(out)).toEqual({
      ...{ size: 257, rollouts: 1, aligned: 1, runs: 1, placed: 1 },
      firstUnplaced: [],
    });
    expect(code).toBe(0);
    const [first] = spelled();
    expect(String(first?.['text'])).toContain(TEXT);
    expect(String(first?.['text'])).toContain('"arguments": {"a": 1}}');
    // A character of several bytes belongs to the token that completes it.
    const accent = rows(place.library, `SELECT text FROM tokens(1) WHERE id IN (195, 169) ORDER BY i`);
    expect(accent).toEqual([{ text: '' }, { text: 'é' }]);

    await ingestHere(place.library, [
      place.file('rollouts.jsonl', rollout(0, TEXT) + rollout(1, 'Another way.')),
    ]);
    expect(spelled().map(({ text }) => String(text).slice(0, 12))).toEqual(['Let me add é', 'Another way.']);

    expect(await turnwise('tokenizer', runKey(), '--remove')).toMatchObject({ code: 0 });
    expect(spelled()).toMatchObject([{ text: null }, { text: null }]);
    expect(await turnwise('tokenizer', runKey(), '--remove')).toMatchObject({ code: 1 });
  });

  it('explains the error, and changes nothing', async () => {
    await ingestHere(place.library, [place.file('rollouts.jsonl', rollout(0, TEXT))]);
    const bad = place.file('bad.json', JSON.stringify({ model: { vocab: { a: 0 } } }));
    expect((await turnwise('tokenizer', runKey(), bad)).err).toContain('only byte-level BPE is read');
    expect((await turnwise('tokenizer', runKey(), place.file('no.json', '{'))).err).toContain('not JSON');
    expect((await turnwise('tokenizer', runKey(), 'nowhere.json')).err).toContain('no such file');
    expect(await turnwise('tokenizer', runKey())).toMatchObject({ code: 2 });
    const good = place.file('good.json', JSON.stringify(byteTokenizerJson()));
    expect((await turnwise('tokenizer', 'nobody', good)).err).toContain('no run nobody');
    expect(spelled()).toMatchObject([{ text: null }]);
  });

  it('leaves texts that do not match unaligned, and counts them', async () => {
    const other = rollout(0, TEXT).replace('Let me add', 'Something else');
    await ingestHere(place.library, [place.file('rollouts.jsonl', other)]);
    const path = place.file('tokenizer.json', JSON.stringify(byteTokenizerJson()));
    const { code, out, err } = await turnwise('tokenizer', runKey(), path);
    expect(err).toContain('from token 0 on the ids decode to "Letmeadd');
    expect([code, out]).toEqual([
      3,
      '257 ids; 0 of 1 rollouts with ids without text are aligned, with 0 of 0 spans of sampled tokens\n',
    ]);
  });
});
