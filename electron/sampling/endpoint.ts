/** The endpoint that the user has named when Turnwise was started. Nothing else names an address. */
import { refused } from '../../shared/api/errors.ts';

export interface Endpoint {
  /** `http://HOST:PORT/v1`, without a slash at its end. */
  readonly url: string;
  readonly model: string;
  readonly key?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `TURNWISE_ENDPOINT`, with `TURNWISE_ENDPOINT_MODEL` and `…_KEY`.
 *
 * @returns undefined: no endpoint is named
 * @throws ApiError `refused` when the address is invalid or the model is missing
 */
export function namedEndpoint(environment: Environment): Endpoint | undefined {
  const {
    TURNWISE_ENDPOINT: address,
    TURNWISE_ENDPOINT_MODEL: model,
    TURNWISE_ENDPOINT_KEY: key,
  } = environment;
  if (address === undefined || address === '') return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // The text is not repeated, because it may contain a password anywhere.
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    throw refused('TURNWISE_ENDPOINT must be http://HOST:PORT/v1 or https://HOST:PORT/v1');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refused(
      'TURNWISE_ENDPOINT contains a user, a password or parameters; give the key by TURNWISE_ENDPOINT_KEY',
    );
  if (model === undefined || model === '')
    throw refused('TURNWISE_ENDPOINT_MODEL is not set; it names the model that the endpoint serves');
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    model,
    ...(key === undefined || key === '' ? {} : { key }),
  };
}

/** `HOST:PORT`, for the screen and for messages. */
export const hostOf = ({ url }: Endpoint): string => new URL(url).host;
