import { isBaobabError, type Proof } from '@baobab/client';
import { type ReactNode, useEffect, useState } from 'react';
import { type Connection, NotAdministrator } from './connection.ts';
import { Failure } from './parts/failure.tsx';
import { Field } from './parts/field.tsx';
import { texts } from './texts.ts';
import { useAction } from './use-load.ts';

interface SignInProps {
  readonly connection: Connection;
  readonly appCode: string;
  readonly hasEnded: boolean;
}

const TEXTS = texts.signIn;
const SIX_DIGITS = /^\d{6}$/;

const proofOf = (code: string): Proof => (SIX_DIGITS.test(code) ? { code } : { recoveryCode: code });

export function SignIn({ connection, appCode: initial, hasEnded }: SignInProps): ReactNode {
  const [appCode, setAppCode] = useState(initial);
  const [username, setUsername] = useState('');
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
      else await connection.signInSecond(challenge, proofOf(code.trim()));
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

  return (
    <main className="sign-in">
      <h1>{TEXTS.title}</h1>
      <p>{hasEnded ? TEXTS.ended : TEXTS.about}</p>
      <form
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
            <Field label={TEXTS.code} value={code} onChange={setCode} required={true} autoComplete="one-time-code" />
          </>
        )}
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={isBusy}>
            {TEXTS.submit}
          </button>
          {challenge !== null && (
            <button type="button" onClick={() => setChallenge(null)}>
              {TEXTS.back}
            </button>
          )}
        </div>
      </form>
    </main>
  );
}
