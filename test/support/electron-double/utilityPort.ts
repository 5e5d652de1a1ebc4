/**
 * `node --import utilityPort.ts entry.ts`: emulates the port of a process started by Electron's
 * `utilityProcess`, over Node's own channel.
 */
// Kept, because an entry may remove the global.
const own = process;
Object.assign(own, {
  parentPort: {
    postMessage: (message: unknown) => own.send?.(message),
    on: (_event: 'message', listener: (message: { readonly data: unknown }) => void) =>
      own.on('message', (data) => listener({ data })),
  },
});

export {};
