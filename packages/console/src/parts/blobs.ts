import { useEffect, useState } from 'react';

/** How long the browser may take to begin with reading what it saves. */
const READ_WITHIN_MS = 60_000;

/** An address for showing a blob in this page; it ends with the component. */
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

/** Has the browser save a blob as a file. */
export function saveAs(name: string, blob: Blob): void {
  // Of no type that a browser shows: a page of this origin must not come from what users have stored.
  const url = URL.createObjectURL(blob.slice(0, blob.size, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS);
}

/** The beginning of a response. The rest is not transferred. */
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
