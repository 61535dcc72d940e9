import type { OpenSession } from '@baobab/client';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Age } from '../../parts/values.tsx';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';

const TEXTS = texts.users;

const clientOf = ({ client, current, id }: OpenSession) => (current ? TEXTS.current : (client ?? id));

export function Sessions({ username }: { readonly username: string }): ReactNode {
  const { users } = useService().client.admin;
  const loaded = useLoad(['sessions', username], (signal) => users.sessions(username, { signal }));
  const { isBusy, error, run } = useAction(loaded.reload);
  return (
    <Section title={TEXTS.sessions}>
      <Loading loaded={loaded}>
        {(sessions) =>
          sessions.length === 0 ? (
            <p className="muted">{TEXTS.noSessions}</p>
          ) : (
            <>
              <SmallTable
                label={TEXTS.sessions}
                heads={[TEXTS.client, TEXTS.network, TEXTS.began, TEXTS.lastUse, null]}
              >
                {sessions.map((session) => (
                  <tr key={session.id}>
                    <th scope="row">{clientOf(session)}</th>
                    <td>{session.network}</td>
                    <td>
                      <Age date={session.created} />
                    </td>
                    <td>
                      <Age date={session.lastUse} />
                    </td>
                    <td className="tools">
                      <RowAction
                        label={TEXTS.endSession(clientOf(session))}
                        isBusy={isBusy}
                        act={() => run(() => users.endSession(username, session.id))}
                      >
                        {TEXTS.end}
                      </RowAction>
                    </td>
                  </tr>
                ))}
              </SmallTable>
              <div>
                <Button disabled={isBusy} onClick={() => run(() => users.endSessions(username))}>
                  {TEXTS.endAll}
                </Button>
              </div>
            </>
          )
        }
      </Loading>
      <Failure error={error} />
    </Section>
  );
}
