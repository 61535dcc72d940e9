import type { ServerKey } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import { NewKey } from './new-key.tsx';

const TEXTS = texts.keys;

/** The keys with which other servers call. */
export function Keys(): ReactNode {
  const { keys } = useService().client.admin;
  const loaded = useLoad(useCallback((signal: AbortSignal) => keys.list({ signal }), [keys]));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<ServerKey | null>(null);
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
      <Loading loaded={loaded}>
        {(all) => (all.length === 0 ? <p>{TEXTS.none}</p> : <KeyTable keys={all} onDelete={setDeleting} />)}
      </Loading>
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
      {deleting !== null && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(deleting.name)}
          act={() => keys.remove(deleting.id)}
          onDone={() => {
            setDeleting(null);
            loaded.reload();
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </View>
  );
}

interface KeyTableProps {
  readonly keys: readonly ServerKey[];
  readonly onDelete: (key: ServerKey) => void;
}

const dateOrNever = (date: string | null) => (date === null ? TEXTS.never : dateText(date));

function KeyTable({ keys, onDelete }: KeyTableProps): ReactNode {
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
          <th scope="col">{texts.actions}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">{key.name}</th>
            <td>{key.role}</td>
            <td>
              <a href={hrefOf(['users', key.owner])}>{key.owner}</a>
            </td>
            <td>{dateText(key.created)}</td>
            <td>{dateOrNever(key.expires)}</td>
            <td>{dateOrNever(key.lastUse)}</td>
            <td>
              <button type="button" aria-label={TEXTS.deleteOf(key.name)} onClick={() => onDelete(key)}>
                {texts.remove}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
