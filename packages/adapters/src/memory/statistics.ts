import { type CreatedOnDay, REMOVED_NAME, type StatisticsStore } from '@baobab/core';
import { createCollectionStore } from './collections.ts';
import type { State } from './state.ts';

const DAY_MS = 86_400_000;

const volume = (rows: ReadonlyArray<{ readonly size: number | null }>) => ({
  count: rows.length,
  size: rows.reduce((total, { size }) => total + (size ?? 0), 0),
});

export function createStatisticsStore(state: State): StatisticsStore {
  const users = () => state.users.values().filter(({ name }) => name !== REMOVED_NAME);

  function daysSince(createdSince: number): CreatedOnDay[] {
    const days = new Map<number, CreatedOnDay>();
    const created = {
      users: users(),
      documents: state.documents.values(),
      files: state.files.values(),
    };
    for (const kind of ['users', 'documents', 'files'] as const) {
      for (const row of created[kind]) {
        if (row.created < createdSince) continue;
        const day = Math.floor(row.created / DAY_MS);
        const known = days.get(day) ?? { day, users: 0, documents: 0, files: 0 };
        days.set(day, { ...known, [kind]: known[kind] + 1 });
      }
    }
    return Array.from(days.values()).toSorted((a, b) => a.day - b.day);
  }

  return {
    async measure({ activeSince, createdSince }) {
      return {
        users: users().length,
        sessions: state.sessions.values().filter(({ lastUsed }) => lastUsed >= activeSince).length,
        collections: await createCollectionStore(state).list(),
        files: volume(state.files.values()),
        assets: volume(state.assets.values().map(({ file }) => ({ size: file?.size ?? 0 }))),
        days: daysSince(createdSince),
      };
    },
  };
}
