import { useCallback, useEffect, useState } from 'react';

export interface Loaded<T> {
  /** Newest response; null before the first one. It stays while the next one loads. */
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads again. */
  readonly reload: () => void;
}

interface State<T> {
  readonly data: T | null;
  readonly error: unknown;
  /** Identifies the answered call. */
  readonly answered: object | null;
}

/** Calls `load` immediately, and again when the function changes. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ data: null, error: null, answered: null });
  const [asked, setAsked] = useState<object>({});
  const [asking, setAsking] = useState<object | null>(null);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = { of: asked };
    setAsking(call);
    // The client throws synchronously for a name that a URL cannot express.
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
  /** Runs `work` and stores its failure. Resolves to true if it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** An action triggered by the user. */
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
