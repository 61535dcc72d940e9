import type { Group } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { CopyField } from '../../parts/copy.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { ItemView } from '../../parts/item-view.tsx';
import { useService } from '../../parts/service.ts';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { Members } from './members.tsx';

const TEXTS = texts.groups;

/** A group with its members. */
export function GroupView({ id }: { readonly id: string }): ReactNode {
  const { client } = useService();
  const load = useCallback((signal: AbortSignal) => client.groups.get(id, { signal }), [client, id]);
  const loaded = useLoad(load);
  const name = loaded.data?.name ?? id;
  return (
    <ItemView
      title={name}
      parent={[hrefOf(['groups']), TEXTS.title]}
      loaded={loaded}
      deletion={{
        title: TEXTS.delete,
        about: TEXTS.deleteAbout(name),
        typed: name,
        act: () => client.groups.remove(id),
        onDone: () => go(['groups']),
      }}
    >
      {(group) => (
        <>
          <CopyField label={TEXTS.id} about={TEXTS.idAbout} value={id} />
          <Rename key={group.name} group={group} onRenamed={loaded.reload} />
          <Members id={id} />
        </>
      )}
    </ItemView>
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
