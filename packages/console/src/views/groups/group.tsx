import type { Group } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { Members } from './members.tsx';

const TEXTS = texts.groups;

/** One group with its members. */
export function GroupView({ id }: { readonly id: string }): ReactNode {
  const { client } = useService();
  const load = useCallback((signal: AbortSignal) => client.groups.get(id, { signal }), [client, id]);
  const loaded = useLoad(load);
  const [isDeleting, setDeleting] = useState(false);
  const name = loaded.data?.name ?? id;
  return (
    <View
      title={name}
      parents={[[hrefOf(['groups']), TEXTS.title]]}
      actions={
        loaded.data !== null && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            {TEXTS.delete}
          </button>
        )
      }
    >
      <Loading loaded={loaded}>
        {(group) => (
          <>
            <CopyField label={TEXTS.id} about={TEXTS.idAbout} value={id} />
            <Rename key={group.name} group={group} onRenamed={loaded.reload} />
            <Members id={id} />
          </>
        )}
      </Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(name)}
          typed={name}
          act={() => client.groups.remove(id)}
          onDone={() => go(['groups'])}
          onClose={() => setDeleting(false)}
        />
      )}
    </View>
  );
}

function Rename({ group, onRenamed }: { readonly group: Group; readonly onRenamed: () => void }): ReactNode {
  const { client } = useService();
  const [name, setName] = useState(group.name);
  const { isBusy, error, run } = useAction();
  return (
    <>
      <form
        className="row"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await run(() => client.groups.rename(group.id, name))) onRenamed();
        }}
      >
        <Field label={texts.name} value={name} onChange={setName} required={true} autoComplete="off" />
        <button type="submit" disabled={isBusy || name === group.name}>
          {TEXTS.rename}
        </button>
      </form>
      <Failure error={error} />
    </>
  );
}
