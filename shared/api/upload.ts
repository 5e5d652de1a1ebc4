/** How a page in a browser sends a file to its host: POST, the bytes as the body, the token as `Authorization: Bearer`. */

export const UPLOAD_PATH = '/upload';

/** Above this a file is opened by its path. */
export const MAX_UPLOAD_BYTES = 4_000_000_000;

export interface UploadedFile {
  /** Path on the host's machine. The user has opened it. */
  readonly path: string;
  /** Name of the upload's own folder. Files that are sent with it go there too. */
  readonly folder: string;
}

/** @param folder of the first file of the same upload */
export function uploadUrl(name: string, library: string, folder?: string): string {
  const query = Object.entries({ name, library, ...(folder === undefined ? {} : { folder }) });
  return `${UPLOAD_PATH}?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
}
