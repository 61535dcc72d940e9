import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { pinned } from '../support/pinned.ts';
import { type Program, startProgram } from '../support/program.ts';

const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };
const APPENDS = 200;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function start(environment: Readonly<Record<string, string>>): Program {
  const program = startProgram({ ...SETTINGS, ...environment });
  cleanups.push(() => program.dispose());
  return program;
}

/** Processes that serve one database: connections to each of them, or to whichever accepts. */
const SERVICES: Readonly<Record<string, () => Promise<string[]>>> = {
  async 'three processes on SQLite'() {
    const { path, remove } = createFolder();
    cleanups.push(remove);
    const program = start({ DATA_DIR: path, WORKERS: '3' });
    const address = await program.ready();
    await program.line('"msg":"all workers serve"');
    return [address];
  },
  async 'two nodes on Postgres'() {
    const { url, drop } = await createDatabase();
    cleanups.push(drop);
    const { path, remove } = createFolder();
    cleanups.push(remove);
    const nodes = [start({ DATABASE_URL: url, DATA_DIR: path }), start({ DATABASE_URL: url, DATA_DIR: path })];
    return Promise.all(nodes.map((node) => node.ready()));
  },
};

interface Place {
  readonly field: string;
  readonly version?: number;
}

describe.each(Object.entries(SERVICES))('concurrent changes, on %s', (_what, serve) => {
  async function prepare() {
    const addresses = await serve();
    const [address = ''] = addresses;
    const client = createClient(address, SETTINGS.APP_CODE);
    const { data } = await client('POST', '/login', {
      body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD },
    });
    const token: string = data['X-BB-SESSION'];
    await client('POST', '/admin/collection/books', { token });
    const made = await client('POST', '/document/books', { token, body: { list: [] } });
    const url = `/document/books/${made.data.id}`;
    /** Each on a connection of its own, all open before the first request is sent. */
    const lines = await Promise.all(
      Array.from({ length: APPENDS }, (_, n) => pinned(addresses[n % addresses.length] ?? '', SETTINGS.APP_CODE)),
    );
    cleanups.push(() => {
      for (const { close } of lines) close();
    });
    const increment = (line: Client, n: number) =>
      line('PATCH', url, { token, body: { increment: { count: 1 }, addToSet: { set: [n % 10] } } });
    const put = (line: Client, n: number, { field, version }: Place) =>
      line('PUT', `${url}/${field}`, { token, body: { data: n, '@version': version } });
    return {
      putAll: (place: Place) => Promise.all(lines.map((line, n) => put(line.client, n, place))),
      /** Calls on one connection follow each other. */
      incrementAll: (each: number) =>
        Promise.all(
          lines.map(async ({ client: line }) => {
            for (let n = 0; n < each; n++) expect((await increment(line, n)).status).toBe(200);
          }),
        ),
      read: async () => (await client('GET', url, { token })).data,
      list: async () => (await client('GET', `${url}/.list`, { token })).data.result,
    };
  }

  it('that append to a list are all kept', async () => {
    const { putAll, list } = await prepare();
    const statuses = (await putAll({ field: '.list[]' })).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const added: number[] = await list();
    expect(added.toSorted((a, b) => a - b)).toEqual(statuses.map((_, n) => n));
  });

  it('in 1,000 patches lose no increment, and add no element twice', async () => {
    const { incrementAll, read } = await prepare();
    await incrementAll(1000 / APPENDS);
    const { count, set, '@version': version } = await read();
    expect({ count, version, set: set.toSorted() }).toEqual({ count: 1000, version: 1001, set: [0, 1, 2, 3, 4] });
  });

  it('at an index set one element, which is that of the only call with the current version', async () => {
    const { putAll, list } = await prepare();
    const answers = await putAll({ field: '.list[0]', version: 1 });
    const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
    expect([answers.filter(({ status }) => status === 400).length, won.length]).toEqual([APPENDS - 1, 1]);
    expect(await list()).toEqual(won);
    const later = await putAll({ field: '.list[1]' });
    expect(new Set(later.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await list()).toHaveLength(2);
  });
});
