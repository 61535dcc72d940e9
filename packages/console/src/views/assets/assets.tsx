import type { Asset } from '@baobab/client';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Search } from '../../parts/search.tsx';
import { useService } from '../../parts/service.ts';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { bytesText } from '../../values/format.ts';
import { beginsWith } from '../../values/patterns.ts';
import { AssetView } from './asset.tsx';
import { NewAsset } from './new-asset.tsx';

const TEXTS = texts.assets;

/** The list of assets, or one of them. */
export function Assets({ place }: ViewOfPlaceProps): ReactNode {
  const [, name] = place.path;
  if (name !== undefined) return <AssetView key={name} name={name} />;
  const { find = '' } = place.query;
  return <AssetList find={find} />;
}

/** Side of thumbnails in pixels, for dense displays. */
const SIDE = 48;

function NameCell({ asset: { id, name, contentType = '' } }: { readonly asset: Asset }): ReactNode {
  const { client } = useService();
  const load = (_size: string, signal: AbortSignal) =>
    client.assets.download(name, { size: { width: SIDE, height: SIDE }, signal });
  return (
    <>
      <Thumbnail file={{ id, contentType, load }} place="cell" />
      <a href={hrefOf(['assets', name])} title={name}>
        {name}
      </a>
    </>
  );
}

const COLUMNS: readonly Column<Asset>[] = [
  { id: 'name', title: texts.name, cell: (asset) => <NameCell asset={asset} />, width: 300 },
  { id: 'kind', title: TEXTS.kind, cell: ({ contentType }) => contentType ?? TEXTS.object },
  {
    id: 'size',
    title: TEXTS.size,
    isNumber: true,
    cell: ({ contentLength }) => (contentLength === undefined ? '' : bytesText(contentLength)),
  },
  { id: 'author', title: TEXTS.author, width: 140, cell: ({ _author }) => _author },
  { id: 'created', title: TEXTS.created, width: 140, cell: ({ _creation_date }) => <Age date={_creation_date} /> },
];

function AssetList({ find }: { readonly find: string }): ReactNode {
  const { client } = useService();
  const [isCreating, setCreating] = useState(false);
  const pages = usePages(['assets', find], () => {
    const all = client.admin.assets.query();
    return (find === '' ? all : all.whereField('name', 'like', beginsWith(find))).orderBy('name');
  });
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {TEXTS.create}
    </Button>
  );
  return (
    <View title={TEXTS.title} isFull={true} actions={create}>
      <Search label={TEXTS.find} value={find} onSearch={(text) => go(['assets'], { find: text })} />
      <Loading loaded={pages.loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyList
              texts={TEXTS}
              onClear={find === '' ? null : () => go(['assets'])}
              onCreate={() => setCreating(true)}
            />
          ) : (
            <DataTable label={TEXTS.title} name="assets" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loading>
      <Pager pages={pages} />
      {isCreating && <NewAsset onClose={() => setCreating(false)} />}
    </View>
  );
}
