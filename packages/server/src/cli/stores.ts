import type { Blobs } from '@baobab/core';

/** Runs `work` if the blob stores are available, then closes them. @throws `blobs.*` */
export async function using<T>(blobs: readonly Blobs[], work: () => Promise<T>): Promise<T> {
  try {
    for (const store of blobs) await store.health();
    return await work();
  } finally {
    for (const store of blobs) await store.close();
  }
}

/** Returns the number of rows of all kinds. */
export const total = (rows: Readonly<Record<string, number>>) => Object.values(rows).reduce((sum, n) => sum + n, 0);
