/** As much of a ClickHouse server as a list of runs needs: one run, for the user `ann` with the password `right`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WAREHOUSE_VERSION } from '../../electron/warehouse/tables.ts';

const RUN = {
  ...{ run: 'far', split: 'train', steps: 2, first_step: 1, last_step: 2, rollouts: 9, sources: 1 },
  loaded_at: '2026-01-01 00:00:00',
};

export async function startSmallWarehouse(): Promise<{ readonly address: string; close(): void }> {
  const server = createServer(async (asked, answer) => {
    const sql = await text(asked);
    if (asked.headers.authorization !== `Basic ${btoa('ann:right')}`) {
      answer.writeHead(403, { 'x-clickhouse-exception-code': '516' });
      answer.end('Code: 516. DB::Exception: ann: Authentication failed. (AUTHENTICATION_FAILED)');
    } else if (sql.includes('SELECT version'))
      answer.end(`${JSON.stringify({ version: WAREHOUSE_VERSION })}\n`);
    else answer.end(`${JSON.stringify(RUN)}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/team`, close: () => server.close() };
}
