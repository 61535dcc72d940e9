import type { AuditParty } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { hrefOf } from '../address.ts';
import { texts } from '../texts.ts';
import { ownOf } from '../values/own.ts';

/** Views of event targets, by kind. */
const VIEWS: Readonly<Record<string, string>> = { key: 'keys', webhook: 'webhooks', collection: 'collections' };

/** Users are linked by id: the name at the time of the event may belong to another user now. */
export function Party({ party: { kind, id, name } }: { readonly party: AuditParty }): ReactNode {
  if (kind === 'anonymous') return <span className="muted">{texts.audit.anonymous}</span>;
  if (kind === 'operator') return <span className="muted">{texts.audit.operator}</span>;
  if (kind === 'user' && id !== null) return <a href={hrefOf(['users'], { where: `id = '${id}'` })}>{name ?? id}</a>;
  const view = ownOf(VIEWS, kind);
  if (view !== undefined && id !== null) return <a href={hrefOf([view, id])}>{name ?? id}</a>;
  return (
    <span>
      {name ?? id} <span className="muted">{kind}</span>
    </span>
  );
}
