import type { PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';

const TEXTS = texts.users;

/** Password and two-factor authentication of a user. The server may request the administrator's own password. */
export function Credentials({ username }: { readonly username: string }): ReactNode {
  const { users } = useService().client.admin;
  const [password, setPassword] = useState('');
  const [done, setDone] = useState('');
  const { isBusy, error, field, run } = useFreshAction();

  async function act(work: (presence: PresenceOptions) => Promise<unknown>, message: string): Promise<void> {
    setDone('');
    if (!(await run(work))) return;
    setDone(message);
    setPassword('');
  }

  return (
    <Section title={TEXTS.password}>
      <form
        className="row bottom"
        onSubmit={(event) => {
          event.preventDefault();
          return act((presence) => users.setPassword(username, password, presence), TEXTS.passwordSet);
        }}
      >
        <Field
          label={TEXTS.newPassword}
          type="password"
          value={password}
          onChange={setPassword}
          required={true}
          autoComplete="new-password"
        />
        {field}
        <Button type="submit" disabled={isBusy}>
          {TEXTS.setPassword}
        </Button>
        <Button
          disabled={isBusy}
          onClick={() => act((presence) => users.resetSecondFactor(username, presence), TEXTS.factorsReset)}
        >
          {TEXTS.resetFactors}
        </Button>
      </form>
      <Failure error={error} />
      <p role="status">{done}</p>
    </Section>
  );
}
