/**
 * The query cache and its client, one pair for each open library. Server state lives here. Views read it with
 * `useRequest` and never fetch in an effect.
 */
import { QueryClient, QueryClientProvider, replaceEqualDeep } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { usePathname } from 'wouter/use-browser-location';
import type { Client } from '../../shared/api/transport.ts';
import type { Connection, ConnectionStatus } from './connection.ts';
import { ApiError } from './failures.ts';
import { followHost } from './followHost.ts';
import { splitLibrary } from './libraryLink.ts';

const ConnectionContext = createContext<Connection | undefined>(undefined);
const LibraryContext = createContext<string | undefined>(undefined);

/** Retries only if the connection was lost. Any other error is a final response. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 5 * 60_000,
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        structuralSharing: sharedAnswer,
        retry: (failures, error) => error instanceof ApiError && error.code === 'closed' && failures < 4,
        retryDelay: (failures) => Math.min(4_000, 400 * 2 ** failures),
      },
      mutations: { networkMode: 'always' },
    },
  });
}

interface DataProviderProps {
  readonly connection: Connection;
  /** When it changes, all data is requested again. */
  readonly isMasking?: boolean;
  /** Whether the page of a run is paused. While the run is followed, its cached data is then kept as it is. */
  readonly isPaused?: (runKey: string) => boolean;
  readonly children: ReactNode;
}

/** The URL names the current library. Switching to another remounts the views, with that library's own cache. */
export function DataProvider({ connection, isMasking = false, isPaused, children }: DataProviderProps) {
  const { library } = splitLibrary(usePathname());
  const [queryClients] = useState(() => new Map<string, QueryClient>());
  let queryClient = queryClients.get(library);
  if (queryClient === undefined) {
    queryClient = createQueryClient();
    queryClients.set(library, queryClient);
  }
  const wasMasking = useRef(isMasking);
  useEffect(() => {
    if (wasMasking.current === isMasking) return;
    wasMasking.current = isMasking;
    for (const each of queryClients.values()) {
      // Keep the list of libraries, or a view of another library would unmount and mount again.
      void each.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'library.list' });
    }
  }, [isMasking, queryClients]);
  return (
    <ConnectionContext value={connection}>
      <LibraryContext key={library} value={library}>
        <QueryClientProvider client={queryClient}>
          <HostFollower queryClient={queryClient} isPaused={isPaused} />
          {children}
        </QueryClientProvider>
      </LibraryContext>
    </ConnectionContext>
  );
}

interface HostFollowerProps {
  readonly queryClient: QueryClient;
  readonly isPaused: DataProviderProps['isPaused'];
}

function HostFollower({ queryClient, isPaused }: HostFollowerProps) {
  const connection = useConnection();
  const client = useClient();
  useEffect(
    () => followHost({ ...connection, client }, queryClient, isPaused),
    [connection, client, queryClient, isPaused],
  );
  // Events of a library are missed while another one is current, so mark its cache as stale.
  useEffect(() => () => void queryClient.invalidateQueries({ refetchType: 'none' }), [queryClient]);
  return null;
}

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === undefined) throw new Error('useConnection outside DataProvider');
  return connection;
}

/** Id of the current library. */
export function useLibrary(): string {
  const library = useContext(LibraryContext);
  if (library === undefined) throw new Error('useLibrary outside DataProvider');
  return library;
}

/** @param library if it is not the current one */
export function useClient(library?: string): Client {
  const here = useLibrary();
  return useConnection().clientOf(library ?? here);
}

export function useConnectionStatus(): ConnectionStatus {
  const connection = useConnection();
  return useSyncExternalStore(connection.onStatus, connection.status);
}

/** react-query compares plain JSON only. Equal id and count arrays must keep their identity, too. */
export function sharedAnswer(before: unknown, now: unknown): unknown {
  if (!hasIds(before) || !hasIds(now)) return replaceEqualDeep(before, now);
  if (!isSameList(before.ids, now.ids)) return now;
  const former: Readonly<Record<string, unknown>> = { ...before };
  const shared = Object.entries(now).map(([field, value]) => [
    field,
    isSameList(former[field], value) ? former[field] : value,
  ]);
  return replaceEqualDeep(before, Object.fromEntries(shared));
}

function hasIds(answer: unknown): answer is { readonly ids: Uint32Array } {
  return (
    typeof answer === 'object' && answer !== null && 'ids' in answer && answer.ids instanceof Uint32Array
  );
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!(a instanceof Uint32Array && b instanceof Uint32Array)) return false;
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
