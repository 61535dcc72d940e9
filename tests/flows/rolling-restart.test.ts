import { afterEach, describe, expect, inject, it } from 'vitest';
import { CHECK_MS, findHaproxy, startHaproxy, startOwnBalancer } from '../support/balancer.ts';
import { s3Options, s3Url } from '../support/blobs.ts';
import { createClient } from '../support/client.ts';
import { createClone } from '../support/clone.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { createFileLoad } from '../support/file-load.ts';
import { openLoad } from '../support/load.ts';
import { pause } from '../support/patience.ts';
import { type Program, startProgram } from '../support/program.ts';
import { type FcmStandIn, startFcm } from '../support/push/fcm.ts';
import { startUpload } from '../support/slow-upload.ts';

const RATE = 300;
/** The balancer checks often enough to notice within this time, even on a busy machine. */
const DRAIN_MS = CHECK_MS * 20;
const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };
/** The size of an upload that is in progress when its node is told to stop. Bytes. */
const PIECE = 1_500_000;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Services that two nodes share: a database, a bucket, and a push service. */
async function sharedBackends(): Promise<{ environment: Readonly<Record<string, string>>; fcm: FcmStandIn }> {
  const { url, drop } = await createDatabase();
  cleanups.push(drop);
  const fcm = await startFcm();
  cleanups.push(fcm.close);
  const { accessKeyId, secretAccessKey } = inject('s3');
  const environment = {
    ...SETTINGS,
    DATABASE_URL: url,
    BLOB_URL: s3Url(s3Options()),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    PUSH_FCM_URL: fcm.url,
    DRAIN_DELAY_MS: String(DRAIN_MS),
  };
  return { environment, fcm };
}

async function startNode(
  environment: Readonly<Record<string, string>>,
  PORT = '0',
): Promise<{ program: Program; address: string }> {
  // Nothing else on the machine is shared.
  const { path, remove } = createFolder();
  cleanups.push(remove);
  const clone = createFolder();
  cleanups.push(clone.remove);
  // Like `npm start`, which also forwards the signals that the program gets.
  const command = createClone(clone.path);
  const program = startProgram({ ...environment, DATA_DIR: path, PORT }, { command, detached: true });
  cleanups.push(() => program.dispose());
  return { program, address: await program.ready() };
}

/** An administrator and an ordinary user with a device, through the balancer. */
async function settle(address: string, { config }: Pick<FcmStandIn, 'config'>) {
  const client = createClient(address, SETTINGS.APP_CODE);
  const login = async (username: string, password: string, login_data?: object): Promise<string> =>
    (await client('POST', '/login', { body: { username, password, login_data } })).data['X-BB-SESSION'];
  const admin = await login('admin', SETTINGS.ADMIN_PASSWORD);
  await client('POST', '/admin/collection/books', { token: admin });
  const value = config.serviceAccount;
  await client('PUT', '/admin/configuration/Push/push.android.service_account', { token: admin, body: { value } });
  await client('POST', '/user', { body: { username: 'ann', password: 'secret' } });
  const token = await login('ann', 'secret', { os: 'android', deviceId: 'phone' });
  return { client, admin, token };
}

const haproxy = findHaproxy();
const balancers = [
  ['a balancer of our own', startOwnBalancer] as const,
  // Also with the real one, where it is installed.
  ...(haproxy === null ? [] : [['HAProxy', (nodes: readonly string[]) => startHaproxy(haproxy, nodes)] as const]),
];

describe.each(balancers)('two nodes on Postgres and S3 behind %s', (_name, startBalancer) => {
  it('restart one at a time by signals to their groups under 300 requests a second, and no request fails', async () => {
    const { environment, fcm } = await sharedBackends();
    const nodes = await Promise.all([startNode(environment), startNode(environment)]);
    const balancer = await startBalancer(nodes.map(({ address }) => address));
    cleanups.push(() => balancer.close());
    const { address } = balancer;
    const { client, admin, token } = await settle(address, fcm);
    const files = createFileLoad({ address, appCode: SETTINGS.APP_CODE, token, admin });
    for (const { address: node } of nodes) expect(await files.upload(node)).toBe(201);
    const { data: book } = await client('POST', '/document/books', { token, body: { n: 0 } });

    const created: number[] = [];
    const pushed: string[] = [];
    const calls: ReadonlyArray<(n: number) => Promise<number>> = [
      async (n) => {
        const { status } = await client('POST', '/document/books', { token, body: { n } });
        created.push(n);
        return status;
      },
      () => files.upload(),
      (n) => files.publish(n),
      (n) => files.resize(n),
      ...Array.from({ length: 4 }, () => files.download),
      async () => {
        const { status, data } = await client('POST', '/push/message/ann', { token: admin, body: { message: 'Hi' } });
        pushed.push(data?.id);
        return status;
      },
    ];
    const load = openLoad(RATE, async (n) => {
      const call = n % 3 === 0 ? calls[(n / 3) % calls.length] : undefined;
      return call?.(n) ?? (await client('GET', `/document/books/${book.id}`, { token })).status;
    });
    await pause(500);
    for (const { program, address: node } of nodes) {
      const port = new URL(node).port;
      const slow = await startUpload(Number(port), { size: PIECE * 3, token, appCode: SETTINGS.APP_CODE });
      await slow.send(PIECE);
      program.killGroup('SIGTERM');
      for (let sent = PIECE; sent < PIECE * 3; sent += PIECE) {
        await pause(DRAIN_MS * 0.7); // beyond the delay
        program.killGroup('SIGTERM'); // some supervisors repeat it
        await slow.send(PIECE);
      }
      await slow.endFile();
      expect(await slow.finish()).toBe('HTTP/1.1 201 Created');
      expect(await program.exit).toEqual({ code: 0, signal: null });
      await startNode(environment, port);
      await pause(DRAIN_MS); // until the balancer has noticed it
    }
    await expect.poll(() => Math.min(created.length, files.stored.length, 2 * pushed.length)).toBeGreaterThan(50);
    // At least as many calls as ten seconds of that rate: it takes longer on a slower machine.
    await expect.poll(() => load.count).toBeGreaterThan(RATE * 10);
    await load.stop();
    expect(load.failures).toEqual([]);
    const { data: counted } = await client('GET', '/document/books/count', { token });
    expect(counted.count).toBe(created.length + 1);

    for (const { address: node } of nodes) {
      expect(new Set(await files.readAll(node))).toEqual(new Set([200]));
    }
    // Whichever node sends a notification, it arrives once.
    const received = () => fcm.received.map(({ id }) => id).sort();
    await expect.poll(received).toEqual([...pushed].sort());
  });
});
