import { expect, it } from 'vitest';
import { ingestHere, rows, scratch } from '../support/library.ts';

it('keeps infinite entropies out of the sums of group and step', async () => {
  const place = scratch();
  const line = (index: number, entropy: string): string =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index, problem: { prompt: 'p' } },
      tokens: { text: ['a', 'b'], mask: [1, 1], entropy: `f16:${entropy}` },
    });
  // Half floats: 0.5 and an infinity of each sign.
  const [plus, minus] = [0x7c00, 0xfc00].map((infinity) =>
    Buffer.from(Uint16Array.of(0x3800, infinity).buffer).toString('base64'),
  );
  const log = place.file('log.jsonl', `${line(0, plus ?? '')}\n${line(1, minus ?? '')}\n`);
  expect((await ingestHere(place.library, [log])).files.flatMap(({ issues }) => issues)).toEqual([]);
  const mean = 'SELECT mean_entropy FROM';
  expect(rows(place.library, `${mean} rollout`)).toEqual([{ mean_entropy: 0.5 }, { mean_entropy: 0.5 }]);
  expect(rows(place.library, `${mean} step`)).toEqual([{ mean_entropy: 0.5 }]);
  place.remove();
});
