import { existsSync } from 'node:fs';
import { isWarehouseAddress } from '../host/libraryPath.ts';
import { type Command, readArguments, resolvePath, UsageError } from './command.ts';

const help = `usage: turnwise serve [PATH…] [--allow DIR] [--library FILE] [--port N] [--no-open]

Serves the application on loopback and prints its URL, which contains the access token. From
another machine: ssh -L N:127.0.0.1:N HOST, then open the printed URL there.

  PATH            logs to read first; default: none
  --allow DIR     directory whose logs the page may open; repeat it for several. PATH is allowed too
  --library FILE  library file; default: the user's library; repeat it to open several. Or the address of a
                  warehouse, clickhouse://HOST:8123/DATABASE: its steps are copied when they are opened
  --port N        port; default: a free port
  --no-open       do not open a browser`;

export const serveCommand: Command = {
  name: 'serve',
  summary: 'serve the application on loopback for a browser',
  help,
  async run(argv) {
    const args = readArguments('serve', argv, {
      library: { type: 'string', multiple: true },
      allow: { type: 'string', multiple: true },
      port: { type: 'string' },
      'no-open': { type: 'boolean' },
    });
    const port = args.string('port');
    if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new UsageError('serve: --port must be a number');
    const allowed = args.strings('allow').map(resolvePath);
    const missing = allowed.find((path) => !existsSync(path));
    if (missing !== undefined) throw new UsageError(`serve: --allow: there is no directory ${missing}`);
    const [library, ...further] = args
      .strings('library')
      .map((named) => (isWarehouseAddress(named) ? named : resolvePath(named)));
    if (further.some(isWarehouseAddress))
      throw new UsageError('serve: a warehouse must be the first or only --library');
    const { serve } = await import('../headless/serve.ts');
    await serve({
      paths: args.positionals.map(resolvePath),
      allowed,
      opensBrowser: !args.flag('no-open'),
      furtherLibraries: further,
      ...(library === undefined ? {} : { library }),
      ...(port === undefined ? {} : { port: Number(port) }),
    });
    return 0;
  },
};
