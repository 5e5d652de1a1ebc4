/**
 * A process of its own for SQL a user wrote: SQLite cannot be interrupted inside a statement,
 * so the way to stop one is to kill its process. Reads one request, streams rows, exits.
 */
import type { SqlMessage, SqlRequest } from './sqlMessages.ts';

/** Rows per message: enough to make messages cheap, few enough to show the first page at once. */
const PAGE = 500;

type Port = {
  send(message: SqlMessage): Promise<void>;
  onRequest(listener: (request: SqlRequest) => void): void;
};

const port = connect();
port.onRequest((request) => void answer(request));

async function answer(request: SqlRequest): Promise<void> {
  try {
    const { openReader } = await import('../storage/open.ts');
    const { prepareUserStatement } = await import('../storage/userStatement.ts');
    const statement = prepareUserStatement(openReader(request.libraryPath), request.sql);
    await port.send({ kind: 'columns', columns: statement.columns });
    let page: unknown[][] = [];
    for (const row of statement.rows()) {
      page.push(row);
      if (page.length < PAGE) continue;
      await port.send({ kind: 'rows', rows: page });
      page = [];
    }
    if (page.length > 0) await port.send({ kind: 'rows', rows: page });
    await port.send({ kind: 'done' });
  } catch (error) {
    await port.send({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
  }
  process.exit(0);
}

/** Node's child process, or Electron's utility process: the same two calls under other names. */
function connect(): Port {
  const utility = (
    process as {
      parentPort?: {
        postMessage(m: unknown): void;
        on(e: 'message', l: (m: { data: SqlRequest }) => void): void;
      };
    }
  ).parentPort;
  if (utility !== undefined) {
    return {
      send: async (message) => utility.postMessage(message),
      onRequest: (listener) => utility.on('message', ({ data }) => listener(data)),
    };
  }
  return {
    // Waiting for the pipe is what keeps a million rows from piling up in memory.
    send: (message) =>
      new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve())),
    onRequest: (listener) => process.once('message', (message) => listener(message as SqlRequest)),
  };
}
