import type { PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { RoleSelect } from './role-select.tsx';

const TEXTS = texts.users;

export function NewUser({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useService();
  const goInstead = useGoInstead();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState('registereduser');
  const { isBusy, error, field, run } = useFreshAction();
  return (
    <FormDialog
      title={TEXTS.create}
      submit={texts.create}
      isDisabled={isBusy}
      onClose={onClose}
      onSubmit={async () => {
        const create = (presence: PresenceOptions) => client.admin.users.create({ username, password, role }, presence);
        if (await run(create)) goInstead(['users', username]);
      }}
    >
      <Field label={TEXTS.username} value={username} onChange={setUsername} required={true} autoComplete="off" />
      <Field
        label={TEXTS.password}
        type="password"
        value={password}
        onChange={setPassword}
        required={true}
        autoComplete="new-password"
      />
      <RoleSelect value={role} onChange={setRole} />
      {field}
      <Failure error={error} />
    </FormDialog>
  );
}
