import { useCallback, useEffect, useState } from 'react';

export interface Loaded<T> {
  /** The newest answer; null before the first one. It stays while another one is asked for. */
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly reload: () => void;
}

interface State<T> {
  readonly data: T | null;
  readonly error: unknown;
  /** Which of the calls has been answered. */
  readonly answered: object | null;
}

/** Calls `load` at once, and again when it is another function. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ data: null, error: null, answered: null });
  const [asked, setAsked] = useState<object>({});
  const [asking, setAsking] = useState<object | null>(null);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = { of: asked };
    setAsking(call);
    // A name that no URL can express makes the client throw at once.
    const loaded = async () => load(signal);
    loaded().then(
      (data) => {
        if (!signal.aborted) setState({ data, error: null, answered: call });
      },
      (error: unknown) => {
        if (!signal.aborted) setState(({ data }) => ({ data, error, answered: call }));
      },
    );
    return () => controller.abort();
  }, [load, asked]);

  const reload = useCallback(() => setAsked({}), []);
  return { data: state.data, error: state.error, isLoading: asking === null || state.answered !== asking, reload };
}

export interface Action {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Runs `work`, and keeps its failure. Resolves to whether it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** A change that the user asks for. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { isBusy, error, run };
}
