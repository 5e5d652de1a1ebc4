/**
 * A process of its own for SQL a user wrote: SQLite cannot be interrupted inside a statement,
 * so the way to stop one is to kill its process. Reads one request, streams rows, exits.
 */
import type { SqlMessage, SqlRequest, SqlTaken } from './sqlMessages.ts';

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
  // The channel is flushed before the process ends by itself.
  process.disconnect?.();
}

/** Node's child process, or Electron's utility process: the same two calls under other names. */
function connect(): Port {
  let listener: (request: SqlRequest) => void = () => undefined;
  let taken: () => void = () => undefined;
  const receive = (message: SqlRequest | SqlTaken): void => {
    if ('kind' in message) taken();
    else listener(message);
  };
  const sendAndWait = (send: (message: SqlMessage) => void) => (message: SqlMessage) =>
    new Promise<void>((resolve) => {
      if (message.kind !== 'rows') resolve();
      else taken = resolve;
      send(message);
    });
  const onRequest = (next: (request: SqlRequest) => void): void => {
    listener = next;
  };
  const utility = (process as { parentPort?: UtilityPort }).parentPort;
  if (utility !== undefined) {
    utility.on('message', ({ data }) => receive(data));
    return { send: sendAndWait((message) => utility.postMessage(message)), onRequest };
  }
  // Nobody is left to read: no reason to go on. (A statement that is running hears nothing; its parent kills it.)
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message) => receive(message as SqlRequest | SqlTaken));
  return {
    send: sendAndWait((message) =>
      process.send?.(message, undefined, undefined, (error) => error && process.exit(1)),
    ),
    onRequest,
  };
}

interface UtilityPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: { data: SqlRequest | SqlTaken }) => void): void;
}
