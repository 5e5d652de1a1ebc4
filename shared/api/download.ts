/** How a page in a browser gets an export: POST, the token as `Authorization: Bearer`. The answer is the file. */

export const DOWNLOAD_PATH = '/download';

/** @param id as in the answer of the export */
export function downloadUrl(id: string, library: string): string {
  return `${DOWNLOAD_PATH}?id=${encodeURIComponent(id)}&library=${encodeURIComponent(library)}`;
}
