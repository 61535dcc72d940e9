import { baobab } from './baobab.ts';
import { Failure } from './failure.tsx';
import { useForm } from './hooks.ts';

/** Sign-in and sign-up form. Both start the session that `App` waits for. */
export function SignIn() {
  const { submit, error, isBusy } = useForm((form) => {
    const credentials = { username: `${form.get('username')}`, password: `${form.get('password')}` };
    return form.get('how') === 'sign-up' ? baobab.auth.signUp(credentials) : baobab.auth.login(credentials);
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
