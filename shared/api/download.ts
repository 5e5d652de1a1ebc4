/** Download of an export by a page in a browser: POST, the token as `Authorization: Bearer`. Returns the file. */

export const DOWNLOAD_PATH = '/download';

/** @param id `download` of the export's result */
export function downloadUrl(id: string, library: string): string {
  return `${DOWNLOAD_PATH}?id=${encodeURIComponent(id)}&library=${encodeURIComponent(library)}`;
}
