import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { migrate } from '../../electron/storage/migrate.ts';

const directory = mkdtempSync(join(tmpdir(), 'turnwise-schema-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('two processes make one library: the slower one knows the tables as the faster one has left them', () => {
  const path = join(directory, 'shared.sqlite');
  const slower = new Database(path);
  const faster = new Database(path);
  try {
    migrate(slower, 12);
    // It has looked at the tables as they were then.
    slower.prepare('INSERT INTO tool_call_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    // The faster one comes in between, after the slower one has looked whether the library is ours.
    const transaction = slower.transaction.bind(slower);
    slower.transaction = ((work: () => void) => {
      migrate(faster);
      return transaction(work);
    }) as typeof slower.transaction;
    migrate(slower);
    expect(() =>
      slower.prepare(`INSERT INTO tool_call_row VALUES (${Array(13).fill('?').join(', ')})`),
    ).not.toThrow();
  } finally {
    slower.close();
    faster.close();
  }
});
