import { useCallback } from 'react';
import { useService } from '../../parts/service.ts';
import { type Loaded, useLoad } from '../../use-load.ts';
import type { JsonObject } from '../../values/json.ts';

/** Wrapped in an object, because null means that nothing is loaded yet. */
interface Found {
  /** Null: the collection has no schema. */
  readonly schema: JsonObject | null;
}

/** Loads the JSON Schema of a collection. */
export function useSchema(collection: string): Loaded<Found> {
  const { collections } = useService().client.admin;
  const load = useCallback(
    async (signal: AbortSignal): Promise<Found> => ({ schema: await collections.findSchema(collection, { signal }) }),
    [collections, collection],
  );
  return useLoad(load);
}
