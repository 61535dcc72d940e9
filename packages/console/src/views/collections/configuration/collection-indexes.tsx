import { type ReactNode, useCallback } from 'react';
import { IndexEditor } from '../../../parts/index-editor.tsx';
import { useService } from '../../../parts/service.ts';
import { texts } from '../../../texts.ts';

/** Indexes on paths of the content. */
export function CollectionIndexes({ collection }: { readonly collection: string }): ReactNode {
  const { collections } = useService().client.admin;
  const list = useCallback(
    (signal: AbortSignal) => collections.indexes(collection, { signal }),
    [collections, collection],
  );
  return (
    <IndexEditor
      {...texts.indexes.of.documents}
      list={list}
      create={(path) => collections.createIndex(collection, path)}
      remove={(path) => collections.removeIndex(collection, path)}
    />
  );
}
