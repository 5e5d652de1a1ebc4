/** Hands a text, or an image, to the reader as a file: the browser saves it among its downloads, the desktop asks where. */
export function saveText(name: string, text: string | Blob, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the blob by the time the click returns to the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
