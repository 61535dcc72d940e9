import { type Credentials, isBaobabError } from '@baobab/client';
import { baobab } from './baobab.ts';
import { Failure } from './failure.tsx';
import { useForm } from './hooks.ts';

/** Logs in. Users who have deleted their account can keep it. */
async function logIn(credentials: Credentials) {
  try {
    return await baobab.auth.login(credentials);
  } catch (failure) {
    const isErasing = isBaobabError(failure, 'account.erasing');
    if (!isErasing || !confirm('Your account is being deleted. Do you want to keep it?')) throw failure;
    await baobab.auth.cancelDeletion(credentials);
    return baobab.auth.login(credentials);
  }
}

/** Sign-in and sign-up form. Both start the session that `App` waits for. */
export function SignIn() {
  const { submit, error, isBusy } = useForm((form) => {
    const credentials = { username: `${form.get('username')}`, password: `${form.get('password')}` };
    return form.get('how') === 'sign-up' ? baobab.auth.signUp(credentials) : logIn(credentials);
  });
  return (
    <main className="sign-in">
      <h1>Shopping lists</h1>
      <form onSubmit={submit}>
        <label>
          User name
          <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <Failure message={error} />
        <div className="row">
          <button type="submit" name="how" value="log-in" disabled={isBusy}>
            Log in
          </button>
          <button type="submit" name="how" value="sign-up" disabled={isBusy}>
            Sign up
          </button>
        </div>
      </form>
    </main>
  );
}
