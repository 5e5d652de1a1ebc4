/**
 * The query cache and the one client under it. Server state lives here; views read it with
 * `useRequest` and never fetch in an effect.
 */
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { Client } from '../../shared/api/transport.ts';
import type { Connection, ConnectionStatus } from './connection.ts';
import { ApiError } from './failures.ts';
import { followHost } from './followHost.ts';
import { sharedAnswer } from './sharedAnswer.ts';

const ConnectionContext = createContext<Connection | undefined>(undefined);

/** Only a gone connection is worth asking again; every other failure is an answer. */
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

export function DataProvider({ connection, children }: { connection: Connection; children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  return (
    <ConnectionContext value={connection}>
      <QueryClientProvider client={queryClient}>
        <HostFollower />
        {children}
      </QueryClientProvider>
    </ConnectionContext>
  );
}

function HostFollower() {
  const connection = useConnection();
  const queryClient = useQueryClient();
  useEffect(() => followHost(connection, queryClient), [connection, queryClient]);
  return null;
}

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === undefined) throw new Error('useConnection outside DataProvider');
  return connection;
}

export function useClient(): Client {
  return useConnection().client;
}

export function useConnectionStatus(): ConnectionStatus {
  const connection = useConnection();
  return useSyncExternalStore(connection.onStatus, connection.status);
}
