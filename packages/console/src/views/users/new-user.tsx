import type { PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { RoleSelect } from './role-select.tsx';

interface NewUserProps {
  readonly onClose: () => void;
  readonly onCreated: (username: string) => void;
}

const TEXTS = texts.users;

export function NewUser({ onClose, onCreated }: NewUserProps): ReactNode {
  const { client } = useService();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState('registereduser');
  const { isBusy, error, field, run } = useFreshAction();
  return (
    <Dialog title={TEXTS.create} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          const create = (presence: PresenceOptions) =>
            client.admin.users.create({ username, password, role }, presence);
          if (await run(create)) onCreated(username);
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
        <div className="row">
          <button type="submit" className="main" disabled={isBusy}>
            {texts.create}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
