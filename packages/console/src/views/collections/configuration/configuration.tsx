import type { ReactNode } from 'react';
import { View } from '../../../parts/view.tsx';
import { hrefOf } from '../../../place.ts';
import { texts } from '../../../texts.ts';
import { CollectionIndexes } from './collection-indexes.tsx';
import { RulesEditor } from './rules-editor.tsx';
import { SchemaEditor } from './schema-editor.tsx';

/** Configuration of a collection: its rules, schema and indexes. */
export function Configuration({ collection }: { readonly collection: string }): ReactNode {
  return (
    <View
      title={texts.collections.configuration}
      parents={[
        [hrefOf(['collections']), texts.collections.title],
        [hrefOf(['collections', collection]), collection],
      ]}
    >
      <RulesEditor collection={collection} />
      <SchemaEditor collection={collection} />
      <CollectionIndexes collection={collection} />
    </View>
  );
}
