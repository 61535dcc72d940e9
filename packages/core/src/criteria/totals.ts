interface CountedList<Page extends { readonly more: boolean }> {
  readonly isWanted: boolean;
  readonly list: () => Promise<Page>;
  /** Returns the number of all rows. */
  readonly count: () => Promise<number>;
  /** True if counting is cheap enough not to wait for the page, which may make it unnecessary. */
  readonly isQuick: boolean;
  /** True for the first page. */
  readonly isFirst: boolean;
  /** Returns the number of counted rows on the page; null if its rows are not the counted ones. */
  readonly rowsOf: (page: Page) => number | null;
}

export interface PageWithTotal<Page> {
  readonly found: Page;
  /** Null unless requested. */
  readonly total: number | null;
}

/**
 * Returns a page of a list, with the number of rows on all pages if requested. For a single page its length is the
 * total.
 */
export async function withTotal<Page extends { readonly more: boolean }>(
  counted: CountedList<Page>,
): Promise<PageWithTotal<Page>> {
  const { isWanted, list, count, isQuick, isFirst, rowsOf } = counted;
  if (!isWanted) return { found: await list(), total: null };
  const [found, quick] = await Promise.all([list(), isQuick ? count() : null]);
  const rows = isFirst && !found.more ? rowsOf(found) : null;
  return { found, total: rows ?? quick ?? (await count()) };
}
