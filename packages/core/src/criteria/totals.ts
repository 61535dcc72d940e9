interface CountedList<Page extends { readonly more: boolean }> {
  readonly isWanted: boolean;
  readonly list: () => Promise<Page>;
  /** The number of all rows. */
  readonly count: () => Promise<number>;
  /** Whether counting costs so little that it need not wait for the page, which may tell the number. */
  readonly isQuick: boolean;
  /** Whether the page is the first one. */
  readonly isFirst: boolean;
  /** The number of rows of the page; null for rows that are not what is counted. */
  readonly rowsOf: (page: Page) => number | null;
}

export interface PageWithTotal<Page> {
  readonly found: Page;
  /** Null when it is not wanted. */
  readonly total: number | null;
}

/** A page of a list, with the number of rows on all pages if it is wanted. A page without others is its own total. */
export async function withTotal<Page extends { readonly more: boolean }>(
  counted: CountedList<Page>,
): Promise<PageWithTotal<Page>> {
  const { isWanted, list, count, isQuick, isFirst, rowsOf } = counted;
  if (!isWanted) return { found: await list(), total: null };
  const [found, quick] = await Promise.all([list(), isQuick ? count() : null]);
  const rows = isFirst && !found.more ? rowsOf(found) : null;
  return { found, total: rows ?? quick ?? (await count()) };
}
