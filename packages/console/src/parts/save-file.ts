/** Time for the browser to start saving, in milliseconds. */
const KEPT_MS = 60_000;

/** Saves a file through the browser, like a click on a download link. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
