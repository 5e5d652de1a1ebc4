/**
 * An ingest that kills itself: `node killedIngest.ts <library> <statement> <paths…>` sends itself SIGKILL
 * before its n-th step (`killPoints.ts`), anywhere in a transaction. 0: never; it then prints their number. TURNWISE_TEST_ADAPTER: an adapter as JSON.
 */
import type { Adapter } from '../../electron/ingest/containers/adapter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { killBefore } from './killPoints.ts';
import { ingestInto } from './library.ts';

const [library = '', point = '0', ...paths] = process.argv.slice(2);
const last = Number(point);

const steps = killBefore(last);
const db = openWriter(library);
const named = process.env['TURNWISE_TEST_ADAPTER'];
const adapter = named === undefined ? undefined : (JSON.parse(named) as Adapter);
await ingestInto(db, paths, { adapter });
db.close();
process.stdout.write(`${steps()}\n`);
