import { type ReactNode, useCallback } from 'react';
import { ItemView } from '../../parts/item-view.tsx';
import { useService } from '../../parts/service.ts';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.keys;

export const dateOrNever = (date: string | null) => (date === null ? TEXTS.never : dateText(date));

/** An API key. */
export function KeyView({ id }: { readonly id: string }): ReactNode {
  const { keys } = useService().client.admin;
  const load = useCallback((signal: AbortSignal) => keys.get(id, { signal }), [keys, id]);
  const loaded = useLoad(load);
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
        onDone: () => go(['keys']),
      }}
    >
      {({ role, owner, created, expires, lastUse }) => (
        <dl>
          <dt>{TEXTS.role}</dt>
          <dd>{role}</dd>
          <dt>{TEXTS.owner}</dt>
          <dd>
            <a href={hrefOf(['users', owner])}>{owner}</a>
          </dd>
          <dt>{TEXTS.created}</dt>
          <dd>{dateText(created)}</dd>
          <dt>{TEXTS.expires}</dt>
          <dd>{dateOrNever(expires)}</dd>
          <dt>{TEXTS.lastUse}</dt>
          <dd>{dateOrNever(lastUse)}</dd>
        </dl>
      )}
    </ItemView>
  );
}
