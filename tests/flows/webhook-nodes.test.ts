import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';
import { answering, type Receiver, startReceiver } from '../support/receiver.ts';

const APP_CODE = 'webhooks';
const ADMIN_PASSWORD = 'password of the administrator';
const headers = { authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}` };
const COMMON = { SECRET_KEY: 'k'.repeat(40), APP_CODE, ADMIN_PASSWORD, WEBHOOK_PRIVATE: 'on', RATE_LIMIT: 'off' };

const ends: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(env: Readonly<Record<string, string>>): Promise<{ node: Program; call: Client }> {
  const node = startProgram({ ...COMMON, ...env });
  ends.push(() => node.dispose());
  return { node, call: createClient(await node.ready(), APP_CODE) };
}

async function receiving(): Promise<Receiver> {
  const receiver = await startReceiver();
  ends.push(() => receiver.close());
  return receiver;
}

const titles = ({ received }: Receiver) => new Set(received.map(({ body }) => body.data.document.title));
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

async function hook(call: Client, { url }: Receiver): Promise<string> {
  await call('POST', '/admin/collection/books', { headers });
  const { data } = await call('POST', '/admin/webhook', { headers, body: { url, collections: ['books'] } });
  return data.id;
}

async function store(call: Client, wanted: readonly string[]): Promise<void> {
  for (const title of wanted) {
    const { status, text } = await call('POST', '/document/books', { headers, body: { title } });
    if (status !== 200) throw new Error(text);
  }
}

const arrives = (receiver: Receiver, wanted: readonly string[]) =>
  expect.poll(() => wanted.filter((title) => !titles(receiver).has(title))).toEqual([]);

describe('a node that is killed', () => {
  it('between commit and send, or before the answer, delivers after its restart', async () => {
    const { path, remove } = createFolder();
    ends.push(async () => remove());
    const env = { DATABASE_URL: `sqlite:${join(path, 'baobab.db')}`, BLOB_URL: 'memory:', DATA_DIR: path };
    const receiver = await receiving();
    receiver.behave(() => undefined);
    const first = await start(env);
    await hook(first.call, receiver);
    await store(first.call, ['a']);
    await arrives(receiver, ['a']);
    await store(first.call, names('b', 30));
    first.node.kill('SIGKILL');
    await first.node.exit;
    receiver.received.length = 0;
    receiver.behave(answering(204));
    const { call } = await start(env);
    await arrives(receiver, ['a', ...names('b', 30)]);
    const gauge = async (name: string) => {
      const { text } = await call('GET', '/metrics', { headers });
      return Number(new RegExp(`^baobab_webhook_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    };
    await expect.poll(() => gauge('attempts_delivered')).toBe(31);
    await expect.poll(() => gauge('deliveries_waiting')).toBe(0);
    const rest = ['attempts_failed', 'attempts_refused', 'deliveries_parked', 'lag_seconds'];
    expect(await Promise.all(rest.map(gauge))).toEqual([0, 0, 0, 0]);
  });

  it('or stopped, leaves its webhooks to another one, which sends each message once', async () => {
    const database = await createDatabase();
    ends.push(() => database.drop());
    const env = { DATABASE_URL: database.url, BLOB_URL: 'memory:' };
    const receiver = await receiving();
    let [sender, other] = await Promise.all([start(env), start(env)]);
    const id = await hook(sender.call, receiver);
    await store(sender.call, names('a', 20));
    await arrives(receiver, names('a', 20));
    const ids = receiver.received.map((message) => message.headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);

    // One of the two sends, so that one of these kills ends the one that does.
    for (const [round, signal] of [
      ['b', 'SIGKILL'],
      ['c', 'SIGKILL'],
      ['d', 'SIGTERM'],
      ['e', 'SIGTERM'],
    ] as const) {
      sender.node.kill(signal);
      await sender.node.exit;
      await store(other.call, names(round, 20));
      await arrives(receiver, names(round, 20));
      [sender, other] = [other, await start(env)];
    }
    const path = `/admin/webhook/${id}/deliveries?state=waiting`;
    await expect.poll(async () => (await sender.call('GET', path, { headers })).data).toEqual([]);
  });
});
