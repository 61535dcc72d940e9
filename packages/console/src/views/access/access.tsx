import type { AccessList } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { Party } from '../../parts/party.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Age } from '../../parts/values.tsx';
import { Loading, Section, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { handlerOf } from '../webhooks/handler.ts';

const TEXTS = texts.access;

/** Everything that keeps access to the data of users, with links to the views that remove it. */
export function Access(): ReactNode {
  const { client } = useService();
  const loaded = useLoad(['access'], (signal) => client.admin.access({ signal }));
  return (
    <View title={TEXTS.title}>
      <p className="muted">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(access) => (
          <div className="stack loose">
            <Accounts access={access} />
            <Keys access={access} />
            <Webhooks access={access} />
            <Collections access={access} />
          </div>
        )}
      </Loading>
    </View>
  );
}

interface PartProps {
  readonly access: AccessList;
}

type Made = Pick<AccessList['accounts'][number], 'by' | 'at'>;

/** Cells with the actor and the time of an event, as far as they are known. */
function Origin({ made: { by, at } }: { readonly made: Made }): ReactNode {
  const unknown = <span className="muted">{TEXTS.unknown}</span>;
  return (
    <>
      <td>{by === null ? unknown : <Party party={by} />}</td>
      <td>{at === null ? unknown : <Age date={at} />}</td>
    </>
  );
}

const None = () => <p className="muted">{TEXTS.none}</p>;

function Accounts({ access: { accounts, more } }: PartProps): ReactNode {
  return (
    <Section title={TEXTS.accounts}>
      <SmallTable label={TEXTS.accounts} heads={[texts.name, TEXTS.role, TEXTS.by, TEXTS.given]}>
        {accounts.map((account) => (
          <tr key={account.id}>
            <th scope="row">
              <a href={hrefOf(['users', account.name])}>{account.name}</a>
            </th>
            <td>{account.role}</td>
            <Origin made={account} />
          </tr>
        ))}
      </SmallTable>
      {more && <p className="notice">{TEXTS.more}</p>}
    </Section>
  );
}

function Keys({ access: { keys } }: PartProps): ReactNode {
  const { title } = texts.keys;
  return (
    <Section title={title}>
      {keys.length === 0 ? (
        <None />
      ) : (
        <SmallTable label={title} heads={[texts.name, TEXTS.role, TEXTS.by, TEXTS.created]}>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <a href={hrefOf(['keys', key.id])}>{key.name}</a>
              </th>
              <td>{key.role}</td>
              <Origin made={key} />
            </tr>
          ))}
        </SmallTable>
      )}
    </Section>
  );
}

function Webhooks({ access: { webhooks } }: PartProps): ReactNode {
  const { title } = texts.webhooks;
  return (
    <Section title={title}>
      {webhooks.length === 0 ? (
        <None />
      ) : (
        <SmallTable
          label={title}
          heads={[TEXTS.target, texts.webhooks.collections, TEXTS.by, TEXTS.created, TEXTS.changed]}
        >
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row">
                <a href={hrefOf(['webhooks', webhook.id])}>{handlerOf(webhook.url) ?? webhook.url}</a>
              </th>
              <td>{webhook.collections.join(', ')}</td>
              <Origin made={webhook} />
              <td>
                {webhook.changedBy !== null && <Party party={webhook.changedBy} />}{' '}
                {webhook.changedAt !== null && <Age date={webhook.changedAt} />}
              </td>
            </tr>
          ))}
        </SmallTable>
      )}
    </Section>
  );
}

type OpenCollection = AccessList['collections'][number];

function permissionsOf({ rules, parent }: OpenCollection): string[] {
  const ruled = rules.map(({ action, role, if: filter }) => {
    const name = texts.rules.actions[action];
    return filter === null ? TEXTS.rule(name, role) : TEXTS.ruleIf(name, role, filter);
  });
  return parent === null ? ruled : [...ruled, TEXTS.inherited(parent)];
}

function Collections({ access: { collections } }: PartProps): ReactNode {
  return (
    <Section title={TEXTS.collections} about={TEXTS.collectionsAbout}>
      {collections.length === 0 ? (
        <None />
      ) : (
        <SmallTable label={TEXTS.collections} heads={[texts.name, TEXTS.permissions, TEXTS.by, TEXTS.changed]}>
          {collections.map((collection) => (
            <tr key={collection.name}>
              <th scope="row">
                <a href={hrefOf(['collections', collection.name])}>{collection.name}</a>
              </th>
              <td>
                <ul>
                  {permissionsOf(collection).map((permission) => (
                    <li key={permission}>{permission}</li>
                  ))}
                </ul>
              </td>
              <Origin made={collection} />
            </tr>
          ))}
        </SmallTable>
      )}
    </Section>
  );
}
