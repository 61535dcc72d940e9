import type { CollectionInfo } from '@baobab/client/admin';
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { lazyView } from '../../parts/boundary.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, numberText } from '../../values/format.ts';
import { PARTS } from './collection-tabs.tsx';
import { NewCollection } from './new-collection.tsx';

const TEXTS = texts.collections;

const Configuration = lazyView(async () => (await import('./configuration/configuration.tsx')).Configuration);
const Documents = lazyView(async () => (await import('./documents.tsx')).Documents);
/** The list of collections; the documents or another part of one. */
export function Collections({ place }: ViewOfPlaceProps): ReactNode {
  const [, name, id] = place.path;
  const { search = '', where = '', order = '', live } = place.query;
  const isCreating = place.query.new === 'on';
  if (name === undefined) return <CollectionList isCreating={isCreating} />;
  const part = PARTS.find((one) => one === id);
  if (part !== undefined) return <Configuration key={name} collection={name} part={part} />;
  return (
    <Documents
      key={name}
      collection={name}
      open={id}
      search={search}
      where={where}
      order={order}
      isLive={live === 'on'}
      isCreating={isCreating}
    />
  );
}

interface Listed {
  readonly name: string;
  /** Undefined until the server has counted them. */
  readonly counts: CollectionInfo | undefined;
}

const COLUMNS: readonly Column<Listed>[] = [
  {
    id: 'name',
    title: texts.name,
    cell: ({ name }) => <a href={hrefOf(['collections', name])}>{name}</a>,
  },
  {
    id: 'documents',
    title: TEXTS.documents,
    isNumber: true,
    cell: ({ counts }) => (counts === undefined ? '…' : numberText(counts.records)),
  },
  {
    id: 'size',
    title: TEXTS.size,
    isNumber: true,
    cell: ({ counts }) => (counts === undefined ? '…' : bytesText(counts.size)),
  },
];

/** @param isCreating true if the dialog for a new collection is open */
function CollectionList({ isCreating }: { readonly isCreating: boolean }): ReactNode {
  const { client } = useService();
  const store = useQueryClient();
  const loaded = useLoad(['collections', 'names'], (signal) => client.admin.collections.names({ signal }));
  // Loaded separately from the names, because the server reads documents for the sizes.
  const counted = useLoad(['collections', 'counts'], (signal) => client.admin.collections.list({ signal }));
  const sizes = new Map(counted.data?.map((collection) => [collection.name, collection]));
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => go(['collections'], { new: 'on' })}>
      {TEXTS.create}
    </Button>
  );
  return (
    <View title={TEXTS.title} isFull={true} actions={create}>
      <Loading loaded={loaded}>
        {(names) =>
          names.length === 0 ? (
            <EmptyList texts={TEXTS} onCreate={() => go(['collections'], { new: 'on' })} />
          ) : (
            <DataTable
              label={TEXTS.title}
              name="collections"
              columns={COLUMNS}
              rows={names.map((name): Listed => ({ name, counts: sizes.get(name) }))}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loading>
      {isCreating && (
        <NewCollection
          onClose={() => go(['collections'])}
          onCreated={() => void store.invalidateQueries({ queryKey: ['collections'] })}
        />
      )}
    </View>
  );
}
