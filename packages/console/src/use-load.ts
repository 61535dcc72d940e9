import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';

export interface Loaded<T> {
  /** Newest response; null before the first one. It stays while the next one loads. */
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads again. */
  readonly reload: () => void;
}

/**
 * Creates the store of what the views have loaded. The client repeats failed calls itself, and nothing outlives its
 * view, so that a form never begins with an old version.
 */
export const createStore = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        gcTime: 0,
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  });

/**
 * Loads what `key` identifies, once for all views that show it.
 *
 * @param key starts with the kind of the data, such as `users`, and contains everything that `load` depends on
 */
export function useLoad<T>(key: readonly unknown[], load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: key,
    // The client throws synchronously for a name that a URL cannot express.
    queryFn: async ({ signal }) => load(signal),
    placeholderData: keepPreviousData,
  });
  return {
    data: data ?? null,
    error: isPlaceholderData ? null : error,
    isLoading: isFetching,
    reload: useCallback(() => void refetch(), [refetch]),
  };
}

export interface Action {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Runs `work` and stores its failure. Resolves to true if it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** An action triggered by the user. @param onDone called when it has succeeded */
export function useAction(onDone?: () => void): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function run(work: () => Promise<unknown>): Promise<boolean> {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
    onDone?.();
    return true;
  }
  return { isBusy, error, run };
}
