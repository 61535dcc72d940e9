import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import type { Program } from '../support/program.ts';
import { createSetUp, type Environment, SETTINGS } from '../support/set-up.ts';

const { folder, database, start: startOne } = createSetUp();

async function onSqlite(): Promise<Environment> {
  return { DATA_DIR: folder() };
}

async function onPostgres(): Promise<Environment> {
  return { DATA_DIR: folder(), DATABASE_URL: await database() };
}

async function start(environment: Environment): Promise<{ readonly program: Program; readonly client: Client }> {
  const program = startOne(environment);
  return { program, client: createClient(await program.ready(), SETTINGS.APP_CODE) };
}

/** A session of the administrator, and a collection `books`. */
async function prepare(client: Client): Promise<string> {
  const { data } = await client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
  const token = data['X-BB-SESSION'];
  await client('POST', '/admin/collection/books', { token });
  return token;
}

/** Two of three requests store one document, the third one a batch of two. */
function sendKeyed(client: Client, token: string, n: number) {
  const headers = { 'idempotency-key': `key-${n}` };
  const create = (half: number) => ({ method: 'POST', path: '/document/books', body: { n, half } });
  return n % 3 === 0
    ? client('POST', '/batch', { token, headers, body: { atomic: n % 2 === 0, operations: [create(1), create(2)] } })
    : client('POST', '/document/books', { token, headers, body: { n, half: 1 } });
}

async function stored(client: Client, token: string): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (let next = ''; ; ) {
    const { body, data } = await client('GET', `/document/books?recordsPerPage=1000${next}`, { token });
    for (const { id, n, half } of data) ids.set(`${n}.${half}`, [...(ids.get(`${n}.${half}`) ?? []), id]);
    if (!body.more) return ids;
    next = `&cursor=${body.next}`;
  }
}

describe.each([
  ['sqlite', onSqlite],
  ['postgres', onPostgres],
])('requests with an Idempotency-Key to the program on %s', (_name, environmentOf) => {
  it('take effect once when it is killed during them and all are sent again', async () => {
    const environment = await environmentOf();
    const { program, client } = await start(environment);
    const token = await prepare(client);
    const answered = new Map<number, string>();
    let kill: () => void = () => undefined;
    const killed = new Promise<void>((resolve) => {
      kill = () => {
        program.kill('SIGKILL');
        resolve();
      };
    });
    const requests = Array.from({ length: 900 }, async (_, n) => {
      // However fast the others are answered, these are not.
      if (n >= 600) await killed;
      const { status, text } = await sendKeyed(client, token, n);
      expect(status).toBe(200);
      answered.set(n, text);
      if (answered.size === 300) kill();
    });
    await Promise.allSettled(requests);
    await program.exit;
    expect(answered.size).toBeGreaterThanOrEqual(300);
    expect(answered.size).toBeLessThan(900);

    const { client: again } = await start(environment);
    const replays = await Promise.all(Array.from({ length: 900 }, (_, n) => sendKeyed(again, token, n)));
    for (const [n, text] of answered) {
      expect(replays[n]?.text).toBe(text);
      expect(replays[n]?.headers['idempotency-replayed']).toBe('true');
    }
    expect(replays.every(({ status }) => status === 200)).toBe(true);
    const ids = await stored(again, token);
    expect(ids.size).toBe(1200);
    expect([...ids.values()].filter(({ length }) => length !== 1)).toEqual([]);
  });
});

describe('two nodes on one database', () => {
  it('run concurrent requests with one key once between them', async () => {
    const environment = await onPostgres();
    const nodes = [(await start(environment)).client, (await start(environment)).client] as const;
    const token = await prepare(nodes[0]);
    for (let n = 0; n < 10; n++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => sendKeyed(nodes[i % 2] as Client, token, n)),
      );
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
      expect(texts.size).toBe(1);
    }
    const ids = await stored(nodes[1], token);
    expect(ids.size).toBe(14);
    expect([...ids.values()].filter(({ length }) => length !== 1)).toEqual([]);
  });
});
