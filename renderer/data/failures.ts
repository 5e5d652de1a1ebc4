import type { ApiFailure } from '../../shared/api/errors.ts';

export { ApiError } from '../../shared/api/errors.ts';

export const CLOSED: ApiFailure = { code: 'closed', message: 'the connection to the Turnwise host is gone' };
