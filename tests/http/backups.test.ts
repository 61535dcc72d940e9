import { createTestBackend, type TestBackend, type TestBackendOptions } from '@baobab/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { createFolder } from '../support/databases.ts';
import { adminOf } from '../support/people.ts';

const HOUR = 3_600_000;
/** Size of a block of a tar archive, in bytes. */
const BLOCK = 512;

let folder: ReturnType<typeof createFolder>;
let backends: TestBackend[] = [];

beforeEach(() => {
  folder = createFolder();
});
afterEach(async () => {
  for (const backend of backends) await backend.close();
  backends = [];
  folder.remove();
});

async function open(options: TestBackendOptions = {}): Promise<World> {
  const backend = await createTestBackend({ databaseUrl: `sqlite:${folder.path}/a.db`, ...options });
  backends.push(backend);
  return createWorld(backend);
}

const stored = () => ({ backupUrl: `file:${folder.path}/backups` });
const admin = (world: World, method: string, url: string, body?: unknown) =>
  world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
const state = async (world: World) => (await admin(world, 'GET', '/admin/backup')).data;
const check = async (world: World) => (await admin(world, 'GET', '/admin/checks?check=backups')).data[0];
/** Makes a backup, and waits for its end. */
const storedNow = async (world: World) => {
  expect((await admin(world, 'POST', '/admin/backup')).status).toBe(202);
  await expect.poll(async () => (await state(world)).running).toBe(false);
};

/** Returns the names of the entries of a tar archive. */
function entriesOf(tar: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const name = tar
      .subarray(at, at + 100)
      .toString()
      .replace(/\0.*$/s, '');
    if (name === '') break;
    names.push(name);
    const size = Number.parseInt(tar.subarray(at + 124, at + 136).toString(), 8);
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return names;
}

describe('downloads of backups', () => {
  it('contain everything, and end with checksums', async () => {
    const world = await open();
    await admin(world, 'POST', '/admin/collection/notes');
    await admin(world, 'POST', '/document/notes', { title: 'kept' });
    const answer = await admin(world, 'POST', '/admin/backup/download');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-tar');
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="?baobab-\d{8}-\d{6}\.tar"?$/);
    const entries = entriesOf(answer.bytes);
    expect([entries[0], entries.at(-1)]).toEqual(['manifest.json', 'checksums.json']);
    expect(entries).toContain('rows/documents/000001.ndjson');
    expect(answer.bytes.includes('kept')).toBe(true);
    const events = (await admin(world, 'GET', '/admin/audit')).data;
    expect(events.map(({ act }: { act: string }) => act)).toContain('backup.downloaded');
  });

  it('are for administrators who have just logged in, not for users and API keys', async () => {
    const clock = createHandDrivenClock();
    const world = await open({ clock });
    const user = await world.user();
    const key = (await admin(world, 'POST', '/admin/key', { name: 'job', role: 'administrator' })).data.key;
    const token = await world.admin();
    const call = (options: object) => world.call('POST', '/admin/backup/download', options);
    expect((await call({ token: user.token })).body.code).toBe('admin.required');
    expect((await call({})).status).toBe(401);
    const byKey = await call({ appCode: null, headers: { authorization: `Bearer ${key}` } });
    expect(byKey.body.code).toBe('key.user_required');
    clock.advance(11 * 60_000);
    expect((await call({ token })).body.code).toBe('auth.fresh_login_required');
    expect((await call({ token, body: { current_password: 'wrong' } })).body.code).toBe('user.old_password_invalid');
    const again = await call({ token, body: { current_password: world.backend.adminPassword } });
    expect(again.status).toBe(200);
  });

  it('are refused in memory', async () => {
    const world = await open({ databaseUrl: 'memory:' });
    expect(await state(world)).toMatchObject({ supported: false, restorable: false, configured: false, stored: [] });
    for (const path of ['/admin/backup/download', '/admin/backup', '/admin/backup/restore'])
      expect((await admin(world, 'POST', path)).body.code).toBe('backup.unsupported');
  });
});

describe('stored backups', () => {
  it('need a place', async () => {
    const world = await open();
    expect(await state(world)).toMatchObject({ supported: true, configured: false, stored: [], next: null });
    expect((await admin(world, 'POST', '/admin/backup')).body.code).toBe('backup.unconfigured');
  });

  it('are listed, downloaded and removed', async () => {
    const world = await open(stored());
    expect((await state(world)).stored).toEqual([]);
    await storedNow(world);
    const [backup] = (await state(world)).stored;
    const download = (name: string) => admin(world, 'POST', '/admin/backup/download', { name });
    const answer = await download(backup.name);
    expect(answer.bytes.length).toBe(backup.size);
    expect(Number(answer.headers['content-length'])).toBe(backup.size);
    expect(entriesOf(answer.bytes).at(-1)).toBe('checksums.json');
    for (const name of ['20200101-000000-000', 'no-such', '..%2F..', '../../etc/passwd'])
      expect((await download(name)).body.code).toBe('backup.not_found');
    expect((await admin(world, 'DELETE', `/admin/backup/${backup.name}`)).status).toBe(200);
    expect((await admin(world, 'DELETE', `/admin/backup/${backup.name}`)).body.code).toBe('backup.not_found');
    expect((await state(world)).stored).toEqual([]);
  });

  it('are made on a schedule, and the oldest are removed', async () => {
    const clock = createHandDrivenClock();
    const world = await open({ ...stored(), clock });
    const { backend } = world;
    await admin(world, 'PUT', '/admin/configuration/Application/backup.interval.hours', { value: 2 });
    await admin(world, 'PUT', '/admin/configuration/Application/backup.keep', { value: 2 });
    const count = async () => (await state(world)).stored.length;
    const counts: number[] = [];
    for (let hour = 0; hour < 6; hour++) {
      await backend.runJobs();
      counts.push(await count());
      clock.advance(HOUR);
    }
    expect(counts).toEqual([0, 1, 1, 2, 2, 2]);
    clock.jump(40 * 24 * HOUR);
    await backend.runJobs();
    clock.jump(-40 * 24 * HOUR);
    for (let hour = 0; hour < 3; hour++) {
      await backend.runJobs();
      clock.advance(HOUR);
    }
    const [fast, newest] = (await state(world)).stored;
    expect(Date.parse(fast.created)).toBeGreaterThan(clock.now());
    expect(clock.now() - Date.parse(newest.created)).toBeLessThanOrEqual(2 * HOUR);
    await admin(world, 'PUT', '/admin/configuration/Application/backup.interval.hours', { value: 0 });
    expect((await state(world)).next).toBe(null);
  });

  it('report a failure', async () => {
    const world = await open({ backupUrl: 'file:/dev/null/backups' });
    await storedNow(world);
    expect((await state(world)).error).toMatch(/blob store/);
    expect(await check(world)).toMatchObject({
      state: 'fault',
      text: expect.stringMatching(/^The last backup failed/),
    });
  });

  it('are reported by the checks of the server when none was made for two intervals', async () => {
    const clock = createHandDrivenClock();
    const world = await open({ ...stored(), clock });
    expect(await check(world)).toMatchObject({ state: 'skipped', variables: ['BACKUP_URL'], section: 'Application' });
    await storedNow(world);
    expect(await check(world)).toMatchObject({ state: 'ok', text: 'The newest backup is 0 hours old' });
    clock.advance(48 * HOUR);
    expect(await check(world)).toMatchObject({ state: 'ok', text: 'The newest backup is 48 hours old' });
    clock.advance(2 * HOUR);
    expect(await check(world)).toMatchObject({ state: 'fault', text: 'The newest backup is 50 hours old' });
    await admin(world, 'PUT', '/admin/configuration/Application/backup.interval.hours', { value: 0 });
    expect((await check(world)).state).toBe('skipped');
  });
});
