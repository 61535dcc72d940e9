import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { RoleSelect } from '../users/role-select.tsx';

const TEXTS = texts.keys;

interface NewKeyProps {
  readonly onClose: () => void;
  /** @param text the key itself */
  readonly onCreated: (text: string) => void;
}

export function NewKey({ onClose, onCreated }: NewKeyProps): ReactNode {
  const { keys } = useService().client.admin;
  const [name, setName] = useState('');
  const [role, setRole] = useState('registereduser');
  const [lastDay, setLastDay] = useState('');
  const { isBusy, error, field, run } = useFreshAction();
  return (
    <FormDialog
      title={TEXTS.create}
      submit={texts.create}
      isDisabled={isBusy}
      onClose={onClose}
      onSubmit={() =>
        run(async (presence) => {
          const expires = lastDay === '' ? null : `${lastDay}T23:59:59Z`;
          onCreated((await keys.create({ name, role, expires }, presence)).key);
        })
      }
    >
      <Field label={TEXTS.purpose} value={name} onChange={setName} required={true} autoComplete="off" />
      <RoleSelect value={role} onChange={setRole} />
      <Field label={TEXTS.expires} about={TEXTS.expiresAbout} type="date" value={lastDay} onChange={setLastDay} />
      {field}
      <Failure error={error} />
    </FormDialog>
  );
}
