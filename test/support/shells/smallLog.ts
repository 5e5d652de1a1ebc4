import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One rollout, for tests of the shell that need any page quickly.
 * @returns the file's path
 */
export function writeSmallLog(directory: string): string {
  const path = join(directory, 'small.jsonl');
  const rollout = {
    v: 1,
    type: 'rollout',
    run: 'small-run',
    step: 0,
    group: 'g',
    index: 0,
    problem: { id: 'p', prompt: 'What is 1 + 1?' },
    messages: [{ role: 'assistant', content: '2' }],
    reward: 1,
  };
  writeFileSync(path, `${JSON.stringify(rollout)}\n`);
  return path;
}
