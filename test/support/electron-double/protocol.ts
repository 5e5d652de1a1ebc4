import type { CustomScheme, Protocol } from 'electron';

type Handler = (request: Request) => Response | Promise<Response>;

const privileged = new Set<string>();
const handlers = new Map<string, Handler>();

export function protocolHandler(scheme: string): Handler | undefined {
  return handlers.get(scheme);
}

export const protocol = {
  registerSchemesAsPrivileged(schemes: CustomScheme[]): void {
    for (const { scheme, privileges } of schemes) {
      if (privileges?.bypassCSP) throw new Error(`${scheme} would bypass the policy`);
      privileged.add(scheme);
    }
  },
  handle(scheme: string, handler: Handler): void {
    // Without privileges, Electron also serves the scheme, but as an opaque origin.
    if (!privileged.has(scheme)) throw new Error(`${scheme} was not registered as privileged before ready`);
    handlers.set(scheme, handler);
  },
} satisfies Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>;
