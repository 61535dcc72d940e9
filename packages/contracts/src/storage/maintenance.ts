import type { Storage } from '@baobab/core';

/** More parts than any of the removals has. */
const MANY_PARTS = 100;

/** Removes a part of all removals that have begun. Resolves to true if anything is left. */
export const maintain = async (storage: Storage, limit: number): Promise<boolean> =>
  (await storage.maintain?.(limit)) ?? false;

/** Finishes all removals that have begun. Resolves to the number of parts after which anything was left. */
export async function finishRemovals(storage: Storage, limit: number): Promise<number> {
  for (let parts = 0; parts < MANY_PARTS; parts++) if (!(await maintain(storage, limit))) return parts;
  throw new Error('the removals do not end');
}
