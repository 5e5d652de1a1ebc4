/**
 * Kills the process with SIGKILL while rollouts are labelled: every answered label is stored whole and can be
 * undone.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWriter } from '../../electron/storage/open.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { Labelled } from '../support/labelled.ts';
import { ingestHere, rows, scratch } from '../support/library.ts';

const CHILD = join(import.meta.dirname, '../support/killedLabelling.ts');
const LABELS = 200;

/** @returns ids printed before the process ended */
function labelUntil(library: string, printed: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, library, String(LABELS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      text += chunk;
      // The process may be working on the next label, in any thread.
      if (text.split('\n').length > printed) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () =>
      resolve(
        text
          .split('\n')
          .slice(0, -1)
          .filter((line) => line !== 'done'),
      ),
    );
  });
}

it('at seeded points', async () => {
  const random = seededRandom(8);
  const place = scratch();
  try {
    const log = Array.from({ length: LABELS }, (_, i) =>
      JSON.stringify({ input: `q${i}`, output: `a${i}`, score: i % 2, step: 1, uid: `u${i}` }),
    ).join('\n');
    await ingestHere(place.library, [place.file('1.jsonl', `${log}\n`)]);
    const all = new Set<string>();
    for (const point of [0.1, 0.5, 0.9].map((at) => Math.ceil(LABELS * (at + 0.1 * random())))) {
      const answered = await labelUntil(place.library, point);
      expect(answered.length).toBeGreaterThanOrEqual(point);
      for (const id of answered) all.add(id);
      const db = openWriter(place.library);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      db.close();
      const there = rows(place.library, 'SELECT annotation_id AS id, state, note FROM annotation');
      const ids = new Set(there.map(({ id }) => String(id)));
      expect([...all].filter((id) => !ids.has(id))).toEqual([]);
      // At most one was written without being answered.
      expect(there.length - all.size).toBeLessThanOrEqual(3);
      expect(there.every(({ state }) => state === 'exact')).toBe(true);
      for (const { id } of there) all.add(String(id));
    }
    const on = new Labelled(place.library);
    const before = on.said();
    expect(on.undo().words).toBe('label Loops');
    expect(on.said()).not.toEqual(before);
    on.redo();
    expect(on.said()).toEqual(before);
    on.close();
  } finally {
    place.remove();
  }
});
