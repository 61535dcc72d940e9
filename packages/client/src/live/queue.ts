/** Queue of received items for one reader. */
export function createQueue<T>(signal: AbortSignal) {
  const items: T[] = [];
  let isOver = false;
  let failure: unknown = null;
  let wake: () => void = () => undefined;
  signal.addEventListener('abort', () => wake());

  return {
    push(item: T): void {
      items.push(item);
      wake();
    },
    /** Ends the queue, for its reader after the last item. @param error thrown to the reader; null for none */
    end(error: unknown = null): void {
      isOver = true;
      failure ??= error;
      wake();
    },
    /** Yields everything that has arrived since the last time, until the queue or the signal ends. */
    async *read(): AsyncGenerator<readonly T[], void, undefined> {
      while (!signal.aborted) {
        if (items.length > 0) yield items.splice(0);
        else if (failure !== null) throw failure;
        else if (isOver) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
