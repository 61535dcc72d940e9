import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { ItemView } from '../../parts/item-view.tsx';
import { useService } from '../../parts/service.ts';
import { Age } from '../../parts/values.tsx';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';

const TEXTS = texts.keys;

export const AgeOrNever = ({ date }: { readonly date: string | null }): ReactNode =>
  date === null ? <span className="muted">{TEXTS.never}</span> : <Age date={date} />;

/** An API key. */
export function KeyView({ id }: { readonly id: string }): ReactNode {
  const { keys } = useService().client.admin;
  const goInstead = useGoInstead();
  const loaded = useLoad(['keys', id], (signal) => keys.get(id, { signal }));
  const name = loaded.data?.name ?? id;
  return (
    <ItemView
      title={name}
      parent={[hrefOf(['keys']), TEXTS.title]}
      loaded={loaded}
      deletion={{
        title: TEXTS.delete,
        about: TEXTS.deleteAbout(name),
        act: () => keys.remove(id),
        onDone: () => goInstead(['keys']),
      }}
    >
      {({ role, owner, created, expires, lastUse }) => (
        <dl className="facts">
          <dt>{TEXTS.role}</dt>
          <dd>{role}</dd>
          <dt>{TEXTS.owner}</dt>
          <dd>
            <a href={hrefOf(['users', owner])}>{owner}</a>
          </dd>
          <dt>{TEXTS.created}</dt>
          <dd>
            <Age date={created} />
          </dd>
          <dt>{TEXTS.expires}</dt>
          <dd>
            <AgeOrNever date={expires} />
          </dd>
          <dt>{TEXTS.lastUse}</dt>
          <dd>
            <AgeOrNever date={lastUse} />
          </dd>
        </dl>
      )}
    </ItemView>
  );
}
