import { useService } from '../../parts/service.ts';
import { useLoad } from '../../use-load.ts';
import { pathsOf } from '../../values/completion.ts';
import { contentOf } from '../../values/documents.ts';
import { pathsIn } from '../../values/schema-fields.ts';

const SAMPLE = 50;

/** Returns the paths of fields to suggest: those in the schema, then those in some documents. */
export function usePaths(collection: string): readonly string[] {
  const { client } = useService();
  const { data } = useLoad(['paths', collection], async (signal) => {
    const [schema, { rows }] = await Promise.all([
      client.admin.collections.findSchema(collection, { signal }),
      client.collection(collection).query().pageSize(SAMPLE).page(null, { signal }),
    ]);
    return [...new Set([...(schema === null ? [] : pathsIn(schema)), ...pathsOf(rows.map(contentOf))])];
  });
  return data ?? [];
}
