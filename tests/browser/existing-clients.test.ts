import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fixture } from '@baobab/contracts/images';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { filePart, multipart } from '../support/files.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { openSocket } from '../support/sockets.ts';

const JQUERY = createRequire(import.meta.url).resolve('jquery/dist/jquery.js');
const CLIENT = join(import.meta.dirname, 'jquery-client.js');
const PAGE =
  '<!doctype html><meta charset="utf-8"><script src="/jquery.js"></script><script src="/client.js"></script>';

/** The outcome of a call, as the page sees it. */
interface Outcome {
  readonly ok: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly value: any;
}

describe('a page of another origin that uses jQuery as existing clients do', () => {
  let backend: TestBackend;
  let world: World;
  let pages: Pages;
  let browser: SharedBrowser;
  let page: Page;
  let endPoint: string;

  beforeAll(async () => {
    backend = await createTestBackend();
    world = createWorld(backend);
    endPoint = `http://127.0.0.1:${await openSocket(backend.app)}`;
    pages = await servePages({
      '/page.html': PAGE,
      '/jquery.js': readFileSync(JQUERY),
      '/client.js': readFileSync(CLIENT),
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await backend?.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    await page.goto(`${pages.origin}/page.html`);
    await page.evaluate(
      ([to, code]) => {
        const scope = globalThis as unknown as { createClient(to: string, code: string): object; client: object };
        scope.client = scope.createClient(to, code);
      },
      [endPoint, backend.appCode] as const,
    );
    return () => page.close();
  });

  const attempt = (name: string, ...args: unknown[]): Promise<Outcome> =>
    page.evaluate(
      async ([called, given]) => {
        const { client } = globalThis as unknown as {
          client: Record<string, (...all: unknown[]) => Promise<unknown>>;
        };
        try {
          return { ok: true, value: await client[called]?.(...given) };
        } catch (error) {
          const { status, responseJSON, message } = error as {
            status?: number;
            responseJSON?: unknown;
            message?: string;
          };
          return { ok: false, value: { status, body: responseJSON, message } };
        }
      },
      [name, args] as const,
    );

  async function call(name: string, ...args: unknown[]) {
    const { ok, value } = await attempt(name, ...args);
    expect([name, ok, ok ? null : value]).toEqual([name, true, null]);
    return value;
  }

  async function refused(name: string, ...args: unknown[]) {
    const { ok, value } = await attempt(name, ...args);
    expect([name, ok]).toEqual([name, false]);
    expect(value.body).toMatchObject({ result: 'error', http_code: value.status });
    return value as { readonly status: number; readonly body: Record<string, unknown> };
  }

  async function member(): Promise<string> {
    const name = world.unique('member');
    await call('signup', name, 'secret', {
      visibleByTheUser: { email: 'a@example.org' },
      visibleByFriends: { nick: 'M' },
    });
    return name;
  }

  it('signs up, logs in with an expired token, reads and changes the profile, logs out', async () => {
    const name = await member();
    expect(await call('currentUser')).toMatchObject({
      username: name,
      roles: ['registereduser'],
      visibleByFriends: { nick: 'M' },
    });
    await call('useToken', 'stale');
    expect(await refused('fetchCurrentUser')).toMatchObject({ status: 401, body: { bb_code: '40101' } });
    expect(await call('login', name, 'secret')).toMatchObject({ username: name });
    expect(await call('fetchCurrentUser')).toMatchObject({ user: { name }, visibleByFriends: { nick: 'M' } });
    const changed = await call('updateUserProfile', { visibleByFriends: { nick: 'N' } });
    expect(changed).toMatchObject({ visibleByFriend: { nick: 'N' }, visibleByFriends: { nick: 'N' } });
    await call('changePassword', 'secret', 'other');
    expect(await refused('login', name, 'secret')).toMatchObject({ status: 401 });
    await call('login', name, 'other');
    await call('logout');
    expect(await refused('fetchCurrentUser')).toMatchObject({ status: 401 });
  });

  it('stores, changes, finds and shares documents', async () => {
    const collection = world.unique('books');
    await call('login', 'admin', backend.adminPassword);
    await call('createCollection', collection);
    const reader = await member();
    const owner = await member();
    const saved = await call('save', { title: 'Zeno', year: 1923, tags: ['a'] }, collection);
    expect(saved).toMatchObject({ title: 'Zeno', '@version': 1, _author: owner });
    // The library sends back what it received, with all the fields that the service owns.
    const again = await call('save', { ...saved, title: 'La coscienza di Zeno' }, collection);
    expect(again).toMatchObject({ id: saved.id, title: 'La coscienza di Zeno', '@version': 2 });
    expect(await refused('save', saved, collection)).toMatchObject({ status: 400, body: { bb_code: '40001' } });
    await call('save', { title: 'Senilità & Co', year: 1898 }, collection);
    expect(await call('updateField', saved.id, collection, 'tags[1]', 'b')).toMatchObject({ tags: ['a', 'b'] });
    expect(await call('loadObject', collection, saved.id)).toMatchObject({ id: saved.id });
    expect(await call('loadCollection', collection)).toHaveLength(2);
    const where = { where: 'title = ? or year > ?', params: ['Senilità & Co', 2000], orderBy: 'year desc' };
    expect(await call('loadCollection', collection, where)).toMatchObject([{ year: 1898 }]);
    expect(await refused('loadCollection', collection, { where: 'year >' })).toMatchObject({ status: 400 });
    expect(await call('fetchObjectsCount', collection)).toEqual({ count: 2 });
    const of = `/document/${collection}/${saved.id}`;
    await call('grantUser', of, 'read', reader);
    await call('grantRole', of, 'read', 'registered');
    await call('login', reader, 'secret');
    expect(await call('fetchObjectsCount', collection)).toEqual({ count: 1 });
    expect(await refused('deleteObject', saved.id, collection)).toMatchObject({ status: 403 });
    await call('login', owner, 'secret');
    await call('revokeUser', of, 'read', reader);
    await call('revokeRole', of, 'read', 'registered');
    await call('deleteObject', saved.id, collection);
    expect(await refused('loadObject', collection, saved.id)).toMatchObject({ status: 404 });
    await call('login', 'admin', backend.adminPassword);
    await call('deleteCollection', collection);
  });

  it('finds and follows users', async () => {
    const bob = await member();
    const ann = await member();
    expect(await call('fetchUserProfile', bob)).toMatchObject({ user: { name: bob }, visibleByFriends: null });
    expect(await call('followUser', bob)).toMatchObject({ visibleByFriends: { nick: 'M' } });
    expect(await refused('followUser', bob)).toMatchObject({ status: 400 });
    expect(await call('fetchFollowing', ann)).toMatchObject([{ user: { name: bob } }]);
    expect(await call('fetchFollowers', bob)).toMatchObject([{ user: { name: ann } }]);
    const found = await call('fetchUsers', { where: 'user.name = ?', params: [bob], page: 0, recordsPerPage: 5 });
    expect(found).toMatchObject([{ user: { name: bob } }]);
    await call('unfollowUser', bob);
    expect(await call('fetchFollowing', ann)).toEqual([]);
  });

  it('uploads, reads, shares and deletes files', async () => {
    const reader = await member();
    const owner = await member();
    const file = await page.evaluate(async () => {
      const form = new FormData();
      form.append('attachedData', JSON.stringify({ album: 'Ferien' }));
      form.append('file', new File(['hello'], 'grüße.txt', { type: 'text/plain' }));
      const { client } = globalThis as unknown as {
        client: { uploadFile(form: FormData): Promise<{ readonly id: string }> };
      };
      return client.uploadFile(form);
    });
    expect(file).toMatchObject({ fileName: 'grüße.txt', attachedData: { album: 'Ferien' }, _author: owner });
    expect(await call('fetchFile', file.id)).toBe('hello');
    await call('grantUser', `/file/${file.id}`, 'read', reader);
    await call('login', reader, 'secret');
    expect(await call('fetchFileDetails', file.id)).toMatchObject({ contentLength: 5 });
    expect(await refused('deleteFile', file.id)).toMatchObject({ status: 403 });
    await call('login', owner, 'secret');
    await call('revokeUser', `/file/${file.id}`, 'read', reader);
    await call('grantRole', `/file/${file.id}`, 'read', 'registered');
    await call('revokeRole', `/file/${file.id}`, 'read', 'registered');
    await call('deleteFile', file.id);
    expect(await refused('fetchFileDetails', file.id)).toMatchObject({ status: 404 });
  });

  it('shows images of assets in a size with an unencoded per cent sign', async () => {
    const token = await world.admin();
    const image = filePart(Buffer.from(fixture('opaque.png')), { fileName: 'logo.png', type: 'image/png' });
    const { status } = await world.call('POST', '/admin/asset', {
      token,
      bytes: multipart({ name: 'name', content: 'logo' }, { name: 'meta', content: '{"a":1}' }, image),
    });
    expect(status).toBe(201);
    await call('useToken', 'stale');
    expect(await call('loadAssetData', 'logo')).toMatchObject({ name: 'logo', meta: { a: 1 } });
    const address = await call('imageAddress', 'logo', '50%');
    expect(address).toContain('/resize/50%?');
    const width = await page.evaluate(
      (src) =>
        new Promise<number>((resolve) => {
          const shown = new Image();
          shown.onload = () => resolve(shown.naturalWidth);
          shown.onerror = () => resolve(-1);
          shown.src = src;
        }),
      address,
    );
    expect(width).toBeGreaterThan(0);
  });

  it('can read every failure, with its status and its body', async () => {
    await member();
    expect(await refused('sendPushNotification', { message: 'Hi', users: [] })).toMatchObject({ status: 403 });
    expect(await refused('createCollection', 'mine')).toMatchObject({ status: 403 });
    expect(await refused('grantUser', '/nowhere', 'read', 'x')).toMatchObject({ status: 404 });
    expect(await refused('resetPassword')).toMatchObject({ status: 503 });
    await call('login', 'admin', backend.adminPassword);
    const push = await refused('sendPushNotification', { message: 'Hi', users: ['admin'] });
    expect(push).toMatchObject({ status: 503, body: { bb_code: '50301' } });
  });
});
