/** As the SDK takes it. */
export interface Deadline {
  readonly abortSignal: AbortSignal;
}

/**
 * Runs requests, with all their attempts, within `ms` milliseconds. Bytes of an answer may come later: once `work` has
 * resolved nothing is cut.
 *
 * @param also ends them sooner
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
