import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../shared/domain/answer.ts';
import { endingOf } from '../../shared/domain/ending.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

const CALL = '<tool_call>\n{"name": "python", "arguments": {"code": "1"}}\n</tool_call>';
const RESPONSE = '\nuser\n<tool_response>\nTool call success\n</tool_response>\nassistant\n';
const ANSWER = '<answer>4</answer>';

function ending(text: string): string | undefined {
  const { segments, toolCalls } = segmentResponse(text, { startsInReasoning: false });
  return endingOf(text, segments, toolCalls, extractAnswer(text, segments));
}

describe('how a text ends', () => {
  it.each([
    ['an answer', ANSWER, 'answer'],
    ['an answer after a call', `${CALL}${RESPONSE}So ${ANSWER}`, 'answer'],
    ['no answer', 'I give up.', 'no-answer'],
    ['an answer that is never closed', 'So <answer>4', 'no-answer'],
    ['a call that nothing answered', `First ${CALL}`, 'turn-limit'],
    ['a call that nothing answered, after an answer', `${ANSWER}${CALL}`, 'turn-limit'],
    ['words after a call that nothing answered', `${CALL}So 4.`, 'no-answer'],
    ['a malformed call', 'First <tool_call>\n{"name": ', 'no-answer'],
    ['an answer, after which the rollout ran on', `${ANSWER}${CALL}${RESPONSE}Well.`, undefined],
    ['an answer, then a tool response', `${ANSWER}${CALL}${RESPONSE}`, undefined],
    ['an answer, then a short check', `It is \\boxed{4}. ${'I checked. '.repeat(80)}`, 'answer'],
    ['an answer, after which the policy degenerated', `It is #### 4. ${'nta '.repeat(400)}`, undefined],
    ['a marked answer, after which the policy degenerated', `${ANSWER}${'nta '.repeat(400)}`, undefined],
    ['a long answer', `<answer>${'so '.repeat(500)}4</answer>`, 'answer'],
    ['no text', '', undefined],
  ])('%s', (_, text, expected) => expect(ending(text)).toBe(expected));

  it('an answer that the producer extracted need not be marked', () => {
    const text = 'It is 4.';
    const { segments, toolCalls } = segmentResponse(text, { startsInReasoning: false });
    expect(endingOf(text, segments, toolCalls, '4', true)).toBe('answer');
  });
});
