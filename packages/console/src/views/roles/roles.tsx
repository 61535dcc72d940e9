import type { Role } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Table, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { RoleForm } from './role-form.tsx';

const TEXTS = texts.roles;

type Shown = { readonly dialog: 'create' } | { readonly dialog: 'edit' | 'delete'; readonly role: Role };

/** Roles of users. */
export function Roles(): ReactNode {
  const { roles } = useService().client.admin;
  const loaded = useLoad(useCallback((signal: AbortSignal) => roles.list({ signal }), [roles]));
  const [shown, setShown] = useState<Shown | null>(null);
  const close = () => setShown(null);
  const done = () => {
    close();
    loaded.reload();
  };
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setShown({ dialog: 'create' })}>
          {TEXTS.create}
        </button>
      }
    >
      <p className="dim">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(all) => <RoleTable roles={all} onShow={(dialog, role) => setShown({ dialog, role })} />}
      </Loading>
      {shown?.dialog === 'create' && <RoleForm existing={null} onDone={done} onClose={close} />}
      {shown?.dialog === 'edit' && <RoleForm existing={shown.role} onDone={done} onClose={close} />}
      {shown?.dialog === 'delete' && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(shown.role.name)}
          typed={shown.role.name}
          act={() => roles.remove(shown.role.name)}
          onDone={done}
          onClose={close}
        />
      )}
    </View>
  );
}

interface RoleTableProps {
  readonly roles: readonly Role[];
  readonly onShow: (dialog: 'edit' | 'delete', role: Role) => void;
}

function RoleTable({ roles, onShow }: RoleTableProps): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.name}</th>
          <th scope="col">{TEXTS.description}</th>
          <th scope="col">{texts.actions}</th>
        </tr>
      </thead>
      <tbody>
        {roles.map((role) => (
          <tr key={role.name}>
            <th scope="row">
              {role.name} {role.internal && <span className="dim">({TEXTS.builtIn})</span>}
            </th>
            <td>{role.description}</td>
            <td>
              {!role.internal && (
                <div className="row">
                  <button type="button" aria-label={TEXTS.editOf(role.name)} onClick={() => onShow('edit', role)}>
                    {TEXTS.edit}
                  </button>
                  <button
                    type="button"
                    className="danger"
                    aria-label={TEXTS.deleteOf(role.name)}
                    onClick={() => onShow('delete', role)}
                  >
                    {texts.remove}
                  </button>
                </div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
