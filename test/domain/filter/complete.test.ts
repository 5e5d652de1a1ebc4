import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionAt, namesField, valueText } from '../../../shared/domain/filter/complete.ts';
import { readFilter } from '../../../shared/domain/filter/parse.ts';

/** `|` is the caret. */
const at = (marked: string) => {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const completion = completionAt(text, caret);
  if (completion === undefined) return undefined;
  const { start, end, options, asks } = completion;
  return { replaces: text.slice(start, end), labels: options.map(({ label }) => label), asks };
};

describe('completion', () => {
  it.each([
    ['ste|', 'ste', 'step:'],
    ['reward:0 tool_e|', 'tool_e', 'tool_errors:'],
    ['(kep|', 'kep', 'kept:'],
    ['-kep|', 'kep', 'kept:'],
    ['kep|:true', 'kep:', 'kept:'],
    ['stop_reason:le|', 'le', 'length'],
    ['stop_reason:error,le|', 'le', 'length'],
    ['outcome:tim|', 'tim', 'timeout'],
    // By the name that pages show.
    ['outcome:sandb|', 'sandb', 'infra'],
    ['reason:won|', 'won', 'kept_positive_tie'],
    ['kept:|', '', 'true'],
    ['policy_tokens:>|', '>', '>'],
    ['a no|', 'no', 'not'],
  ])('%s', (marked, replaces, first) => {
    const completion = at(marked);
    expect(completion?.replaces).toBe(replaces);
    expect(completion?.labels[0]).toBe(first);
  });

  it('separates words that may become a field from those that cannot', () => {
    expect(namesField('rewar', 5)).toBe(true);
    expect(namesField('wait -kep', 9)).toBe(true);
    expect(namesField('reward:', 7)).toBe(false);
    expect(namesField('wait', 4)).toBe(false);
    // Also before existing text.
    expect(namesField('tool_er reward:0', 7)).toBe(true);
    expect(namesField('(tool_er)', 8)).toBe(true);
    expect(namesField('tool_er', 4)).toBe(false);
    expect(namesField('"rewar', 6)).toBe(false);
    expect(namesField('rewar ', 6)).toBe(false);
  });

  it('requests values from the library', () => {
    expect(at('problem_id:aim|')?.asks).toEqual({ field: 'problem_id', prefix: 'aim' });
    expect(at('answer:|')?.asks).toEqual({ field: 'answer', prefix: '' });
    expect(at('turns:|')?.asks).toBeUndefined();
  });

  it('completes a value that has blanks, within its quotes', () => {
    const asked = (marked: string) => {
      const { replaces, asks } = at(marked) ?? {};
      return [replaces, asks?.field, asks?.prefix];
    };
    expect(asked('label:"wrong to|')).toEqual(['"wrong to', 'label', 'wrong to']);
    expect(asked('reward:0 (-label:"wrong| tool" kept:true)')).toEqual(['"wrong tool"', 'label', 'wrong']);
    expect(asked('label:loops,"a \\"b\\", c","wro|')).toEqual(['"wro', 'label', 'wro']);
    expect(asked('problem_id:"say \\"hi\\" t|')).toEqual(['"say \\"hi\\" t', 'problem_id', 'say "hi" t']);
    expect(at('stop_reason:"len|')?.labels).toEqual(['length']);
    expect(at('code:"import sy|')).toBeUndefined();
    expect(at('label: "wrong|')).toBeUndefined();
  });

  it('offers nothing inside quotes of search words and after unknown fields', () => {
    expect(at('"wai|')).toBeUndefined();
    expect(at('"wait" ste|')?.labels[0]).toBe('step:');
    expect(at('foo:b|')).toBeUndefined();
  });

  it('writes a value so that it parses as itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(readFilter(`answer:${valueText(value)}`)).toEqual({
          ok: true,
          node: { kind: 'word', field: 'answer', text: value, isPattern: false },
        });
      }),
      { seed: 23, numRuns: 1000 },
    );
  });
});
