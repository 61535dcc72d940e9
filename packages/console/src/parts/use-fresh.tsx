import { isBaobabError, type PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { useAction } from '../use-load.ts';
import { Field } from './field.tsx';

interface FreshAction {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Runs `work` with what it has to send. Resolves to whether it succeeded. */
  readonly run: (work: (presence: PresenceOptions) => Promise<unknown>) => Promise<boolean>;
  /** Asks for the user's own password; nothing before the service wants it. */
  readonly field: ReactNode;
}

/** A change for which the service may ask for the user's own password. */
export function useFresh(): FreshAction {
  const [password, setPassword] = useState('');
  const [isAsked, setAsked] = useState(false);
  const { isBusy, error, run } = useAction();
  return {
    isBusy,
    error,
    run: async (work) => {
      const succeeded = await run(async () => {
        try {
          await work(isAsked ? { currentPassword: password } : {});
        } catch (failure) {
          if (!isBaobabError(failure, 'auth.fresh_login_required')) throw failure;
          setAsked(true);
          throw new Error(texts.users.fresh);
        }
      });
      if (!succeeded) return false;
      setPassword('');
      setAsked(false);
      return true;
    },
    field: isAsked && (
      <Field
        label={texts.users.ownPassword}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
      />
    ),
  };
}
