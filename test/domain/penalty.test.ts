import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment, StopReason, ToolCall } from '../../shared/domain/model.ts';
import {
  disagreements,
  type PenaltyInput,
  textPenalties,
  typedPenalties,
} from '../../shared/domain/penalty.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { summariseTurns } from '../../shared/domain/turns.ts';

const CALL = '<tool_call>\n{"name": "python", "arguments": {"code": "1"}}\n</tool_call>';
const OK = 'Tool call success\nstdout: 4\n\nexecution time: 0.02s';
const answered = (tool: string): string =>
  `${CALL}<|im_end|>\n<|im_start|>user\n<tool_response>\n${tool}\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>so</reason>`;
const ANSWER = '<answer>\\boxed{4}</answer>';
const END = '<|im_end|>';

/** As in a log with special tokens; `bare`: as in a verl dump. */
function read(response: string, stopReason?: StopReason): PenaltyInput {
  const { segments, toolCalls, turns } = segmentResponse(response, { startsInReasoning: true });
  return { response, segments, toolCalls, turns: summariseTurns(turns, segments, toolCalls), stopReason };
}
const bare = (text: string): string => text.replaceAll(/<\|im_(?:start|end)\|>/g, '');

/** The same rollout as a message log: tool responses are segments without tags. */
function messages(tools: readonly string[], last: string, stopReason?: StopReason): PenaltyInput {
  const segments: Segment[] = [];
  const toolCalls: ToolCall[] = [];
  let response = '';
  const add = (kind: Segment['kind'], turn: number, text: string): number => {
    const range = { start: response.length, end: response.length + text.length };
    response += text;
    return segments.push({ kind, turn, outer: range, inner: range }) - 1;
  };
  tools.forEach((tool, i) => {
    const callSegment = add('tool-call', i + 1, '{"code":"1"}');
    const responseSegment = add('tool-response', i + 1, tool);
    toolCalls.push({ turn: i + 1, outcome: 'ok', callSegment, responseSegment });
  });
  add('answer', tools.length + 1, last);
  return {
    response,
    segments,
    toolCalls,
    turns: summariseTurns(tools.length + 1, segments, toolCalls),
    stopReason,
  };
}

const start = 'compute</reason>\n';
/**
 * Rows of shared/domain/DOMAIN.md#blind-spots-of-the-text-rules: text, then [p_err, p_format] by the
 * release's rules and by types, and the cause of the difference.
 */
const BLIND_SPOTS = [
  ['one clean tool call, one answer', start + answered(OK) + ANSWER + END, [0, 0], [0, 0], []],
  ['no tool, one answer, one turn', start + ANSWER + END, [0.5, 1], [0.5, 0], ['single_turn']],
  [
    'a timeout',
    start +
      answered(
        'Tool call failure\nreason: worker_timeout\nstdout: Suicide from timeout.\n\nexecution time: 4.10s',
      ) +
      ANSWER +
      END,
    [0, 0],
    [1, 0],
    ['timeout_counted_clean'],
  ],
  [
    'a call that is no JSON',
    start.concat(
      answered("Failed to decode tool call: Expecting ',' delimiter: line 1 column 87 (char 86)").replace(
        '"1"}}',
        '"1"',
      ),
      ANSWER,
      END,
    ),
    [0, 0],
    [1, 0],
    ['parse_failure_counted_clean'],
  ],
  [
    'an exception whose class lacks "Error"',
    start +
      answered(
        'Tool call failure\nreason: \nstderr: GeneratorsNeeded at line 3: specify generators\n\nexecution time: 0.06s',
      ) +
      ANSWER +
      END,
    [0, 0],
    [1, 0],
    ['exception_without_error'],
  ],
  [
    'an exception whose class has it',
    start + answered("Tool call failure\nreason: \nstderr: NameError at line 2: name 'N'") + ANSWER + END,
    [1, 0],
    [1, 0],
    [],
  ],
  [
    'an unknown tool',
    start + answered("Error when executing tool: unknown tool 'python'") + ANSWER + END,
    [1, 0],
    [1, 0],
    [],
  ],
  [
    'a successful print of "mean squared error 0.0"',
    start + answered('Tool call success\nstdout: mean squared error 0.0') + ANSWER + END,
    [1, 0],
    [0, 0],
    ['error_in_success'],
  ],
  [
    'two answers, two turns',
    start + answered(OK) + ANSWER + ANSWER + END,
    [0, 1],
    [0, 0.5],
    ['first_turn_not_counted'],
  ],
  [
    'two answers, the only later turn cut off',
    start + ANSWER + answered(OK) + ANSWER,
    [0, 1],
    [0, 0.5],
    ['last_turn_cut'],
  ],
  [
    'one answer, the only later turn cut off',
    start + answered(OK) + ANSWER,
    [0, 1],
    [0, 0],
    ['last_turn_cut'],
  ],
  [
    'an "error" cut out of a long output',
    start +
      answered('Tool call failure\nreason: \nstderr: Name...(truncated)...n time: 0.06s') +
      ANSWER +
      END,
    [0, 0],
    [1, 0],
    ['error_cut_out'],
  ],
  [
    'an infrastructure failure without the word',
    start + answered('Tool call failure\nreason: queue_timeout\nexecution time: 12.00s') + ANSWER + END,
    [0, 0],
    [1, 0],
    ['infra_counted_clean'],
  ],
] as const;

const isCut = (text: string): StopReason => (text.endsWith(END) ? 'answer' : 'length');

describe('the blind spots of the release’s scorers', () => {
  it.each(BLIND_SPOTS)('%s', (_, text, ofText, ofTypes, causes) => {
    const rollout = read(text, isCut(text));
    const byText = textPenalties(rollout);
    const typed = typedPenalties(rollout);
    expect([byText.pErr, byText.pFormat]).toEqual(ofText);
    expect([typed.pErr, typed.pFormat]).toEqual(ofTypes);
    expect(byText.source).toBe('text');
    const found = disagreements({ text: byText, typed }, rollout);
    expect(found.flatMap((each) => each.causes.map(({ code }) => code))).toEqual(causes);
    for (const { between, causes: sentences } of found) {
      expect(between).toEqual(['text', 'typed']);
      for (const { sentence } of sentences) expect(sentence).toMatch(/.{20,}\.$/);
    }
  });

  it.each(BLIND_SPOTS)('%s: the same from a dump without special tokens', (_, text, ofText, ofTypes) => {
    const rollout = read(bare(text), isCut(text));
    expect(rollout.response).not.toContain('<|im_');
    expect(textPenalties(rollout)).toEqual({ pErr: ofText[0], pFormat: ofText[1], source: 'reconstructed' });
    expect(typedPenalties(rollout)).toEqual({ pErr: ofTypes[0], pFormat: ofTypes[1] });
  });

  it('the release’s own rules on such a dump would give 1 to every row with an answer', () => {
    // A value logged by a trainer that scores stripped text is recognized.
    const rollout = read(bare(start + answered(OK) + ANSWER + END), 'answer');
    const found = disagreements(
      { logged: { pErr: 0, pFormat: 1 }, text: textPenalties(rollout), typed: typedPenalties(rollout) },
      rollout,
    );
    expect(found).toMatchObject([
      { part: 'pFormat', between: ['logged', 'text'], values: [1, 0], causes: [{ code: 'stripped_tokens' }] },
    ]);
  });
});

describe('textPenalties', () => {
  it.each([
    ['no answer', 'none', 1],
    ['an opening tag only', '<answer>4', 1],
    ['a closing tag only', '4</answer>', 1],
    ['closed before opened', '</answer>4<answer>', 1],
    ['one opened twice', `<answer>${ANSWER}`, 1],
    ['one closed twice', `${ANSWER}</answer>`, 1],
    ['one closed twice, another never', `${ANSWER}</answer><answer>`, 1],
    ['one', ANSWER, 0],
    ['two', ANSWER + ANSWER, 0.5],
    ['three', ANSWER.repeat(3), 1],
    ['four, no more than 1', ANSWER.repeat(4), 1],
  ])('classifies two later turns with %s', (_, last, pFormat) => {
    const text = start + answered(OK) + answered(OK) + last + END;
    expect(textPenalties(read(text)).pFormat).toBe(pFormat);
    expect(textPenalties(read(bare(text))).pFormat).toBe(pFormat);
    expect(textPenalties(messages([OK, OK], last)).pFormat).toBe(pFormat);
  });

  it('counts closed blocks only, "error" in any case', () => {
    const responses = [OK, 'ERROR', 'no eRRor', OK];
    const text = start + responses.map(answered).join('') + ANSWER + END;
    expect(textPenalties(read(text)).pErr).toBe(0.5);
    expect(textPenalties(messages(responses, ANSWER))).toEqual({
      pErr: 0.5,
      pFormat: 0,
      source: 'reconstructed',
    });
    expect(textPenalties(read(`${start}${answered(OK)}<tool_response>error`)).pErr).toBe(0);
    expect(textPenalties(read('error')).pErr).toBe(0.5);
  });

  it('uses each response of a message log whole, whatever tags it prints', () => {
    expect(textPenalties(messages(['<tool_response> error', OK, OK, OK], ANSWER)).pErr).toBe(0.25);
  });

  it('leaves out the last turn of a log of messages only when the length limit cut it', () => {
    const tools = [OK, OK];
    expect(textPenalties(messages(tools, ANSWER + ANSWER, 'answer')).pFormat).toBe(0.5);
    expect(textPenalties(messages(tools, ANSWER + ANSWER, 'turn-limit')).pFormat).toBe(0.5);
    expect(textPenalties(messages(tools, ANSWER + ANSWER, 'length')).pFormat).toBe(1);
    expect(textPenalties(messages([OK], ANSWER, 'length')).pFormat).toBe(1);
    expect(textPenalties(messages([], ANSWER, 'length')).pFormat).toBe(1);
  });

  it('equals the release’s patterns on any mix of tags', () => {
    const piece = fc.constantFrom(
      '<tool_response>',
      '</tool_response>',
      '<answer>',
      '</answer>',
      '<|im_start|>assistant',
      '<|im_start|>user',
      '<|im_end|>',
      'error',
      'Err',
      '\n',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = `${pieces.join('')}<|im_end|>`;
        const blocks = text.match(/<tool_response>[\s\S]*?<\/tool_response>/g) ?? [];
        const failed = blocks.filter((block) => block.toLowerCase().includes('error')).length;
        const pairs = text.match(/<answer>[\s\S]*?<\/answer>/g)?.length ?? 0;
        const turns = text.match(/<\|im_start\|>assistant[\s\S]*?<\|im_end\|>/g)?.length ?? 0;
        const isBalanced = ['<answer>', '</answer>'].every((tag) => text.split(tag).length - 1 === pairs);
        expect(textPenalties({ response: text, segments: [], turns: [], toolCalls: [] })).toEqual({
          pErr: blocks.length === 0 ? 0.5 : failed / blocks.length,
          pFormat: pairs === 0 || !isBalanced || turns === 0 ? 1 : Math.min((pairs - 1) / turns, 1),
          source: 'text',
        });
      }),
      { seed: 31, numRuns: 2000 },
    );
  });

  it('stays linear on hostile text', () => {
    for (const unit of [
      '<tool_response>',
      '<answer>',
      '</answer>',
      '<|im_start|>assistant',
      '<tool_response>error',
    ]) {
      const response = unit.repeat(100_000);
      expect(textPenalties({ response, segments: [], turns: [], toolCalls: [] }).pErr).toBe(0.5);
    }
  });
});

describe('typedPenalties', () => {
  const typed = (outcomes: readonly ToolCall['outcome'][]) =>
    typedPenalties({
      response: '',
      segments: [],
      turns: [],
      toolCalls: outcomes.map((outcome) => ({ turn: 1, outcome, callSegment: 0 })),
    }).pErr;

  it('divides failed calls by calls of known outcome', () => {
    expect(typed([])).toBe(0.5);
    expect(typed(['ok_stdout', 'ok_empty', 'ok'])).toBe(0);
    expect(typed(['exception', 'timeout', 'infra', 'parse_error', 'dispatch_error', 'error'])).toBe(1);
    expect(typed(['ok_stdout', 'timeout', 'missing', 'missing'])).toBe(0.5);
    expect(typed(['missing'])).toBe(0.5);
    expect(typed(['missing', 'parse_error'])).toBe(1);
    expect(typed(['malformed', 'ok'])).toBe(0);
  });

  it('counts answers of the policy by all turns, never those a tool printed', () => {
    const format = (text: string): number => typedPenalties(read(text)).pFormat;
    expect(format(`${start}${ANSWER.repeat(2)}${END}`)).toBe(1);
    expect(format(`${start}${answered(OK)}${answered(OK)}${ANSWER.repeat(2)}${END}`)).toBeCloseTo(1 / 3, 12);
    expect(format(start + answered(`Tool call success\nstdout: ${ANSWER}`) + END)).toBe(1);
    // An answer inside reasoning counts if there is no other.
    expect(format(`I say ${ANSWER} here.</reason>${END}`)).toBe(0);
  });
});

describe('disagreements', () => {
  const rollout = read(
    start + answered(OK) + answered('Tool call success\nstdout: an error') + answered(OK) + ANSWER + END,
  );
  const text = textPenalties(rollout);
  const typed = typedPenalties(rollout);
  const logged = (pErr: number) =>
    disagreements({ logged: { pErr, pFormat: 0 }, text, typed }, rollout)
      .filter(({ between }) => between[0] === 'logged')
      .flatMap(({ causes }) => causes.map(({ code }) => code));

  it('compares logged values with the text', () => {
    expect(text.pErr).toBeCloseTo(1 / 3, 12);
    expect(logged(1 / 3)).toEqual([]);
    expect(logged(1 / 3 + 9e-7)).toEqual([]);
    expect(logged(0.3333)).toEqual(['rounding']);
    expect(logged(0.33)).toEqual(['rounding']);
    expect(logged(0.3332)).toEqual(['unexplained']);
    expect(logged(0)).toEqual(['logged_is_typed']);
    const dump = read(bare(rollout.response), 'answer');
    const rebuilt = disagreements({ logged: { pErr: 0.9 }, text: textPenalties(dump), typed }, dump);
    expect(rebuilt[0]).toMatchObject({ between: ['logged', 'text'], causes: [{ code: 'rebuilt_text' }] });
  });

  it('names every cause with its number of calls', () => {
    const timeout = answered('Tool call failure\nreason: worker_timeout');
    const mixed = read(
      start +
        timeout +
        timeout +
        answered('Tool call success\nstdout: error') +
        answered('fatal: no') +
        ANSWER +
        END,
    );
    const [found] = disagreements({ text: textPenalties(mixed), typed: typedPenalties(mixed) }, mixed);
    expect(found?.values).toEqual([0.25, 0.75]);
    expect(found?.causes.map(({ code, sentence }) => [code, sentence.split(':')[0]])).toEqual([
      ['timeout_counted_clean', '2 calls'],
      ['error_in_success', '1 call'],
      ['failure_counted_clean', '1 call'],
    ]);
  });

  it('detects unpaired answer tags', () => {
    // A malformed call without a response is no call, and an answer that is never closed no answer.
    const broken = read(`${start}<tool_call>\nnot json\n</tool_call>${answered(OK)}<answer>4${END}`);
    expect(disagreements({ text: textPenalties(broken), typed: typedPenalties(broken) }, broken)).toEqual([]);
    const prose = read(`I close with <answer>x</answer>.</reason>${answered(OK)}${ANSWER}${END}`);
    expect(disagreements({ text: textPenalties(prose), typed: typedPenalties(prose) }, prose)).toMatchObject([
      { part: 'pFormat', values: [1, 0], causes: [{ code: 'answer_tags' }] },
    ]);
  });

  it('finds no difference if all agree', () => {
    const clean = read(start + answered(OK) + ANSWER + END);
    const ways = { text: textPenalties(clean), typed: typedPenalties(clean) };
    expect(disagreements({ logged: { pErr: 0, pFormat: 0 }, ...ways }, clean)).toEqual([]);
  });
});
