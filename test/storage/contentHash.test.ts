/** The hashes that annotations are keyed by. The values are fixed: none may change after a release. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contentHash,
  groupKeyOf,
  problemIdOf,
  rolloutHash,
  storedJoinKey,
} from '../../electron/storage/contentHash.ts';
import type { ParsedProblem, ParsedRollout } from '../../shared/format/format.ts';

const problem = (rest: Partial<ParsedProblem> = {}): ParsedProblem => ({
  prompt: 'What is 6·7?',
  promptSegments: [],
  ...rest,
});
const rollout = (rest: Partial<ParsedRollout>): ParsedRollout => ({
  ...{ kind: 'train', problem: problem(), response: '', segments: [], toolCalls: [], turns: [], extra: {} },
  ...rest,
});

describe('contentHash', () => {
  it('is the first half of the published SHA-256 test vectors', () => {
    expect(contentHash('')).toBe('e3b0c44298fc1c149afbf4c8996fb924');
    expect(contentHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223');
  });

  it('hashes a text as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text);
        expect(contentHash(text)).toBe(createHash('sha256').update(bytes).digest('hex').slice(0, 32));
        expect(contentHash(bytes)).toBe(contentHash(text));
      }),
    );
  });

  it('hashes an unpaired surrogate as it is stored', () => {
    expect(contentHash('a\ud800b')).toBe(contentHash('a\ufffdb'));
  });
});

describe('rolloutHash', () => {
  it('covers the length of the prompt, the prompt and the response', () => {
    expect(rolloutHash('6·7?', '42')).toBe(contentHash('5:6·7?42'));
    expect(rolloutHash('6·7?', '42')).toBe('b8d794a4e870a5ee8512822e346364b1');
  });

  it('differs when text moves between prompt and response', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '1', ':', '\0', 'é', '😀'), maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, texts, texts, (prompt, response, otherPrompt, otherResponse) => {
        const isSame = prompt === otherPrompt && response === otherResponse;
        expect(rolloutHash(prompt, response) === rolloutHash(otherPrompt, otherResponse)).toBe(isSame);
      }),
    );
    expect(rolloutHash('ab', 'c')).not.toBe(rolloutHash('a', 'bc'));
    expect(rolloutHash('a\0', 'b')).not.toBe(rolloutHash('a', '\0b'));
  });
});

describe('ids the log does not give', () => {
  const promptHash = contentHash('What is 6·7?');

  it('a problem is identified by its prompt and ground truth', () => {
    expect(problemIdOf(problem({ problemId: 'p1' }), promptHash, 'record:1')).toBe('p1');
    expect(problemIdOf(problem(), promptHash, 'record:1')).toBe(promptHash.slice(0, 12));
    expect(problemIdOf(problem({ groundTruth: '42' }), promptHash, 'record:1')).toBe(
      contentHash(`${promptHash}42`).slice(0, 12),
    );
    expect(problemIdOf(problem({ groundTruth: '' }), promptHash, 'record:1')).not.toBe(
      promptHash.slice(0, 12),
    );
    const partial = problem({ groundTruth: '42', isTruthPartial: true });
    expect(problemIdOf(partial, promptHash, 'record:1')).toBe(promptHash.slice(0, 12));
  });

  it('unknown prompts are not equal', () => {
    const unknown = problem({ prompt: '' });
    const ids = ['record:1', 'record:2'].map((place) => problemIdOf(unknown, contentHash(''), place));
    expect(new Set(ids).size).toBe(2);
    expect(problemIdOf(problem({ prompt: '', problemId: 'p1' }), contentHash(''), 'record:1')).toBe('p1');
  });

  it('a group is identified by its problem and the role in it', () => {
    expect(groupKeyOf(rollout({ groupKey: 'g1', role: 'solver' }), 'p1')).toBe('g1');
    expect(groupKeyOf(rollout({}), 'p1')).toBe('p1');
    expect(groupKeyOf(rollout({ role: 'solver' }), 'p1')).toBe('p1:solver');
  });

  it('a join key is stored as it is, or as a hash if it is long', () => {
    expect(storedJoinKey('sample:1:2')).toBe('sample:1:2');
    const long = `ids:${'1,'.repeat(500)}`;
    expect(storedJoinKey(long)).toBe(`hash:${contentHash(long)}`);
  });
});
