import type { CollectionInfo } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { bytesText } from '../../values/format.ts';
import { DocumentView } from './document.tsx';
import { Documents } from './documents.tsx';

const TEXTS = texts.collections;

/** The collections, the documents of one, or one document. */
export function Collections({ place }: ViewOfPlaceProps): ReactNode {
  const [, name, id] = place.path;
  if (name === undefined) return <CollectionList />;
  if (id !== undefined) return <DocumentView key={`${name} ${id}`} collection={name} id={id} />;
  const { where = '', order = '' } = place.query;
  return <Documents key={name} collection={name} where={where} order={order} />;
}

function CollectionList(): ReactNode {
  const { client } = useService();
  const load = useCallback((signal: AbortSignal) => client.admin.collections.list({ signal }), [client]);
  const loaded = useLoad(load);
  const [isCreating, setCreating] = useState(false);
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setCreating(true)}>
          {TEXTS.create}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {(collections) =>
          collections.length === 0 ? <p>{TEXTS.none}</p> : <CollectionTable collections={collections} />
        }
      </Loading>
      {isCreating && <NewCollection onClose={() => setCreating(false)} />}
    </View>
  );
}

function CollectionTable({ collections }: { readonly collections: readonly CollectionInfo[] }): ReactNode {
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
        {collections.map(({ name, records, size }) => (
          <tr key={name}>
            <th scope="row">
              <a href={hrefOf(['collections', name])}>{name}</a>
            </th>
            <td className="number">{records.toLocaleString('en')}</td>
            <td className="number">{bytesText(size)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function NewCollection({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useService();
  const [name, setName] = useState('');
  const { isBusy, error, run } = useAction();
  return (
    <Dialog title={TEXTS.create} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (await run(() => client.admin.collections.create(name))) go(['collections', name]);
        }}
      >
        <Field label={texts.name} value={name} onChange={setName} required={true} autoComplete="off" />
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={isBusy}>
            {texts.create}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
