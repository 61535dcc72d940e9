import { constants, DatabaseSync } from 'node:sqlite';
import { createTestBackend } from '@baobab/server/testing';
import { expect, it, vi } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { createFolder } from '../support/databases.ts';

const DOCUMENTS = 30;

// Node reports preparations since 24.10.
const canWatch = 'setAuthorizer' in DatabaseSync.prototype;

/** Watches which statements are prepared on each database. */
function watchPreparations() {
  const texts = new Map<DatabaseSync, string[]>();
  let isAsked = false;
  const counts = { asked: 0, unasked: 0 };
  const original = DatabaseSync.prototype.prepare;
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text) {
    if (!texts.has(this)) {
      // SQLite calls this while it prepares a statement, also when it runs one that it has to prepare again.
      this.setAuthorizer(() => {
        counts[isAsked ? 'asked' : 'unasked']++;
        return constants.SQLITE_OK;
      });
    }
    texts.set(this, [...(texts.get(this) ?? []), text]);
    isAsked = true;
    try {
      return original.call(this, text);
    } finally {
      isAsked = false;
    }
  });
  return { texts, counts, stop: () => spy.mockRestore() };
}

it.runIf(canWatch)('prepares no statement of a repeated request again', async () => {
  const preparations = watchPreparations();
  const { path, remove } = createFolder();
  const backend = await createTestBackend({ databaseUrl: `sqlite:${path}/app.db` });
  try {
    const { call, user, collection } = createWorld(backend);
    const [ann, bob, books] = [await user(), await user(), await collection()];
    const ids: string[] = [];
    for (let n = 0; n < DOCUMENTS; n++) {
      const { data } = await call('POST', `/document/${books}`, { token: ann.token, body: { n } });
      ids.push(data.id);
    }
    const requests = async (n: number) => {
      for (const { token, name } of [ann, bob]) {
        await call('GET', `/document/${books}/${ids[n]}`, { token });
        await call('GET', `/document/${books}?recordsPerPage=${n}`, { token });
        await call('GET', `/document/${books}?where=n%3D%3F&params=${n}`, { token });
        await call('PUT', `/document/${books}/${ids[n]}`, { token, body: { n } });
        await call('POST', `/document/${books}`, { token, body: { n } });
        await call('POST', '/login', { body: { username: name, password: 'secret' } });
      }
    };
    await requests(1);
    const { texts, counts } = preparations;
    expect(counts.asked).toBeGreaterThan(0);
    counts.unasked = 0;
    await requests(2);
    expect(counts.unasked).toBe(0);
    // Jobs in the background may prepare others meanwhile, and look at the log more than once.
    for (const prepared of texts.values()) {
      const kept = prepared.filter((text) => !text.startsWith('pragma'));
      expect(kept).toEqual([...new Set(kept)]);
    }
  } finally {
    preparations.stop();
    await backend.close();
    remove();
  }
});
