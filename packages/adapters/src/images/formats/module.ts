import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Reads a WebAssembly module from a package. The codecs would `fetch` it, but Node does not fetch `file:` URLs. */
export const readModule = (specifier: string) => readFile(fileURLToPath(import.meta.resolve(specifier)));

/** Runs `prepare` once, on first use. */
export function once(prepare: () => Promise<unknown>): () => Promise<unknown> {
  let ready: Promise<unknown> | null = null;
  return () => {
    ready ??= prepare();
    return ready;
  };
}
