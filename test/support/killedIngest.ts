/**
 * An ingest that kills itself: `node killedIngest.ts <library> <statement> <paths…>` ends by
 * SIGKILL right before the so-manieth statement that writes, wherever that is in a
 * transaction; 0: never, and the number of them is printed. No clock is asked, so a point that fails can
 * be tried again.
 */
import { openWriter } from '../../electron/storage/open.ts';
import { ingestInto } from './library.ts';

const [library = '', point = '0', ...paths] = process.argv.slice(2);
const last = Number(point);
let statements = 0;

const db = openWriter(library);
const prepare = db.prepare.bind(db);
db.prepare = ((source: string) => {
  const statement = prepare(source);
  const run = statement.run.bind(statement);
  statement.run = (...params: unknown[]) => {
    if (++statements === last) process.kill(process.pid, 'SIGKILL');
    return run(...params);
  };
  return statement;
}) as typeof db.prepare;

await ingestInto(db, paths);
db.close();
process.stdout.write(`${statements}\n`);
