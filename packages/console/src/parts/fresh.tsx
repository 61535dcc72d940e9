import { isBaobabError, type PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { useAction } from '../use-load.ts';
import { Field } from './field.tsx';

export interface FreshAction {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Password input, once the server has requested the user's own password; null before. */
  readonly field: ReactNode;
  /** Runs `work` and stores its failure. Resolves to true if it succeeded. */
  readonly run: (work: (presence: PresenceOptions) => Promise<unknown>) => Promise<boolean>;
}

/** A change for which the server may request the user's own password. @param onDone called when it has succeeded */
export function useFreshAction(onDone?: () => void): FreshAction {
  const [password, setPassword] = useState('');
  const [isAsked, setAsked] = useState(false);
  const { isBusy, error, run } = useAction(() => {
    setPassword('');
    setAsked(false);
    onDone?.();
  });

  async function attempt(work: (presence: PresenceOptions) => Promise<unknown>): Promise<void> {
    try {
      await work(isAsked ? { currentPassword: password } : {});
    } catch (failure) {
      if (!isBaobabError(failure, 'auth.fresh_login_required')) throw failure;
      setAsked(true);
      throw new Error(texts.users.fresh);
    }
  }

  return {
    isBusy,
    error,
    field: isAsked ? (
      <Field
        label={texts.users.ownPassword}
        type="password"
        value={password}
        onChange={setPassword}
        required={true}
        autoComplete="current-password"
      />
    ) : null,
    run: (work) => run(() => attempt(work)),
  };
}
