/** Maximum number of collections that a statement runs for concurrently. */
const AT_ONCE = 8;

/** Runs `work` for all items, with limited concurrency. */
export async function inChunks<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}
