/** How long the browser has time to begin saving. */
const KEPT_MS = 60_000;

/** Lets the browser save a file, as a click on a download link does. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
