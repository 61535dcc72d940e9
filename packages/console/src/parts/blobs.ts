import { useEffect, useState } from 'react';

/** Time for the browser to start reading a saved blob, in milliseconds. */
const READ_WITHIN_MS = 60_000;

/** Returns a URL that displays a blob in this page. It is revoked when the component unmounts. */
export function useBlobUrl(blob: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === null) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}

/** Saves a blob as a file. */
export function saveAs(name: string, blob: Blob): void {
  // A type that browsers do not display: user content must not become a page of this origin.
  const url = URL.createObjectURL(blob.slice(0, blob.size, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS);
}

/** Reads the beginning of a response. The rest is not transferred. */
export async function beginningOf(response: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(most);
  const reader = response.body?.getReader();
  let length = 0;
  while (reader !== undefined && length < most) {
    const { done, value } = await reader.read();
    if (done) break;
    const taken = value.subarray(0, most - length);
    bytes.set(taken, length);
    length += taken.length;
  }
  await reader?.cancel();
  return bytes.subarray(0, length);
}
