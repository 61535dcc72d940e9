import type { Group } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { ItemView } from '../../parts/item-view.tsx';
import { useService } from '../../parts/service.ts';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';

const TEXTS = texts.groups;

/** A group with its members. */
export function GroupView({ id }: { readonly id: string }): ReactNode {
  const { client } = useService();
  const goInstead = useGoInstead();
  const loaded = useLoad(['groups', 'one', id], (signal) => client.groups.get(id, { signal }));
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
        onDone: () => goInstead(['groups']),
      }}
    >
      {(group) => (
        <div className="stack loose">
          <CopyField label={TEXTS.id} about={TEXTS.idAbout} value={id} />
          <Rename key={group.name} group={group} onRenamed={loaded.reload} />
          <Members id={id} />
          <Invitations id={id} />
        </div>
      )}
    </ItemView>
  );
}

function Rename({ group, onRenamed }: { readonly group: Group; readonly onRenamed: () => void }): ReactNode {
  const { client } = useService();
  const [name, setName] = useState(group.name);
  const { isBusy, error, run } = useAction(onRenamed);
  return (
    <>
      <form
        className="row bottom"
        onSubmit={(event) => {
          event.preventDefault();
          return run(() => client.groups.rename(group.id, name));
        }}
      >
        <Field label={texts.name} value={name} onChange={setName} required={true} autoComplete="off" />
        <Button type="submit" disabled={isBusy || name === group.name}>
          {TEXTS.rename}
        </Button>
      </form>
      <Failure error={error} />
    </>
  );
}
