/** Upload of a file by a page in a browser: POST, the bytes as the body, the token as `Authorization: Bearer`. */

export const UPLOAD_PATH = '/upload';

/** Larger files are opened by their path instead. */
export const MAX_UPLOAD_BYTES = 4_000_000_000;

export interface UploadedFile {
  /** Path on the host's machine. The user has opened it. */
  readonly path: string;
  /** Name of the upload's own folder. Further files of the same upload are written there, too. */
  readonly folder: string;
}

/** @param folder of the first file of the same upload */
export function uploadUrl(name: string, library: string, folder?: string): string {
  const query = Object.entries({ name, library, ...(folder === undefined ? {} : { folder }) });
  return `${UPLOAD_PATH}?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
}
