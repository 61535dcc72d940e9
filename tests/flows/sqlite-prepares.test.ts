import { constants, DatabaseSync } from 'node:sqlite';
import { createTestBackend } from '@baobab/server/testing';
import { expect, it, vi } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { createFolder } from '../support/databases.ts';

const DOCUMENTS = 30;

// Node reports preparations since 24.10.
const canWatch = 'setAuthorizer' in DatabaseSync.prototype;

it.runIf(canWatch)('prepares no statement of a repeated request again', async () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
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
    let prepared = 0;
    // SQLite asks while it prepares a statement. Setting this function makes it prepare each one once more.
    for (const database of new Set(prepare.mock.contexts as DatabaseSync[])) {
      database.setAuthorizer(() => {
        prepared++;
        return constants.SQLITE_OK;
      });
    }
    await requests(2);
    expect(prepared).toBeGreaterThan(0);
    prepared = 0;
    await requests(3);
    expect(prepared).toBe(0);
  } finally {
    prepare.mockRestore();
    await backend.close();
    remove();
  }
});
