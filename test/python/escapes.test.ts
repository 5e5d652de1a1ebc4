import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { PythonAnswer } from '../../shared/api/contract.ts';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, scratch } from '../support/library.ts';
import { BRIDGE_ESCAPES, CANARY, ESCAPES, type Escape } from './escapes.ts';

const SECRET = 'a secret of the host';
const files = scratch();
const secretFile = files.file('secret.txt', SECRET);
let host: Host;
let server: Server;
let connections = 0;

beforeAll(async () => {
  process.env['TURNWISE_SECRET'] = SECRET;
  server = createServer((_request, response) => response.end(SECRET));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = await createHost({ libraryPath: files.library, shell: 'browser', version: 'test' });
});

afterAll(async () => {
  delete process.env['TURNWISE_SECRET'];
  await host.close();
  server.close();
  files.remove();
});

async function run(code: string, limitMs: number): Promise<PythonAnswer> {
  const result = await host.dispatch('python.run', { cells: [{ code, input: 'in' }], limitMs });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as PythonAnswer;
}

describe('code that tries to get out stays inside', () => {
  // Each attempt is also the run that must know nothing of the one before.
  test.each([...ESCAPES, { name: 'the run after the last one', code: '' }])(
    '$name',
    async ({ code, isEndless = false }: Escape) => {
      const { port } = server.address() as AddressInfo;
      const attempt = code.replaceAll('FILE', secretFile).replaceAll('PORT', String(port));
      const answer = await run(`${CANARY}\n${attempt}`, isEndless ? 500 : 30_000);
      const text = JSON.stringify(answer);
      if (answer.kind === 'done') {
        expect(answer.stdout.slice(0, 6)).toBe('clean\n');
        expect(answer.stdout).not.toContain('ESCAPED');
        expect(answer.stdout.length + answer.stderr.length).toBeLessThanOrEqual(1_000_000);
      }
      expect(text).not.toContain(SECRET);
      expect(existsSync(`${secretFile}.made`)).toBe(false);
      if (isEndless) expect(answer.kind).toBe('timed_out');
      // Code may go on after its answer.
      expect(connections).toBe(0);
    },
  );
});

// The command line starts the same process as the host above, so every fourth attempt is enough.
test('code in a log stays inside on the command line', async () => {
  const { port } = server.address() as AddressInfo;
  const attempts = ESCAPES.filter(({ isEndless = false }, i) => i % 4 === 0 && !isEndless);
  const calls = attempts.map(({ code }) => {
    const attempt = code.replaceAll('FILE', secretFile).replaceAll('PORT', String(port));
    return `<tool_call>\n${JSON.stringify({ name: 'python', arguments: { code: attempt } })}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nnothing\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
  });
  const log = [
    { v: 1, run: 'escapes', type: 'run', name: 'escapes' },
    ...calls.map((text, index) => ({
      ...{ v: 1, run: 'escapes', type: 'rollout', step: 0, split: 'train', group: 'g', index, reward: 0 },
      problem: { id: 'p', prompt: '<|im_start|>user\nEscape.<|im_end|>\n<|im_start|>assistant\n' },
      text: `${text}done`,
      chat_template: 'chatml-hermes',
    })),
  ];
  const library = join(files.directory, 'escapes.sqlite');
  await ingestHere(library, [
    files.file('escapes.jsonl', log.map((line) => `${JSON.stringify(line)}\n`).join('')),
  ]);
  const { out, code } = await runHere(files.directory, [
    'verify',
    '--mode',
    'alone',
    '--json',
    '--library',
    library,
  ]);
  expect(code).toBe(4);
  const results = out.trim().split('\n');
  expect(results).toHaveLength(attempts.length);
  expect(out).not.toContain(SECRET);
  expect(existsSync(`${secretFile}.made`)).toBe(false);
  expect(connections).toBe(0);
}, 600_000);

test('finds nothing behind the bridge to JavaScript either', () => {
  const script = fileURLToPath(new URL('openBridge.ts', import.meta.url));
  // The pinned Node, which reads TypeScript; without the permission model, so that the realm alone is tested.
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toBe('');
  const outcomes = JSON.parse(stdout) as readonly string[];
  expect(outcomes.filter((outcome) => outcome === 'not compiled')).toHaveLength(4);
  expect(outcomes).toHaveLength(BRIDGE_ESCAPES.length + 4);
  expect(outcomes.filter((outcome) => outcome.includes('ESCAPED'))).toEqual([]);
}, 600_000);
