/**
 * `node --import utilityPort.ts entry.ts`: emulates the port of a process started by Electron's
 * `utilityProcess`, over Node's own channel.
 */
Object.assign(process, {
  parentPort: {
    postMessage: (message: unknown) => process.send?.(message),
    on: (_event: 'message', listener: (message: { readonly data: unknown }) => void) =>
      process.on('message', (data) => listener({ data })),
  },
});

export {};
