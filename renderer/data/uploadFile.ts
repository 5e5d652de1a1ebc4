/** Uploads a file to the loopback host. The contract's frames are too small for files, so it uses HTTP. */
import { CANCELLED } from '../../shared/api/transport.ts';
import { type UploadedFile, uploadUrl } from '../../shared/api/upload.ts';
import { ApiError, CLOSED } from './failures.ts';

export interface UploadOptions {
  readonly library: string;
  /** Folder that the first file of the same upload was assigned. */
  readonly folder: string | undefined;
  readonly signal: AbortSignal;
  /** Bytes sent so far. */
  readonly onProgress: (bytes: number) => void;
}

/** @throws ApiError */
export function uploadFile(
  token: string,
  file: File,
  { library, folder, signal, onProgress }: UploadOptions,
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    // `fetch` reports no upload progress.
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = () => {
      const answer = parsedAnswer(request.responseText);
      if (answer?.ok === true) resolve(answer.value);
      else reject(new ApiError(answer?.failure ?? CLOSED));
    };
    // Either the host is gone or the browser can no longer read the file. The page cannot tell which.
    request.onerror = () => {
      const message = `${file.name} could not be sent: Turnwise does not answer, or the file cannot be read`;
      reject(new ApiError({ code: 'source_gone', message }));
    };
    request.onabort = () => reject(new ApiError(CANCELLED));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.open('POST', uploadUrl(file.name, library, folder));
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.send(file);
  });
}

type Answer =
  | { readonly ok: true; readonly value: UploadedFile }
  | { readonly ok: false; readonly failure: ConstructorParameters<typeof ApiError>[0] };

/** @returns undefined for an error response of the server, which is plain text */
function parsedAnswer(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}
