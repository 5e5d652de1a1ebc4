/** Actions of rollouts, and when two of them are equal. */
import { describe, expect, it } from 'vitest';
import { type Action, actionFork, actionForm, actionsOf, isSameAction } from '../../shared/domain/actions.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

const call = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const python = (code: string, more: object = {}): string => call('python', { code, ...more });
const answered = (text: string): string =>
  `<|im_end|>\n<|im_start|>user\n<tool_response>\n${text}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
const rollout = (...parts: readonly string[]) => {
  const response = parts.join('');
  const { segments, toolCalls } = segmentResponse(response, { startsInReasoning: false });
  return { response, segments, toolCalls };
};
const first = (text: string) => {
  const [action] = actionsOf(rollout(text));
  if (action === undefined) throw new Error('no action');
  return action;
};

describe('the same call', () => {
  it.each([
    ['keys in another order', call('f', { a: 1, b: [2, 'x'] }), call('f', { b: [2, 'x'], a: 1 })],
    ['a comment', python('x = 1\nprint(x)'), python('# start\nx = 1  # one\n\nprint(x)\n')],
    ['spaces', python('x=f(1,2)'), python('x = f( 1, 2 )')],
    ['breaks within brackets', python('print([1, 2])'), python('print([\n    1,\n    2,\n])')],
    ['quotes', python("print('a')"), python('print("a")')],
    ['CRLF', python('x = 1\ny = 2'), python('x = 1\r\ny = 2')],
  ])('may differ in %s', (_, one, other) => {
    expect(isSameAction(first(one), first(other))).toBe(true);
    expect(actionFork(rollout(one), rollout(other))).toEqual({ shared: 1 });
  });

  it.each([
    ['the tool', call('f', { a: 1 }), call('g', { a: 1 })],
    ['being malformed', call('f', { a: 1 }), call('f', { a: 1 }).replace('</tool_call>', '')],
    ['a value', call('f', { a: 1 }), call('f', { a: '1' })],
    ['a long number', call('f', { a: '12345678901234567890' }), call('f', { a: '12345678901234567891' })],
    ['indentation', python('if a:\n    b()\n    c()'), python('if a:\n    b()\nc()')],
    ['a space in a string', python("print('a b')"), python("print('a  b')")],
    ['a hash in a string', python("print('#a')"), python("print('#b')")],
    ['another argument', python('x', { input: '1' }), python('x', { input: '2' })],
    ['a tuple of one', python('x = (1,)'), python('x = (1)')],
  ])('does not differ in %s', (_, one, other) => {
    expect(isSameAction(first(one), first(other))).toBe(false);
  });
});

describe('code of any shape', () => {
  const [open, breaks] = ['\\"'.repeat(300_000), '\n'.repeat(4_000_000)];
  it.each([
    ['of strings that are not closed', open],
    ['of triple quotes that are not closed', `'''${open}`],
    ['of 4 million line breaks', breaks],
    ['of one string of 20 million characters', `"${'a'.repeat(20_000_000)}"`],
  ])('%s is compared', (_, code) => {
    expect(isSameAction(first(python(code)), first(python(`\n${code}`)))).toBe(code.length < 1 << 20);
    expect(isSameAction(first(python(code)), first(python(`1\n${code}`)))).toBe(false);
  });
});

describe('the first difference in action', () => {
  it('skips words and what tools returned', () => {
    const a = rollout('I look.', python('f()'), answered('7'), 'So.', python('g()'));
    const b = rollout('Let me see.', python('f( )'), answered('8'), 'Hm.', python('h()'));
    expect(actionFork(a, b)).toMatchObject({
      shared: 1,
      a: { kind: 'call', tool: 'python', text: 'g()', turn: 2 },
      b: { text: 'h()', turn: 2 },
    });
  });

  it('skips calls that only write a thought', () => {
    const a = rollout(call('think', { thought: 'first' }), answered(''), call('pay', { sum: 1 }));
    const b = rollout(call('pay', { sum: 1 }));
    expect(actionFork(a, b)).toEqual({ shared: 1 });
  });

  it('is the end of a rollout that does less', () => {
    const a = rollout(python('f()'));
    expect(actionFork(a, rollout(python('f()'), answered('1'), python('g()')))).toMatchObject({
      shared: 1,
      b: { text: 'g()' },
    });
    expect(actionFork(rollout('No.'), rollout('Yes.'))).toEqual({ shared: 0 });
  });

  it('compares final answers as correctness does', () => {
    const a = rollout('<answer>1,000</answer>');
    expect(actionFork(a, rollout('So <answer>\\boxed{1000}</answer>'))).toEqual({ shared: 1 });
    // An answer that the log names, without marks in the text.
    expect(
      actionFork({ ...rollout('It is #### 7.'), answer: '7' }, { ...rollout('#### 8'), answer: '8' }),
    ).toMatchObject({
      ...{ shared: 0, a: { kind: 'answer', text: '7', turn: 1 }, b: { text: '8' } },
    });
    expect(actionFork(a, rollout('<answer>999</answer>'))).toMatchObject({ shared: 0, b: { text: '999' } });
  });
});

describe('code that is no Python', () => {
  const call = (tool: string, text: string): Action => ({
    ...{ kind: 'call', turn: 1, segment: 0, tool, text },
    withCode: JSON.stringify({ code: text }),
  });
  it.each([
    ['bash', 'ls -l', 'ls - l'],
    ['sql', "SELECT 'a'", 'SELECT "a"'],
    ['python', '!ls -l', '!ls - l'],
    ['python', 'x = 1\n%time f( x )', 'x = 1\n%time f(x)'],
  ])('is compared as written: %s', (tool, one, other) => {
    expect(isSameAction(call(tool, one), call(tool, other))).toBe(false);
    expect(actionForm(call(tool, one)).key).not.toBe(actionForm(call(tool, other)).key);
    expect(isSameAction(call(tool, one), call(tool, one))).toBe(true);
  });

  it('and Python is compared without its formatting', () => {
    expect(isSameAction(call('python', 'x = 1'), call('python', 'x=1'))).toBe(true);
  });
});
