import { isBaobabError } from '@baobab/client';
import { useSession } from '@baobab/client/react';
import { type FormEvent, useCallback, useEffect, useReducer, useState, useSyncExternalStore } from 'react';
import { baobab, offline } from './baobab.ts';

const messageOf = (error: unknown) => (isBaobabError(error) ? error.message : String(error));

/** Runs an action and stores the message of its failure. */
export function useAction() {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function run(work: () => Promise<unknown>): Promise<boolean> {
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { run, error, isBusy };
}

/** Sends a form and clears it. If sending fails, the input is kept. */
export function useForm(send: (form: FormData) => Promise<unknown>) {
  const { run, ...state } = useAction();
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (await run(() => send(new FormData(form, submitter)))) form.reset();
  }
  return { submit, ...state };
}

/**
 * Returns the result of `load`; undefined before it resolves. Loads again on `reload` and when the device is back
 * online.
 */
export function useLoaded<T>(load: () => Promise<T>) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<string | null>(null);
  const reload = useCallback(async () => {
    try {
      setValue(await load());
      setError(null);
    } catch (failure) {
      setError(messageOf(failure));
    }
  }, [load]);
  useEffect(() => {
    void reload();
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, [reload]);
  return { value, error, reload };
}

function listener(...events: string[]) {
  return (changed: () => void) => {
    for (const event of events) addEventListener(event, changed);
    return () => {
      for (const event of events) removeEventListener(event, changed);
    };
  };
}

const onConnection = listener('online', 'offline');
const onPlace = listener('hashchange');

/**
 * Returns the user whose data is on this device; null if there is none, undefined until it is read. If the session has
 * expired, the data is still there.
 */
export function useUser() {
  const session = useSession(baobab);
  const [reads, countRead] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const read = () => void offline.ready.then(countRead, countRead);
    read();
    return baobab.auth.onChange(read);
  }, []);
  const stored = reads > 0 ? offline.user : undefined;
  return { user: session?.user ?? stored, isExpired: session === null };
}

/** Returns true if the device is online and the user is logged in, so that calls to the server can succeed. */
export function useOnline(): boolean {
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  return useSession(baobab) !== null && isOnline;
}

/** Returns the part of the address after `#`, which selects the view. */
export const usePlace = () => useSyncExternalStore(onPlace, () => location.hash.slice(1));
