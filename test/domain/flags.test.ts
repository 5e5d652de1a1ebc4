import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxedIn } from '../../shared/domain/answer.ts';
import { FLAGS, type FlaggedRollout, flagNames, flagsOf } from '../../shared/domain/flags.ts';
import { repeatedCalls } from '../../shared/domain/repeatedCalls.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

const call = (code: string) =>
  `<tool_call>\n${JSON.stringify({ name: 'execute_python_code_with_standard_io', arguments: { code, input: '' } })}\n</tool_call><|im_end|>\n`;
const said = (text: string) =>
  `<|im_start|>user\n<tool_response>\n${text}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
const answered = (text: string) => `<answer>\n${text}\n</answer><|im_end|>`;
const failed = said('Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no');

function flagged(response: string, known: Partial<FlaggedRollout> = {}) {
  const { segments, toolCalls } = segmentResponse(response, { startsInReasoning: true });
  const repeats = repeatedCalls(response, segments, toolCalls);
  const { bits, evidence } = flagsOf({ response, segments, toolCalls, repeats, ...known });
  return {
    names: flagNames(bits),
    shown: Object.fromEntries(evidence.map(({ flag, start, end }) => [flag, response.slice(start, end)])),
  };
}

describe('flags', () => {
  it('a plain rollout has only the flag for an answer as written', () => {
    const response = `Six times seven is 42.</reason>\n${answered('\\boxed{42}')}`;
    expect(flagged(response, { answer: '42', groundTruth: '42.0' }).names).toEqual(['equals_truth']);
    expect(flagged(response, { answer: '42', groundTruth: '43' }).names).toEqual([]);
  });

  it('every call failed, and one was repeated unchanged', () => {
    const response = `Let me run it.</reason>\n${call('f()')}${failed}<reason>Again.</reason>\n${call('f()')}${failed}${answered('\\boxed{7}')}`;
    const { names, shown } = flagged(response);
    expect(names).toEqual(['all_calls_failed', 'identical_retry']);
    expect(shown['identical_retry']).toContain('f()');
    const mended = response.replace(/f\(\)(?![\s\S]*f\(\))/, 'g()');
    expect(flagged(mended).names).toEqual(['all_calls_failed']);
  });

  it('an answer without its tag, and a tag without a box', () => {
    expect(flagged('It is \\boxed{7}.<|im_end|>', { answer: '7' }).names).toEqual(['no_answer_tag']);
    expect(flagged(`So.</reason>\n${answered('seven')}`, { answer: 'seven' }).names).toEqual(['no_boxed']);
  });

  it('several answers; equal ones count once', () => {
    expect(flagged(`First \\boxed{0.5}.</reason>\n${answered('\\boxed{\\frac{1}{2}}')}`).names).toEqual([]);
    const { names, shown } = flagged(`First \\boxed{1}.</reason>\n${answered('\\boxed{2}')}`);
    expect(names).toEqual(['several_answers']);
    expect(shown['several_answers']).toBe('\\boxed{2}');
  });

  it('text after the answer', () => {
    const more = `So.</reason>\n${answered('\\boxed{2}').replace('<|im_end|>', '')}\n<reason>But wait.</reason>`;
    expect(flagged(more).names).toContain('reason_after_answer');
    expect(
      flagged(`So.</reason>\n<answer>\\boxed{2}</answer>\nThat is all.`).shown['text_after_answer'],
    ).toBe('That is all.');
  });

  it('an answer that only the tool wrote', () => {
    const response = `Let me count.</reason>\n${call('print(len(x))')}${said('1213')}<reason>Good.</reason>\nThat is it.<|im_end|>`;
    const { names, shown } = flagged(response, { answer: '1213' });
    expect(names).toEqual(['no_answer_tag', 'answer_only_in_output']);
    expect(shown['answer_only_in_output']).toBe('1213');
    // Written anywhere by the policy, including its answer tag or code.
    for (const own of ['So 1213.', answered('\\boxed{1213}'), call('print(1213)')])
      expect(flagged(response.replace('Good.', own), { answer: '1213' }).names).not.toContain(
        'answer_only_in_output',
      );
    // Part of a longer number is not the answer.
    expect(
      flagged(response.replace('1213\n</tool', '12130\n</tool'), { answer: '1213' }).names,
    ).not.toContain('answer_only_in_output');
  });

  it('rewarded without an answer tag, and if only the tool wrote the ground truth', () => {
    const response = `Let me count.</reason>\n${call('print(len(x))')}${said('42')}<reason>Good.</reason>\nThat is it.<|im_end|>`;
    const rewarded = { isCorrect: true, groundTruth: '42' };
    expect(flagged(response, rewarded).names).toEqual(['no_answer_tag', 'answer_only_in_output']);
    expect(flagged(response, { ...rewarded, isCorrect: false }).names).toEqual([]);
    // A policy that was not asked for tags gets no flag.
    const asked = 'Put the final answer in <answer> </answer>.';
    expect(flagged(response, { ...rewarded, prompt: asked }).names).toContain('no_answer_tag');
    for (const prompt of ['End with #### and the number.', 'Answer in the format `#### <answer>`.'])
      expect(flagged(response, { ...rewarded, prompt }).names).toEqual(['answer_only_in_output']);
  });

  it('a ground truth in the code before the tool returned it', () => {
    const written = `Hm.</reason>\n${call('x = 1\nassert f(3) == 1213')}${said('ok')}${answered('\\boxed{1213}')}`;
    expect(flagged(written, { groundTruth: '1213' }).shown['truth_in_code']).toBe('1213');
    expect(flagged(written.replace('== 1213', '\\n1213'), { groundTruth: '1213' }).names).toEqual([
      'truth_in_code',
    ]);
    const read = `Hm.</reason>\n${call('f()')}${said('1213')}<reason>.</reason>\n${call('print(1213)')}${said('ok')}`;
    expect(flagged(read, { groundTruth: '1213' }).names).not.toContain('truth_in_code');
  });

  it('lines over and over', () => {
    const line = 'Suppose that the claim fails for some k, then the next one fails.\n';
    const { names, shown } = flagged(`${line.repeat(60)}</reason>\n${answered('\\boxed{1}')}`);
    expect(names).toEqual(['repetition']);
    expect(shown['repetition']).toBe(line.trim());
    const varied = Array.from({ length: 60 }, (_, i) => line.replace('some k', `k = ${i}`)).join('');
    expect(flagged(`${varied}</reason>`).names).toEqual([]);
  });

  it('never throws, and evidence is inside the text', () => {
    const pieces = fc.constantFrom(
      '<answer>',
      '</answer>',
      '\\boxed{',
      '}',
      '<reason>',
      '</reason>',
      call('1213'),
      said('1213'),
      '1213',
      ' ',
      '\n',
      '解',
      '\\boxed{1213}',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 30 }),
        fc.constantFrom('1213', '', '}', '解解解'),
        (parts, truth) => {
          const response = parts.join('');
          const { segments, toolCalls } = segmentResponse(response, { startsInReasoning: true });
          const repeats = repeatedCalls(response, segments, toolCalls);
          const { bits, evidence } = flagsOf({
            response,
            segments,
            toolCalls,
            repeats,
            answer: truth,
            groundTruth: truth,
          });
          expect(bits).toBeLessThan(1 << FLAGS.length);
          for (const { flag, segment, start, end } of evidence) {
            expect(flagNames(bits)).toContain(flag);
            const inner = segments[segment]?.inner ?? { start: 0, end: 0 };
            expect(inner.start <= start && start <= end && end <= inner.end).toBe(true);
          }
        },
      ),
      { seed: 41, numRuns: 2000 },
    );
  });
});

describe('boxes', () => {
  it('are found with balanced braces', () => {
    const text = 'a \\boxed{\\frac{1}{2}} b \\boxed {3} \\boxed{4';
    expect(boxedIn(text).map((box) => [box.text, text.slice(box.start, box.end)])).toEqual([
      ['\\frac{1}{2}', '\\boxed{\\frac{1}{2}}'],
      ['3', '\\boxed {3}'],
    ]);
  });
});
