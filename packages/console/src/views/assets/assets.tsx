import type { Asset } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Search } from '../../parts/search.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, Table, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { bytesText, dateText } from '../../values/format.ts';
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

function AssetList({ find }: { readonly find: string }): ReactNode {
  const { client } = useService();
  const [isCreating, setCreating] = useState(false);
  const query = useCallback(() => {
    const all = client.admin.assets.query();
    return (find === '' ? all : all.whereField('name', 'like', beginsWith(find))).orderBy('name');
  }, [client, find]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setCreating(true)}>
          {TEXTS.create}
        </button>
      }
    >
      <Search
        label={TEXTS.find}
        submit={TEXTS.apply}
        value={find}
        onSearch={(text) => go(['assets'], { find: text })}
      />
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? <p>{TEXTS.none}</p> : <AssetTable assets={rows} />}
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
      {isCreating && <NewAsset onClose={() => setCreating(false)} onCreated={(name) => go(['assets', name])} />}
    </View>
  );
}

function AssetTable({ assets }: { readonly assets: readonly Asset[] }): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{TEXTS.kind}</th>
          <th scope="col" className="number">
            {TEXTS.size}
          </th>
          <th scope="col">{TEXTS.author}</th>
          <th scope="col">{TEXTS.created}</th>
        </tr>
      </thead>
      <tbody>
        {assets.map(({ id, name, contentType, contentLength, _author, _creation_date }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf(['assets', name])}>{name}</a>
            </th>
            <td>{contentType ?? TEXTS.object}</td>
            <td className="number">{contentLength === undefined ? '' : bytesText(contentLength)}</td>
            <td>{_author}</td>
            <td>{dateText(_creation_date)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
