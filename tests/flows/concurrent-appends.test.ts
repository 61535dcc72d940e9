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

describe.each(Object.entries(SERVICES))('concurrent appends, on %s', (_what, serve) => {
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
    const put = (line: Client, field: string, n: number) =>
      line('PUT', `${url}/${field}`, { token, body: { data: n } });
    return {
      putAll: (field: string) => Promise.all(lines.map((line, n) => put(line.client, field, n))),
      list: async () => (await client('GET', `${url}/.list`, { token })).data.result,
      put: (field: string, n: number) => put(client, field, n),
    };
  }

  it('at one index are acknowledged once, and that element stays; at the end of the list all are', async () => {
    const { putAll, list } = await prepare();
    for (const index of [0, 1, 2]) {
      const answers = await putAll(`.list[${index}]`);
      const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
      expect([answers.filter(({ status }) => status === 400).length, won.length]).toEqual([APPENDS - 1, 1]);
      expect((await list()).slice(index)).toEqual(won);
    }
    const statuses = (await putAll('.list[]')).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const added: number[] = (await list()).slice(3);
    expect(added.toSorted((a, b) => a - b)).toEqual(statuses.map((_, n) => n));
  });
});
