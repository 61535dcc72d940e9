import { type CreatedOnDay, REMOVED_NAME, type StatisticsStore } from '@baobab/core';
import { createCollectionStore } from './collections.ts';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

const DAY_MS = 86_400_000;

const volume = (sizes: readonly number[]) => ({
  count: sizes.length,
  size: sizes.reduce((total, size) => total + size, 0),
});

export function createStatisticsStore(state: State): Immediate<StatisticsStore> {
  const { sessions, documents, files, assets } = state;
  return {
    measure({ activeSince, createdSince, without }) {
      const users = state.users.where(({ name, key }) => name !== REMOVED_NAME && key !== without);
      const days = new Map<number, CreatedOnDay>();
      for (const [kind, rows] of Object.entries({ users, documents: documents.all(), files: files.all() })) {
        for (const { created } of rows) {
          if (created < createdSince) continue;
          const day = Math.floor(created / DAY_MS);
          const counts = days.get(day) ?? { day, users: 0, documents: 0, files: 0 };
          days.set(day, { ...counts, [kind]: counts[kind as keyof CreatedOnDay] + 1 });
        }
      }
      return {
        users: users.length,
        sessions: sessions.where(({ lastUsed }) => lastUsed >= activeSince).length,
        collections: createCollectionStore(state).list(),
        files: volume(files.all().map(({ size }) => size)),
        assets: volume(assets.all().map(({ file }) => file?.size ?? 0)),
        days: [...days.values()].sort((a, b) => a.day - b.day),
      };
    },
  };
}
