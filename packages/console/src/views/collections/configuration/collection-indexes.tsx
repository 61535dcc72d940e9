import type { ReactNode } from 'react';
import { IndexEditor } from '../../../parts/index-editor.tsx';
import { useService } from '../../../parts/service.ts';
import { texts } from '../../../texts.ts';
import { CollectionSearch } from './collection-search.tsx';

/** Indexes on paths of the content, and full-text search. */
export function CollectionIndexes({ collection }: { readonly collection: string }): ReactNode {
  const { collections } = useService().client.admin;
  return (
    <div className="stack loose">
      <IndexEditor
        {...texts.indexes.of.documents}
        of={collection}
        list={(signal) => collections.indexes(collection, { signal })}
        canBeUnique={true}
        create={(path, isUnique) => collections.createIndex(collection, path, isUnique ? { unique: true } : {})}
        remove={(path) => collections.removeIndex(collection, path)}
      />
      <CollectionSearch collection={collection} />
    </div>
  );
}
