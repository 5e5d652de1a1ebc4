/** The entropies of the demo run agree with one policy: with their alternatives, and with siblings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { topKEntropy } from '../../shared/domain/entropy.ts';

const DEMO = join(import.meta.dirname, '..', '..', 'fixtures', 'demo', 'demo.jsonl');
/** Entropies are stored as half floats: 11 bits. */
const HALF = 2 ** -10;

interface LoggedTokens {
  readonly text: readonly string[];
  readonly mask: readonly number[];
  readonly entropy: readonly number[];
  readonly logprob: readonly number[];
  readonly top: readonly (readonly [string, number][] | null)[];
}

const groups = Map.groupBy(tokensOfDemo(), ({ group }) => group);

function tokensOfDemo(): { readonly group: string; readonly tokens: LoggedTokens }[] {
  return readFileSync(DEMO, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => 'tokens' in line)
    .map((line) => {
      const tokens = line['tokens'] as Record<string, unknown>;
      return {
        group: `${line['step']} ${line['group']}`,
        tokens: {
          text: tokens['text'] as string[],
          mask: [...bytesOf(tokens['mask'])],
          entropy: halvesOf(tokens['entropy']),
          logprob: halvesOf(tokens['logprob']),
          top: tokens['top'] as LoggedTokens['top'],
        },
      };
    });
}

function bytesOf(packed: unknown): Uint8Array {
  return Uint8Array.from(Buffer.from(String(packed).slice(String(packed).indexOf(':') + 1), 'base64'));
}

function halvesOf(packed: unknown): number[] {
  return [...new Uint16Array(bytesOf(packed).buffer)].map((half) => {
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 31) return Number.NaN;
    const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    return half >> 15 === 1 ? -size : size;
  });
}

describe('tokens of the demo run', () => {
  it('have entropies within the bounds of their alternatives', () => {
    let listed = 0;
    for (const { tokens } of [...groups.values()].flat()) {
      for (const [i, top] of tokens.top.entries()) {
        if (top === null) continue;
        listed++;
        const logprobs = top.map(([, logprob]) => logprob);
        const { lower, upper } = topKEntropy(logprobs, { vocabulary: 151_936 }) ?? {};
        if (lower === undefined || upper === undefined) throw new Error(`nothing is listed at token ${i}`);
        const entropy = tokens.entropy[i] ?? Number.NaN;
        expect(entropy).toBeGreaterThanOrEqual(lower - entropy * HALF - 0.005);
        expect(entropy).toBeLessThanOrEqual(upper + entropy * HALF + 0.005);
      }
    }
    expect(listed).toBeGreaterThan(1000);
  });

  it('list the token at its log-probability, if it is among them', () => {
    let found = 0;
    for (const { tokens } of [...groups.values()].flat()) {
      for (const [i, top] of tokens.top.entries()) {
        const own = top?.find(([word]) => word === tokens.text[i]);
        if (own === undefined) continue;
        found++;
        expect(own[1]).toBeCloseTo(tokens.logprob[i] ?? Number.NaN, 2);
      }
    }
    expect(found).toBeGreaterThan(1000);
  });

  it('are equal after the same words, in every rollout of a group', () => {
    let shared = 0;
    for (const rollouts of groups.values()) {
      const known = new Map<string, readonly [number, string]>();
      for (const { tokens } of rollouts) {
        let before = '';
        for (const [i, text] of tokens.text.entries()) {
          const entropy = tokens.entropy[i] ?? Number.NaN;
          const said = [entropy, JSON.stringify(tokens.top[i])] as const;
          const others = known.get(before);
          if (others === undefined) known.set(before, said);
          else {
            shared++;
            expect(said).toEqual(others);
          }
          before += text;
        }
      }
    }
    expect(shared).toBeGreaterThan(1000);
  });
});
