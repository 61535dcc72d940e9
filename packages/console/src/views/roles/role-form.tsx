import type { Role } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.roles;

interface RoleFormProps {
  /** The role to edit; null: a new one. */
  readonly existing: Role | null;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Creates or edits a role. Built-in roles cannot be renamed. */
export function RoleForm({ existing: role, onDone, onClose }: RoleFormProps): ReactNode {
  const { roles } = useService().client.admin;
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const { isBusy, error, run } = useAction(onDone);
  const save = () =>
    role === null
      ? roles.create(name, { description })
      : roles.update(role.name, {
          ...(description !== (role.description ?? '') && { description }),
          ...(name !== role.name && { name }),
        });
  return (
    <FormDialog
      title={role === null ? TEXTS.create : TEXTS.editOf(role.name)}
      submit={role === null ? texts.create : texts.save}
      isDisabled={isBusy}
      onClose={onClose}
      onSubmit={() => run(save)}
    >
      {role?.internal !== true && (
        <Field label={TEXTS.name} value={name} onChange={setName} required={true} autoComplete="off" />
      )}
      <Field label={TEXTS.description} value={description} onChange={setDescription} autoComplete="off" />
      <Failure error={error} />
    </FormDialog>
  );
}
