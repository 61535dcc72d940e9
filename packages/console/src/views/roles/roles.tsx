import type { Role } from '@baobab/client/admin';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { RoleForm } from './role-form.tsx';

const TEXTS = texts.roles;

type Shown = { readonly dialog: 'create' } | { readonly dialog: 'edit' | 'delete'; readonly role: Role };

/** Roles of users. */
export function Roles(): ReactNode {
  const { roles } = useService().client.admin;
  const loaded = useLoad(['roles'], (signal) => roles.list({ signal }));
  const [shown, setShown] = useState<Shown | null>(null);
  const close = () => setShown(null);
  const done = () => {
    close();
    loaded.reload();
  };
  return (
    <View
      title={TEXTS.title}
      isFull={true}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setShown({ dialog: 'create' })}>
          {TEXTS.create}
        </Button>
      }
    >
      <p className="muted">{TEXTS.about}</p>
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

const COLUMNS: readonly Column<Role>[] = [
  {
    id: 'name',
    title: texts.name,
    cell: ({ name, internal }) => (
      <>
        {name} {internal && <Badge>{TEXTS.builtIn}</Badge>}
      </>
    ),
  },
  { id: 'description', title: TEXTS.description, width: 480, cell: ({ description }) => description },
];

function RoleTable({ roles, onShow }: RoleTableProps): ReactNode {
  return (
    <DataTable
      label={TEXTS.title}
      name="roles"
      columns={COLUMNS}
      rows={roles}
      keyOf={({ name }) => name}
      menuLabelOf={({ name }) => TEXTS.menuOf(name)}
      menuOf={(role) =>
        role.internal
          ? []
          : [
              { text: TEXTS.edit, icon: Pencil, act: () => onShow('edit', role) },
              { text: TEXTS.delete, icon: Trash2, isDanger: true, act: () => onShow('delete', role) },
            ]
      }
    />
  );
}
