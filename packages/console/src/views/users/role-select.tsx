import type { ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';

/** This role cannot be assigned. */
const ANONYMOUS = 'anonymous';

interface RoleSelectProps {
  readonly value: string;
  readonly onChange: (role: string) => void;
}

export function RoleSelect({ value, onChange }: RoleSelectProps): ReactNode {
  const { client } = useService();
  const { data, error } = useLoad(['roles'], (signal) => client.admin.roles.list({ signal }));
  const names = data?.map(({ name }) => name).filter((name) => name !== ANONYMOUS) ?? [value];
  const options = names.includes(value) ? names : [value, ...names];
  return (
    <>
      <Select
        label={texts.users.role}
        value={value}
        onChange={onChange}
        options={options.map((name) => [name, name])}
      />
      <Failure error={error} />
    </>
  );
}
