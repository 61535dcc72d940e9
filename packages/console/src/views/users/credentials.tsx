import { isBaobabError } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.users;

/** The password and the second factor of a user. The service may ask for the administrator's own password. */
export function Credentials({ username }: { readonly username: string }): ReactNode {
  const { users } = useService().client.admin;
  const [password, setPassword] = useState('');
  const [ownPassword, setOwnPassword] = useState('');
  const [needsOwn, setNeedsOwn] = useState(false);
  const [done, setDone] = useState('');
  const { isBusy, error, run } = useAction();
  const fresh = needsOwn ? { currentPassword: ownPassword } : {};

  async function act(work: () => Promise<unknown>, message: string): Promise<void> {
    setDone('');
    const succeeded = await run(async () => {
      try {
        await work();
      } catch (failure) {
        if (!isBaobabError(failure, 'auth.fresh_login_required')) throw failure;
        setNeedsOwn(true);
        throw new Error(TEXTS.fresh);
      }
    });
    if (!succeeded) return;
    setDone(message);
    setPassword('');
    setOwnPassword('');
    setNeedsOwn(false);
  }

  return (
    <section className="card" aria-label={TEXTS.password}>
      <h2>{TEXTS.password}</h2>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          return act(() => users.setPassword(username, password, fresh), TEXTS.passwordSet);
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
        {needsOwn && (
          <Field
            label={TEXTS.ownPassword}
            type="password"
            value={ownPassword}
            onChange={setOwnPassword}
            autoComplete="current-password"
          />
        )}
        <button type="submit" disabled={isBusy}>
          {TEXTS.setPassword}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => act(() => users.resetSecondFactor(username, fresh), TEXTS.factorsReset)}
        >
          {TEXTS.resetFactors}
        </button>
      </form>
      <Failure error={error} />
      <p role="status">{done}</p>
    </section>
  );
}
