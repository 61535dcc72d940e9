import type { CollectionInfo } from '@baobab/client/admin';
import { lazy, type ReactNode, useCallback } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { go, goInstead, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, numberText } from '../../values/format.ts';
import { NewCollection } from './new-collection.tsx';

const TEXTS = texts.collections;

const Configuration = lazy(async () => ({
  default: (await import('./configuration/configuration.tsx')).Configuration,
}));
const Documents = lazy(async () => ({ default: (await import('./documents.tsx')).Documents }));
const DocumentView = lazy(async () => ({ default: (await import('./document.tsx')).DocumentView }));
/** Path segment that cannot be the id of a document. */
const CONFIGURATION = 'configuration';

/** The list of collections; the documents or the configuration of one; or one document. */
export function Collections({ place }: ViewOfPlaceProps): ReactNode {
  const [, name, id] = place.path;
  if (name === undefined) return <CollectionList isCreating={place.query.new === 'on'} />;
  if (id === CONFIGURATION) return <Configuration key={name} collection={name} />;
  if (id !== undefined) return <DocumentView key={`${name} ${id}`} collection={name} id={id} />;
  const { where = '', order = '', live } = place.query;
  return <Documents key={name} collection={name} where={where} order={order} isLive={live === 'on'} />;
}

/** @param isCreating true if the dialog for a new collection is open */
function CollectionList({ isCreating }: { readonly isCreating: boolean }): ReactNode {
  const { client } = useService();
  const loaded = useLoad(useCallback((signal: AbortSignal) => client.admin.collections.names({ signal }), [client]));
  // Loaded separately from the names, because the server counts every document.
  const counted = useLoad(useCallback((signal: AbortSignal) => client.admin.collections.list({ signal }), [client]));
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => go(['collections'], { new: 'on' })}>
          {TEXTS.create}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {(names) =>
          names.length === 0 ? <p>{TEXTS.none}</p> : <CollectionTable names={names} counted={counted.data ?? []} />
        }
      </Loading>
      {isCreating && <NewCollection onClose={() => goInstead(['collections'])} />}
    </View>
  );
}

interface CollectionTableProps {
  readonly names: readonly string[];
  /** The same collections once they are counted. */
  readonly counted: readonly CollectionInfo[];
}

function CollectionTable({ names, counted }: CollectionTableProps): ReactNode {
  const sizes = new Map(counted.map((collection) => [collection.name, collection]));
  const shown = names.map((name) => ({ name, counts: sizes.get(name) }));
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{TEXTS.documents}</th>
          <th scope="col">{TEXTS.size}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ name, counts }) => (
          <tr key={name}>
            <th scope="row">
              <a href={hrefOf(['collections', name])}>{name}</a>
            </th>
            <td className="number">{counts === undefined ? '…' : numberText(counts.records)}</td>
            <td className="number">{counts === undefined ? '…' : bytesText(counts.size)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
