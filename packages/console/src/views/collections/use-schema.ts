import { useService } from '../../parts/service.ts';
import { type Loaded, useLoad } from '../../use-load.ts';
import type { JsonObject } from '../../values/json.ts';

/** Wrapped in an object, because null means that nothing is loaded yet. */
interface FoundSchema {
  /** Null: the collection has no schema. */
  readonly schema: JsonObject | null;
}

/** Loads the JSON Schema of a collection. */
export function useSchema(collection: string): Loaded<FoundSchema> {
  const { collections } = useService().client.admin;
  return useLoad(
    ['schema', collection],
    async (signal): Promise<FoundSchema> => ({ schema: await collections.findSchema(collection, { signal }) }),
  );
}
