import { baobab, offline } from './baobab.ts';
import { Failure } from './failure.tsx';
import { useForm } from './hooks.ts';

/** Deletes the account and everything that is stored on this device. */
async function deleteAccount(currentPassword: string) {
  await baobab.auth.deleteAccount({ currentPassword });
  await offline.clear();
}

/** The account of the user, who can delete it. App stores require this. */
export function Account({ me }: { me: string }) {
  const { submit, error, isBusy } = useForm((form) => deleteAccount(`${form.get('password')}`));
  return (
    <section>
      <h2>{me}</h2>
      <p>
        If you delete your account, you are logged out on all devices. A few days later your lists and photos are
        removed. Until then you can log in again and keep them.
      </p>
      <form onSubmit={submit}>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Delete my account
        </button>
      </form>
      <Failure message={error} />
    </section>
  );
}
