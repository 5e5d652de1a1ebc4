/**
 * A job that kills itself: `node killedJob.ts <job> <library> <point> <output>` ends before its n-th step. With 0 it
 * completes and prints the number of steps. `label` prints each annotation once it is answered. `compact` ends when
 * the write-ahead log has that many bytes.
 */
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { indexPiece } from '../../electron/storage/searchIndex.ts';
import type { KilledJob } from './killedJobs.ts';
import { killAtSize, killBefore } from './killPoints.ts';
import { Labelled } from './labelled.ts';
import { packHere } from './packed.ts';

/** Labels of one job. */
const LABELS = 12;

const [job = '', library = '', pointText = '0', output = ''] = process.argv.slice(2);
const point = Number(pointText);

const JOBS: { readonly [J in KilledJob]: () => void | Promise<void> } = {
  label: () => {
    const on = new Labelled(library);
    const ids = on.rollouts();
    for (let i = 0; i < LABELS; i += 1) {
      const put = { rolloutId: ids[i] ?? 0, target: { kind: 'rollout' as const }, label: 'loops' };
      const [applied] = on.apply('ann', { put }).annotations;
      process.stdout.write(`${applied?.id}\n`);
    }
    on.close();
  },
  index: () => {
    const db = openWriter(library);
    while (indexPiece(db));
    db.close();
  },
  move: () => {
    const db = openWriter(library);
    const watch = { isCancelled: () => false, onProgress: () => undefined };
    const done = new LibraryWriter(db).removal.move('synthetic-grpo-roc-demo', output, watch);
    if (typeof done === 'string' || 'refusal' in done) throw new Error(JSON.stringify(done));
    db.close();
  },
  export: async () => {
    await packHere(library, 'jsonl', output, { isAll: true });
  },
  compact: async () => {
    const db = openWriter(library);
    if (point > 0) await killAtSize(`${library}-wal`, point);
    const done = new LibraryWriter(db).whole.compact();
    if ('refusal' in done) throw new Error(done.refusal);
    db.close();
  },
};

const steps = killBefore(job === 'compact' ? 0 : point);
await JOBS[job as KilledJob]();
process.stdout.write(`${steps()}\n`);
// Exits explicitly, because the thread that watches a file does not end by itself.
process.exit(0);
