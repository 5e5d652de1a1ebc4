/** The size of a library is one number, whoever reports it. */
import { statSync, truncateSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesOnDisk } from '../../electron/storage/bytesOnDisk.ts';
import { copyDatabase } from '../../electron/storage/databaseFiles.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { librarySizes } from '../../electron/storage/queries/sizes.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const WATCH = { isCancelled: () => false, onProgress: () => undefined };

describe('the size of a library', () => {
  it('is that of the file and of its write-ahead log, and the parts add up to it', () => {
    const db = openWriter(place.library);
    try {
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.pragma('wal_autocheckpoint = 0');
      const before = statSync(place.library).size;
      db.exec('CREATE TABLE filler (text TEXT)');
      const fill = db.prepare('INSERT INTO filler VALUES (?)');
      for (let i = 0; i < 200; i += 1) fill.run('x'.repeat(4000));
      // The data is only in the write-ahead log.
      expect(statSync(place.library).size).toBe(before);
      const sizes = librarySizes(db, WATCH);
      expect(sizes?.file).toBeGreaterThan(before);
      expect((sizes?.file ?? 0) + (sizes?.wal ?? 0)).toBe(bytesOnDisk(place.library));
      db.pragma('wal_checkpoint(TRUNCATE)');
      expect(librarySizes(db, WATCH)).toMatchObject({ wal: 0, file: bytesOnDisk(place.library) });
    } finally {
      db.close();
    }
  });

  it('is unknown without a file', () => {
    expect(bytesOnDisk(`${place.library}.none`)).toBeUndefined();
  });
});

it.each(['', '-wal'])(
  'of a store whose file%s is not written for the most part is not copied',
  async (suffix) => {
    const path = place.file('a.db', '');
    truncateSync(place.file(`a.db${suffix}`, 'SQLite format 3\0'), 1 << 30);
    await expect(copyDatabase(path)).rejects.toThrow(
      /^it has 1073741824 bytes, of which \d+ are on the disk$/,
    );
  },
);
