/** Writes items one batch at a time: those that arrive while one is written form the next. */
export interface BatchedWrites<Item> {
  /** Resolves when this item and all that wait have been written. */
  add(item: Item): Promise<void>;
  /** Number of items that wait for the current batch. */
  readonly waiting: number;
  /** Resolves when all items have been written. */
  settled(): Promise<void>;
}

/** @param write never rejects @param most maximum number of items in a batch */
export function createBatchedWrites<Item>(
  write: (batch: readonly Item[]) => Promise<void>,
  most = Number.POSITIVE_INFINITY,
): BatchedWrites<Item> {
  const waiting: Item[] = [];
  let writing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) await write(waiting.splice(0, most));
    writing = null;
  }

  return {
    add(item) {
      waiting.push(item);
      writing ??= writeAll();
      return writing;
    },
    get waiting() {
      return waiting.length;
    },
    async settled() {
      await writing;
    },
  };
}
