import { createHash } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { pause } from '../support/patience.ts';
import { type Program, startProgram } from '../support/program.ts';
import { type ApnsStandIn, startApns } from '../support/push/apns.ts';
import { type FcmStandIn, startFcm } from '../support/push/fcm.ts';
import type { PushStandIn, ReceivedPush, Reply } from '../support/push/stand-in.ts';

/** Shorter than any wait for a push service, milliseconds. */
const SLOW_MS = 3_000;
const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function standIns(): Promise<{ fcm: FcmStandIn; apns: ApnsStandIn; env: Record<string, string> }> {
  const [fcm, apns] = [await startFcm(), await startApns()];
  cleanups.push(fcm.close, apns.close);
  return { fcm, apns, env: { ...SETTINGS, PUSH_FCM_URL: fcm.url, PUSH_APNS_URL: apns.url } };
}

function start(env: Readonly<Record<string, string>>): Program {
  const program = startProgram(env);
  cleanups.push(() => program.dispose());
  return program;
}

const clientOf = async (program: Program) => createClient(await program.ready(), SETTINGS.APP_CODE);

async function login(client: Client, username: string, password: string, login_data?: object): Promise<string> {
  const { data, text } = await client('POST', '/login', { body: { username, password, login_data } });
  if (data === undefined) throw new Error(text);
  return data['X-BB-SESSION'];
}

/** Configures both push services, as an administrator does. Resolves to the administrator's session. */
async function setUp(client: Client, { fcm, apns }: { fcm: FcmStandIn; apns: ApnsStandIn }): Promise<string> {
  const token = await login(client, 'admin', SETTINGS.ADMIN_PASSWORD);
  const values = {
    'push.android.service_account': fcm.config.serviceAccount,
    'push.ios.team': apns.config.team,
    'push.ios.topic': apns.config.topic,
    'push.ios.key_id': apns.config.keyId,
    'push.ios.key': apns.config.key,
  };
  for (const [key, value] of Object.entries(values)) {
    const { status, text } = await client('PUT', `/admin/configuration/Push/${key}`, { token, body: { value } });
    if (status !== 200) throw new Error(text);
  }
  return token;
}

async function signUp(client: Client, username: string, os: 'android' | 'ios', deviceId: string): Promise<string> {
  await client('POST', '/user', { body: { username, password: 'secret' } });
  return login(client, username, 'secret', { os, deviceId });
}

/** 5,000 notifications; `PUSH_USERS=1000`: 20,000. */
const USERS = Number(process.env.PUSH_USERS ?? 250);
const DEVICES_OF_EACH = 20;
const ALL = USERS * DEVICES_OF_EACH;
const RESTLESS = 20;

/** Users `crowd-1`, `crowd-2` and so on, each with devices `ios-n` and `android-n`. */
async function plantCrowd(sql: Sql): Promise<void> {
  await sql`insert into users (id, name, name_key, skeleton, role, status, password_hash, generated, created,
      visible_user, visible_friend, visible_registered, visible_anonymous)
    select gen_random_uuid(), 'crowd-' || n, 'crowd-' || n, 'crowd-' || n, 'registereduser', 'ACTIVE', null, 0, 1, '{}', '{}', '{}', '{}'
    from generate_series(1, ${USERS}::int) n`;
  await sql`insert into devices (id, user_id, os, registered)
    select os || '-' || n, u.id, os, 1
    from generate_series(0, ${ALL / 2 - 1}::int) n
    cross join (values ('ios'), ('android')) platforms (os)
    join users u on u.name = 'crowd-' || (1 + n % ${USERS}::int)`;
}

const hashOf = (text: string) => createHash('md5').update(text).digest().readUInt32BE(0);

/**
 * The kind of each device: 0.5 % are unregistered, 1 % busy at first, 1 % cut off at first, half of them after the
 * message was accepted.
 */
function behaviourOf(device: string): 'dead' | 'busy' | 'cut' | 'accept and cut' | 'restless' | 'live' {
  if (device.startsWith('restless')) return 'restless';
  const thousandth = hashOf(device) % 1_000;
  if (thousandth < 5) return 'dead';
  if (thousandth < 15) return 'busy';
  if (thousandth < 20) return 'cut';
  return thousandth < 25 ? 'accept and cut' : 'live';
}

function replyTo(device: string, nth: number): Reply {
  const behaviour = behaviourOf(device);
  if (behaviour === 'dead') return 'dead';
  if (behaviour === 'restless') return { busyFor: 1 };
  if (nth > 1 || behaviour === 'live') return 'accept';
  return behaviour === 'busy' ? { busyFor: 1 } : behaviour;
}

const isTaken = ({ reply }: ReceivedPush) => reply === 'accept' || reply === 'accept and cut';

/** Sends other requests continuously until it is stopped; then returns the duration of each, in milliseconds. */
function keepRequesting(client: Client, token: string): () => Promise<readonly number[]> {
  let isOver = false;
  const asking = (async () => {
    const times: number[] = [];
    while (!isOver) {
      const began = performance.now();
      const read = await client('GET', '/me', { token });
      const changed = await client('PUT', '/me', { token, body: { visibleByTheUser: { n: times.length } } });
      if (read.status !== 200 || changed.status !== 200) throw new Error(read.text + changed.text);
      times.push(performance.now() - began);
      await pause(50);
    }
    return times;
  })();
  asking.catch(() => undefined); // reported to the caller who reads the durations
  return () => {
    isOver = true;
    return asking;
  };
}

const medianOf = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;

/** The number of deliveries of some messages in each state. */
async function countStates(client: Client, token: string, ids: readonly string[]): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const id of ids) {
    const { data } = await client('GET', `/push/message/${id}?recordsPerPage=1`, { token });
    const entries = [data.counts.android, data.counts.ios].flatMap((of) => Object.entries(of));
    for (const [state, count] of entries) total[state] = (total[state] ?? 0) + Number(count);
  }
  return total;
}

/** The number of notifications that each device shows: of several with one key only the last. */
function shownOn(received: readonly ReceivedPush[]): Map<string, number> {
  const keys = new Map<string, Set<string>>();
  for (const { device, collapse } of received.filter(isTaken)) {
    keys.set(device, (keys.get(device) ?? new Set()).add(collapse));
  }
  return new Map([...keys].map(([device, of]) => [device, of.size]));
}

/** The number of nodes that sent a substantial share of the notifications to a service. */
function sharers({ received }: Pick<PushStandIn, 'received'>): number {
  const shares = new Map<string, number>();
  for (const { credential } of received) shares.set(credential, (shares.get(credential) ?? 0) + 1);
  return [...shares.values()].filter((share) => share > ALL * 0.03).length;
}

async function twoNodes(services: Awaited<ReturnType<typeof standIns>>) {
  const database = await createDatabase();
  cleanups.push(database.drop);
  const sql = postgres(database.url, { max: 2, onnotice: () => undefined });
  cleanups.push(() => sql.end());
  await plantCrowd(sql);
  const env = { ...services.env, DATABASE_URL: database.url };
  const [first, second] = [start(env), start(env)];
  const [client] = await Promise.all([clientOf(first), clientOf(second)]);
  return { sql, first, second, client, token: await setUp(client, services) };
}

/** Users with a device for which the push services always ask for a retry. */
function signUpRestless(client: Client) {
  return Promise.all(
    Array.from({ length: RESTLESS }, async (_, i) => {
      const [name, device] = [`restless${i}`, `restless-${i}`];
      return { name, device, token: await signUp(client, name, i % 2 === 0 ? 'ios' : 'android', device) };
    }),
  );
}

describe(`${ALL} notifications`, () => {
  it('reach every live device once from two nodes, one of which is killed, and none after a log-out', async () => {
    const services = await standIns();
    const { fcm, apns } = services;
    for (const standIn of [fcm, apns]) standIn.behave(replyTo);
    const received = () => [...fcm.received, ...apns.received];
    const { sql, first, second, client, token } = await twoNodes(services);
    const restless = await signUpRestless(client);

    const crowd = Array.from({ length: USERS }, (_, i) => `crowd-${i + 1}`);
    const ids: string[] = [];
    for (const users of [[...restless.map(({ name }) => name), ...crowd.slice(RESTLESS)], crowd.slice(0, RESTLESS)]) {
      const sent = await client('POST', '/push/message?recordsPerPage=1', { token, body: { message: 'Hi', users } });
      expect([sent.status, sent.body.more]).toEqual([200, true]);
      ids.push(sent.data.id);
    }
    const stopRequesting = keepRequesting(client, token);

    await expect.poll(() => received().length, { interval: 5 }).toBeGreaterThan(ALL * 0.3);
    await expect.poll(() => [sharers(fcm), sharers(apns)], { interval: 5 }).toEqual([2, 2]);
    second.kill('SIGKILL');
    expect(received().length).toBeLessThan(ALL);
    const left = new Map<string, number>();
    for (const one of restless) {
      expect((await client('POST', '/logout', { token: one.token })).status).toBe(200);
      left.set(one.device, Date.now());
    }

    const live = Array.from({ length: ALL / 2 }, (_, n) => [`ios-${n}`, `android-${n}`])
      .flat()
      .filter((device) => behaviourOf(device) !== 'dead');
    const dead = ALL - live.length;
    await expect
      .poll(() => countStates(client, token, ids), { interval: 250 })
      .toEqual({ delivered: live.length, dead, withdrawn: RESTLESS });
    const times = await stopRequesting();
    expect(medianOf(times)).toBeLessThan(SLOW_MS);

    const shown = shownOn(received());
    expect(live.filter((device) => shown.get(device) !== 1)).toEqual([]);
    expect(shown.size).toBe(live.length);
    // Only notifications on a cut connection to Apple, or on the node that died, were sent twice (and shown once): at most
    // 50 for each cut, of which there is one for every 200 devices, and 100 of the node. How many depends on the machine.
    expect(received().filter(isTaken).length - live.length).toBeLessThan(ALL * 0.3);

    const [kept] = await sql`select count(*)::int as n from devices where id not like 'restless%'`;
    expect(kept?.n).toBe(live.length);
    // Devices rejected just before took as long as any others.
    const slowest = Math.max(500, ...times);
    const late = received().filter(({ device, at }) => at > (left.get(device) ?? Infinity) + slowest);
    expect(late).toEqual([]);
    first.kill('SIGTERM');
    expect(await first.exit).toEqual({ code: 0, signal: null });
  });
});

describe('push services that are slow, down or send invalid answers', () => {
  it('delay no other request, and accepted messages are sent after a restart', async () => {
    const services = await standIns();
    const { fcm, apns } = services;
    fcm.behave(() => 'hang');
    apns.behave((device) => (hashOf(device) % 2 === 0 ? 'garbage' : 'down'));
    const { path, remove } = createFolder();
    cleanups.push(remove);
    const env = { ...services.env, DATA_DIR: path };
    const program = start(env);
    const client = await clientOf(program);
    const token = await setUp(client, services);
    const devices: string[] = [];
    for (let i = 0; i < 60; i++) {
      const os = i % 2 === 0 ? 'ios' : 'android';
      devices.push(`${os}-${i}`);
      await client('PUT', `/push/enable/${os}/${os}-${i}`, {
        headers: { authorization: `Basic ${Buffer.from(`admin:${SETTINGS.ADMIN_PASSWORD}`).toString('base64')}` },
      });
    }
    const times: number[] = [];
    for (let i = 0; i < 30; i++) {
      const began = performance.now();
      const { status } = await client('POST', '/push/message/admin', { token, body: { message: `number ${i}` } });
      expect([200, 503]).toContain(status);
      expect((await client('GET', '/users', { token })).status).toBe(200);
      times.push(performance.now() - began);
    }
    expect(medianOf(times)).toBeLessThan(SLOW_MS);
    expect((await client('GET', '/health/ready')).status).toBe(200);

    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null }); // not 0 when the stop has to be forced

    for (const standIn of [fcm, apns]) standIn.behave(() => 'accept');
    const again = start(env);
    await again.ready();
    const arrived = () => {
      const pairs = [...fcm.received, ...apns.received].filter(isTaken);
      return new Set(pairs.map(({ device, id }) => `${device} ${id}`)).size;
    };
    await expect
      .poll(arrived, { interval: 100 })
      .toBe(30 * devices.length)
      .catch((error: unknown) => {
        throw new Error(`${error}\n${again.output()}\n${again.errors()}`);
      });
  });
});
