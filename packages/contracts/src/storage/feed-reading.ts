import type {
  AccessScope,
  Change,
  ChangesPage,
  ChangesWanted,
  FeedEntry,
  FeedPlace,
  Stores,
  VisibilityChange,
  VisibilityMark,
} from '@baobab/core';
import { expect } from 'vitest';
import { until } from './transactions.ts';

/** The start of the feed. */
export const BEGINNING: FeedPlace = { position: 0, id: '' };

/** A mark without an affected user; it is never removed for its age. */
const PROBE: VisibilityMark = { audience: 'u:probe', collection: null, reason: 'setting' };

/** Waits until all committed changes can be read. Other transactions may delay the feed. */
export async function caughtUp({ changes }: Stores): Promise<void> {
  await changes.markVisibility([PROBE], Number.MAX_SAFE_INTEGER);
  const probe = await changes.visibilityChange({ since: 0, audiences: [PROBE.audience], collections: null });
  await until(async () => (await changes.state()).horizon > (probe?.position ?? Number.POSITIVE_INFINITY));
}

/** Returns the current end of the feed. */
export async function now(stores: Stores): Promise<FeedPlace> {
  await caughtUp(stores);
  return { position: (await stores.changes.state()).horizon, id: '' };
}

/** Removes the marks that only serve to wait. */
export const marksOf = (visibility: readonly VisibilityChange[] | null) =>
  visibility?.filter(({ audience }) => audience !== PROBE.audience) ?? null;

export const wantedBy = (scope: AccessScope, overrides: Partial<ChangesWanted> = {}): ChangesWanted => ({
  collections: null,
  scope,
  openCollections: [],
  after: BEGINNING,
  limit: 100,
  ...overrides,
});

/** More pages than any feed of these suites has. */
const MAX_PAGES = 200;

const isAfter = (a: FeedPlace, b: FeedPlace) => a.position > b.position || (a.position === b.position && a.id > b.id);

/** Reads the changes of all pages and checks their order. */
export async function readPages(stores: Stores, wanted: ChangesWanted): Promise<Change[]> {
  const { changes } = stores;
  await caughtUp(stores);
  const all: Change[] = [];
  let page: ChangesPage = { changes: [], next: wanted.after, more: true };
  for (let pages = 0; page.more; pages++) {
    expect(pages).toBeLessThan(MAX_PAGES);
    const before = page.next;
    page = await changes.read({ ...wanted, after: before });
    expect(page.changes.length).toBeLessThanOrEqual(wanted.limit);
    let last = before;
    for (const { place } of page.changes) {
      expect(isAfter(place, last)).toBe(true);
      last = place;
    }
    expect(isAfter(last, page.next)).toBe(false);
    all.push(...page.changes);
  }
  return all;
}

/** Formats a change as `+` or `-` and the id of the document. */
export const shown = (change: Change): string => (change.type === 'put' ? `+${change.document.id}` : `-${change.id}`);

/** Returns the changes that a reader receives after a place, formatted by `shown`. */
export async function received(stores: Stores, scope: AccessScope, overrides: Partial<ChangesWanted> = {}) {
  return (await readPages(stores, wantedBy(scope, overrides))).map(shown);
}

/** Returns all entries of the feed after a place, read in pages of `limit`. */
export async function readEntries(stores: Stores, after: FeedPlace, limit = 100): Promise<FeedEntry[]> {
  const { changes } = stores;
  await caughtUp(stores);
  const entries: FeedEntry[] = [];
  let next = after;
  for (let more = true; more; ) {
    const batch = await changes.readAll({ after: next, limit });
    expect(batch.entries.length).toBeLessThanOrEqual(limit);
    entries.push(...batch.entries);
    ({ next, more } = batch);
  }
  return entries;
}
