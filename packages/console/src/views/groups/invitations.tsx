import type { InvitationOptions, NewInvitation } from '@baobab/client';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Once } from '../../parts/once.tsx';
import { Pager } from '../../parts/pager.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { type Pages, usePagesOf } from '../../parts/use-pages.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { numberText } from '../../values/format.ts';

const TEXTS = texts.groups.invitations;
const ROLES = (['member', 'manager'] as const).map((role) => [role, texts.groups.roles[role]] as const);
const SECONDS_PER_DAY = 86_400;

/** Users who were invited to a group, and the codes with which others can join it. */
export function Invitations({ id }: { readonly id: string }): ReactNode {
  const { groups } = useService().client;
  const codes = usePagesOf(['codes', id], (cursor, signal) => groups.codes(id).page(cursor, { signal }));
  const users = usePagesOf(['invited', id], (cursor, signal) => groups.invited(id).page(cursor, { signal }));
  const [isInviting, setInviting] = useState(false);
  const [made, setMade] = useState<NewInvitation | null>(null);
  const { isBusy, error, run } = useAction();
  const end = async (pages: Pages<unknown>, work: () => Promise<unknown>) => {
    if (await run(work)) pages.loaded.reload();
  };
  const withdraw = (name: string, act: () => Promise<void>) => (
    <td className="tools">
      <RowAction label={TEXTS.withdrawOf(name)} isBusy={isBusy} act={act}>
        {TEXTS.withdraw}
      </RowAction>
    </td>
  );
  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <Loading loaded={users.loaded}>
        {({ rows }) =>
          rows.length > 0 && (
            <SmallTable label={TEXTS.users} heads={[texts.groups.username, texts.groups.role, TEXTS.by, null]}>
              {rows.map(({ name, role, invited_by }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{texts.groups.roles[role]}</td>
                  <td>{invited_by}</td>
                  {withdraw(name, () => end(users, () => groups.removeMember(id, name)))}
                </tr>
              ))}
            </SmallTable>
          )
        }
      </Loading>
      <Pager pages={users} />
      <Loading loaded={codes.loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="muted">{TEXTS.none}</p>
          ) : (
            <SmallTable
              label={TEXTS.codes}
              heads={[texts.groups.role, TEXTS.email, [TEXTS.uses], TEXTS.expires, TEXTS.by, null]}
            >
              {rows.map((code) => (
                <tr key={code.id}>
                  <th scope="row">{texts.groups.roles[code.role]}</th>
                  <td>{code.email ?? TEXTS.anybody}</td>
                  <td className="number">{numberText(code.uses)}</td>
                  <td>
                    <Age date={code.expires} />
                  </td>
                  <td>{code.invited_by}</td>
                  {withdraw(code.email ?? code.id, () => end(codes, () => groups.endCode(id, code.id)))}
                </tr>
              ))}
            </SmallTable>
          )
        }
      </Loading>
      <Pager pages={codes} />
      <Failure error={error} />
      <div>
        <Button icon={Plus} onClick={() => setInviting(true)}>
          {TEXTS.create}
        </Button>
      </div>
      {isInviting && (
        <NewInvitationDialog
          id={id}
          onClose={() => setInviting(false)}
          onCreated={(invitation) => {
            setInviting(false);
            setMade(invitation);
            codes.loaded.reload();
          }}
        />
      )}
      {made !== null && (
        <Once
          title={TEXTS.create}
          label={made.url === null ? TEXTS.code : TEXTS.link}
          value={made.url ?? made.code}
          onClose={() => setMade(null)}
        />
      )}
    </Section>
  );
}

interface NewInvitationProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onCreated: (invitation: NewInvitation) => void;
}

function NewInvitationDialog({ id, onClose, onCreated }: NewInvitationProps): ReactNode {
  const { groups } = useService().client;
  const [role, setRole] = useState<'member' | 'manager'>('member');
  const [email, setEmail] = useState('');
  const [uses, setUses] = useState('1');
  const [days, setDays] = useState('7');
  const { isBusy, error, run } = useAction();
  const invitation: InvitationOptions = {
    role,
    uses: Number(uses),
    expires: Number(days) * SECONDS_PER_DAY,
    ...(email !== '' && { email }),
  };
  return (
    <FormDialog
      title={TEXTS.create}
      submit={texts.create}
      isDisabled={isBusy}
      onClose={onClose}
      onSubmit={() => run(async () => onCreated(await groups.invite(id, invitation)))}
    >
      <Select label={texts.groups.role} value={role} onChange={setRole} options={ROLES} />
      <Field label={TEXTS.email} about={TEXTS.emailAbout} type="email" value={email} onChange={setEmail} />
      <Field label={TEXTS.uses} type="number" value={uses} onChange={setUses} required={true} />
      <Field label={TEXTS.days} type="number" value={days} onChange={setDays} required={true} />
      <Failure error={error} />
    </FormDialog>
  );
}
