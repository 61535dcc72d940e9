import type { PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Age } from '../../parts/values.tsx';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';

const TEXTS = texts.userDetails.access;

interface Way {
  readonly name: string;
  readonly detail: ReactNode;
  remove(presence: PresenceOptions): Promise<void>;
}

/** Passkeys and social networks with which a user can log in, and the way to lock a thief out. */
export function AccountAccess({ username }: { readonly username: string }): ReactNode {
  const { users } = useService().client.admin;
  const loaded = useLoad(['access', username], (signal) => users.access(username, { signal }));
  const { isBusy, error, field, run } = useFreshAction(loaded.reload);
  const [isSecuring, setSecuring] = useState(false);

  return (
    <Section title={TEXTS.title}>
      <Loading loaded={loaded}>
        {({ email, email_verified, passkeys, networks }) => {
          const ways: Way[] = [
            ...passkeys.map(({ id, name, created }) => ({
              name: TEXTS.passkey(name),
              detail: <Age date={created} />,
              remove: (presence: PresenceOptions) => users.removePasskey(username, id, presence),
            })),
            ...networks.map(({ network, id }) => ({
              name: TEXTS.network(network),
              detail: id,
              remove: (presence: PresenceOptions) => users.unlink(username, network, presence),
            })),
          ];
          return (
            <>
              <p className="muted">{email === null ? TEXTS.noAddress : TEXTS.address(email, email_verified)}</p>
              {ways.length === 0 ? (
                <p className="muted">{TEXTS.none}</p>
              ) : (
                <SmallTable label={TEXTS.title} heads={[TEXTS.way, TEXTS.detail, null]}>
                  {ways.map(({ name, detail, remove }) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td>{detail}</td>
                      <td className="tools">
                        <RowAction label={TEXTS.removeOf(name)} isBusy={isBusy} act={() => run(remove)}>
                          {texts.remove}
                        </RowAction>
                      </td>
                    </tr>
                  ))}
                </SmallTable>
              )}
            </>
          );
        }}
      </Loading>
      {field}
      <Failure error={error} />
      <div>
        <Button kind="danger" onClick={() => setSecuring(true)}>
          {TEXTS.secure}
        </Button>
      </div>
      {isSecuring && (
        <Confirm
          title={TEXTS.secure}
          about={TEXTS.secureAbout}
          act={async (presence) => {
            const { mail } = await users.secure(username, presence);
            toast(TEXTS.secured[mail]);
          }}
          onDone={() => {
            setSecuring(false);
            loaded.reload();
          }}
          onClose={() => setSecuring(false)}
        />
      )}
    </Section>
  );
}
