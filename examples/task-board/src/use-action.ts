import { isBaobabError } from '@baobab/client';
import { type FormEvent, useCallback, useState } from 'react';

/** Runs actions and forms. The message of a failure is that of the server: for a refused write that of the check. */
export function useAction() {
  const [error, setError] = useState('');
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setError('');
    try {
      await work();
      return true;
    } catch (failure) {
      setError(isBaobabError(failure) ? failure.message : String(failure));
      return false;
    }
  }, []);
  /** Creates the handler of a form, which is cleared after success. */
  const submit = (send: (form: FormData) => Promise<unknown>) => async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (await run(() => send(new FormData(form, submitter)))) form.reset();
  };
  return { run, submit, error };
}
