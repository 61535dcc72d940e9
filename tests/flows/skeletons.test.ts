import { join } from 'node:path';
import { createPostgresStorage, POSTGRES_MIGRATIONS } from '@baobab/adapters/postgres';
import { createSqliteStorage, SQLITE_MIGRATIONS } from '@baobab/adapters/sqlite';
import { createTestBackend } from '@baobab/http/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { query } from '../support/migrations.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Databases of a program without skeletons. */
const EVERY_DATABASE = [
  [
    'Postgres',
    async () => {
      const { url, drop } = await createDatabase({ empty: true });
      cleanups.push(drop);
      const migrations = POSTGRES_MIGRATIONS.slice(0, 1);
      return { url, storage: createPostgresStorage({ url, logger: silentLogger, connections: 2, migrations }) };
    },
  ],
  [
    'SQLite',
    async () => {
      const { path: folder, remove } = createFolder();
      cleanups.push(remove);
      const path = join(folder, 'x.db');
      const migrations = SQLITE_MIGRATIONS.slice(0, 1);
      return { url: `sqlite:${path}`, storage: createSqliteStorage({ path, logger: silentLogger, migrations }) };
    },
  ],
] as const;

const rootLike = 'r\u043eot';

describe.each(EVERY_DATABASE)('users of an older program on %s', (_name, create) => {
  let count = 0;
  /** As an older program adds a user. */
  const add = (url: string, name: string) =>
    query(
      url,
      `insert into users (id, name, name_key, role, status, generated, created, visible_user, visible_friend,
        visible_registered, visible_anonymous) values ('019aa000-0000-7000-8000-${String(++count).padStart(12, '0')}',
        '${name}', '${name}', 'registereduser', 'ACTIVE', 0, 1, '{}', '{}', '{}', '{}')`,
    );

  async function serve(url: string): Promise<World> {
    const backend = await createTestBackend({ databaseUrl: url });
    cleanups.push(backend.close);
    return createWorld(backend);
  }
  const signUp = async (world: World, username: string) =>
    (await world.call('POST', '/user', { body: { username, password: 'secret' } })).status;

  async function prepare(): Promise<string> {
    const { url, storage } = await create();
    await storage.migrate().finally(() => storage.close());
    return url;
  }

  it('remain and can log in, even with names that look alike, and no new user can take a similar name', async () => {
    const url = await prepare();
    const existing = ['root', rootLike, '\u0430dmin', 'zo\u0451'];
    for (const name of existing) await add(url, name);
    const world = await serve(url);
    for (const name of existing) {
      const body = { password: 'secret' };
      await expectStatus(
        world.call('PUT', `/admin/user/${encodeURIComponent(name)}/password`, { basic: adminOf(world), body }),
        200,
      );
      await expectStatus(world.call('POST', '/login', { body: { username: name, password: 'secret' } }), 200);
    }
    for (const name of ['ro\u043et', 'zo\u00eb']) expect(await signUp(world, name)).toBe(400);
    for (const name of ['r00t', 'zoe']) expect(await signUp(world, name)).toBe(name === 'zoe' ? 201 : 400);
  });

  it('are compared as soon as rows of an older node are noticed', async () => {
    const url = await prepare();
    const world = await serve(url);
    await expectStatus(world.call('POST', '/user', { body: { username: 'carol', password: 'secret' } }), 201);
    await add(url, 'root');
    await query(url, "update users set name = 'dave', name_key = 'dave' where name_key = 'carol'");
    expect(await signUp(world, 'c\u0430rol')).toBe(201);
    await world.backend.sweep();
    for (const name of [rootLike, 'd\u0430ve']) expect(await signUp(world, name)).toBe(400);
  });
});
