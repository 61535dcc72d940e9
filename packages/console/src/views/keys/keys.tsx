import type { ServerKey } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { dateOrNever, KeyView } from './key.tsx';
import { NewKey } from './new-key.tsx';

const TEXTS = texts.keys;

/** The list of API keys, or one of them. */
export function Keys({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  return id === undefined ? <KeyList /> : <KeyView key={id} id={id} />;
}

function KeyList(): ReactNode {
  const { keys } = useService().client.admin;
  const loaded = useLoad(useCallback((signal: AbortSignal) => keys.list({ signal }), [keys]));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setCreating(true)}>
          {TEXTS.create}
        </button>
      }
    >
      <p className="dim">{TEXTS.about}</p>
      <Loading loaded={loaded}>{(all) => (all.length === 0 ? <p>{TEXTS.none}</p> : <KeyTable keys={all} />)}</Loading>
      {isCreating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={(text) => {
            setCreating(false);
            setCreated(text);
            loaded.reload();
          }}
        />
      )}
      {created !== null && (
        <Once title={TEXTS.newKey} label={TEXTS.key} value={created} onClose={() => setCreated(null)} />
      )}
    </View>
  );
}

function KeyTable({ keys }: { readonly keys: readonly ServerKey[] }): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{TEXTS.role}</th>
          <th scope="col">{TEXTS.owner}</th>
          <th scope="col">{TEXTS.created}</th>
          <th scope="col">{TEXTS.expires}</th>
          <th scope="col">{TEXTS.lastUse}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              <a href={hrefOf(['keys', key.id])}>{key.name}</a>
            </th>
            <td>{key.role}</td>
            <td>
              <a href={hrefOf(['users', key.owner])}>{key.owner}</a>
            </td>
            <td>{dateText(key.created)}</td>
            <td>{dateOrNever(key.expires)}</td>
            <td>{dateOrNever(key.lastUse)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
