/** Downloads an export from the loopback host. The contract's frames are too small for files, so it uses HTTP. */
import { downloadUrl } from '../../shared/api/download.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { ApiError } from './failures.ts';

export interface DownloadOptions {
  readonly library: string;
  readonly signal: AbortSignal;
  /** Share of the file that has arrived, 0 … 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * @param id from the response of the export
 * @throws ApiError
 */
export function downloadFile(
  token: string,
  id: string,
  { library, signal, onProgress }: DownloadOptions,
): Promise<Blob> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new ApiError(CANCELLED));
    // Not a link, because a link cannot carry the token. The browser keeps a large blob on its disk.
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    const lost = (message: string): void => reject(new ApiError({ code: 'source_gone', message }));
    request.responseType = 'blob';
    request.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status === 200) resolve(request.response as Blob);
      else lost('The export is no longer there. Export it again');
    };
    request.onerror = () => lost('The export did not arrive: Turnwise does not answer. Export it again');
    request.onabort = () => reject(new ApiError(CANCELLED));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.open('POST', downloadUrl(id, library));
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.send();
  });
}
