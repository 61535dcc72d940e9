import { isBaobabError, type Proof } from '@baobab/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import mark from './baobab.svg';
import { type Connection, NotAdministrator } from './connection.ts';
import { Button } from './parts/button.tsx';
import { Failure } from './parts/failure.tsx';
import { Field } from './parts/field.tsx';
import { texts } from './texts.ts';
import { useAction } from './use-load.ts';

interface SignInProps {
  readonly connection: Connection;
  readonly appCode: string;
  /** User whose session has expired; null: a new session. */
  readonly user: string | null;
}

const TEXTS = texts.signIn;
const SIX_DIGITS = /^\d{6}$/;

/** Apps display their codes in groups of digits. */
function proofOf(typed: string): Proof {
  const code = typed.replaceAll(/\s/g, '');
  return SIX_DIGITS.test(code) ? { code } : { recoveryCode: code };
}

export function SignIn({ connection, appCode: initial, user }: SignInProps): ReactNode {
  const [appCode, setAppCode] = useState(initial);
  const [username, setUsername] = useState(user ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  /** Challenge of a login that requires a second factor. */
  const [challenge, setChallenge] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();

  useEffect(() => {
    document.title = `${TEXTS.title} – ${texts.title}`;
  }, []);

  async function send(): Promise<void> {
    try {
      if (challenge === null) await connection.signIn(appCode, { username, password });
      else await connection.signInSecond(challenge, proofOf(code));
    } catch (failure) {
      if (failure instanceof NotAdministrator) throw new Error(TEXTS.notAdministrator);
      if (isBaobabError(failure, 'auth.second_factor_required') && failure.challenge !== null) {
        setChallenge(failure.challenge);
        return;
      }
      if (isBaobabError(failure, 'auth.challenge_invalid')) setChallenge(null);
      throw failure;
    }
  }

  const focused = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (user !== null || challenge !== null) focused.current?.focus();
  }, [user, challenge]);

  return (
    <main className="sign-in">
      <div className="brand">
        <img src={mark} alt="" /> Baobab
      </div>
      <h1>{TEXTS.title}</h1>
      <p className="muted">{user === null ? TEXTS.about : TEXTS.ended}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          return run(send);
        }}
      >
        {challenge === null ? (
          <>
            <Field label={TEXTS.appCode} value={appCode} onChange={setAppCode} required={true} autoComplete="off" />
            <Field
              label={TEXTS.username}
              value={username}
              onChange={setUsername}
              required={true}
              autoComplete="username"
            />
            <Field
              ref={focused}
              label={TEXTS.password}
              type="password"
              value={password}
              onChange={setPassword}
              required={true}
              autoComplete="current-password"
            />
          </>
        ) : (
          <>
            <h2>{TEXTS.second}</h2>
            <Field
              ref={focused}
              label={TEXTS.code}
              value={code}
              onChange={setCode}
              required={true}
              autoComplete="one-time-code"
            />
          </>
        )}
        <Failure error={error} />
        <div className="row">
          <Button type="submit" kind="primary" disabled={isBusy}>
            {TEXTS.submit}
          </Button>
          {challenge !== null && <Button onClick={() => setChallenge(null)}>{TEXTS.back}</Button>}
        </div>
      </form>
    </main>
  );
}
