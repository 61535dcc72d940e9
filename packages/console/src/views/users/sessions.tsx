import type { OpenSession } from '@baobab/client';
import { type ReactNode, useCallback } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.users;

const clientOf = ({ client, current, id }: OpenSession) => (current ? TEXTS.current : (client ?? id));

export function Sessions({ username }: { readonly username: string }): ReactNode {
  const { users } = useService().client.admin;
  const load = useCallback((signal: AbortSignal) => users.sessions(username, { signal }), [users, username]);
  const loaded = useLoad(load);
  const { isBusy, error, run } = useAction();
  const act = async (work: () => Promise<unknown>) => {
    if (await run(work)) loaded.reload();
  };
  return (
    <section className="card" aria-label={TEXTS.sessions}>
      <h2>{TEXTS.sessions}</h2>
      <Loading loaded={loaded}>
        {(sessions) =>
          sessions.length === 0 ? (
            <p>{TEXTS.noSessions}</p>
          ) : (
            <>
              <Table label={TEXTS.sessions}>
                <thead>
                  <tr>
                    <th scope="col">{TEXTS.client}</th>
                    <th scope="col">{TEXTS.network}</th>
                    <th scope="col">{TEXTS.began}</th>
                    <th scope="col">{TEXTS.lastUse}</th>
                    <th scope="col">{texts.actions}</th>
                  </tr>
                </thead>
                <tbody>
                  {sessions.map((session) => (
                    <tr key={session.id}>
                      <td>{clientOf(session)}</td>
                      <td>{session.network}</td>
                      <td>{dateText(session.created)}</td>
                      <td>{dateText(session.lastUse)}</td>
                      <td>
                        <button
                          type="button"
                          disabled={isBusy}
                          aria-label={TEXTS.endSession(clientOf(session))}
                          onClick={() => act(() => users.endSession(username, session.id))}
                        >
                          {TEXTS.end}
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
              <button type="button" disabled={isBusy} onClick={() => act(() => users.endSessions(username))}>
                {TEXTS.endAll}
              </button>
            </>
          )
        }
      </Loading>
      <Failure error={error} />
    </section>
  );
}
