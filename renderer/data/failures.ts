import type { ApiFailure } from '../../shared/api/errors.ts';

export { ApiError } from '../../shared/api/errors.ts';

export const CLOSED: ApiFailure = { code: 'closed', message: 'the connection to the Turnwise host is gone' };

/** Returns the notice for a rejected change. Storage errors already begin with these words. */
export function notSaved(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.startsWith('not saved:') ? `N${message.slice(1)}` : `Not saved: ${message}`;
}
