import type { CustomScheme, Protocol } from 'electron';

type Handler = (request: Request) => Response | Promise<Response>;

const privileged = new Set<string>();

/** The protocols of one session. */
function sessionProtocol() {
  const handlers = new Map<string, Handler>();
  return {
    handle(scheme: string, handler: Handler): void {
      // Without privileges, Electron also serves the scheme, but as an opaque origin.
      if (!privileged.has(scheme)) throw new Error(`${scheme} was not registered as privileged before ready`);
      if (handlers.has(scheme)) throw new Error(`${scheme} has a handler`);
      handlers.set(scheme, handler);
    },
    unhandle(scheme: string): void {
      handlers.delete(scheme);
    },
    /** Not in Electron. */
    handlerOf: (scheme: string): Handler | undefined => handlers.get(scheme),
  } satisfies Pick<Protocol, 'handle' | 'unhandle'> & { handlerOf: unknown };
}
export type SessionProtocol = ReturnType<typeof sessionProtocol>;

const partitions = new Map<string, SessionProtocol>();

/** The protocols of a partition's session. The default session is the partition ''. */
export function protocolOf(partition: string): SessionProtocol {
  const known = partitions.get(partition) ?? sessionProtocol();
  partitions.set(partition, known);
  return known;
}

/** That of the default session. */
export const protocol = {
  ...protocolOf(''),
  registerSchemesAsPrivileged(schemes: CustomScheme[]): void {
    for (const { scheme, privileges } of schemes) {
      if (privileges?.bypassCSP) throw new Error(`${scheme} would bypass the policy`);
      privileged.add(scheme);
    }
  },
} satisfies Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>;
