import type { SearchInfo } from '@baobab/client/admin';
import { useService } from '../../parts/service.ts';
import { type Loaded, useLoad } from '../../use-load.ts';

export interface Declared {
  /** Null: full-text search is not enabled. */
  readonly search: SearchInfo | null;
}

/** Loads how a collection is searched. */
export function useSearch(collection: string): Loaded<Declared> {
  const { collections } = useService().client.admin;
  return useLoad(['full-text', collection], async (signal) => ({
    search: await collections.findSearch(collection, { signal }),
  }));
}
