import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { demoLines } from '../../fixtures/generate/demo.ts';

const FILE = join(import.meta.dirname, '..', '..', 'fixtures', 'demo', 'demo.jsonl');

it('the demo run equals the output of its generator, and is small enough to ship', () => {
  expect(readFileSync(FILE, 'utf8') === `${demoLines().join('\n')}\n`).toBe(true);
  expect(statSync(FILE).size).toBeLessThanOrEqual(8_000_000);
});
