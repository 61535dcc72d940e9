/** Options in the format of the SDK. */
export interface Deadline {
  readonly abortSignal: AbortSignal;
}

/**
 * Runs requests, with all their attempts, within `ms` milliseconds. The bytes of a response may arrive later: once
 * `work` has resolved, nothing is aborted.
 *
 * @param also signals that abort them earlier
 */
export async function within<T>(
  ms: number,
  work: (deadline: Deadline) => Promise<T>,
  also: readonly AbortSignal[] = [],
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await work({ abortSignal: AbortSignal.any([late.signal, ...also]) });
  } finally {
    clearTimeout(timer);
  }
}
