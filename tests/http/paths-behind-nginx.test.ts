import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createShelf, type Shelf } from '../support/documents.ts';
import { createGroup, enroll, rolesIn } from '../support/groups.ts';
import { decodingServer, startNginx } from '../support/nginx.ts';
import { expectStatus, type Person, setSettings } from '../support/people.ts';
import type { RunningProxy } from '../support/proxies.ts';
import { openSocket, type RawAnswer, send } from '../support/sockets.ts';

/** Names with which a user could be taken for another one, or for a word of a route, by a proxy that resolves paths. */
const NAMES = [
  'x/../vic',
  'x\\..\\vic',
  '..',
  '.',
  'x/vic',
  '／..／vic',
  'sessions',
  'password',
  'suspend',
  'Suspend',
  'x%2F..%2Fvic',
];

describe('behind an nginx that decodes and resolves paths', () => {
  let backend: TestBackend;
  let world: World;
  let nginx: RunningProxy;
  let shelf: Shelf;
  let vic: Person;

  beforeAll(async () => {
    backend = await createTestBackend();
    world = createWorld(backend);
    nginx = await startNginx(decodingServer(await openSocket(backend.app)));
    shelf = await createShelf(world);
    vic = await world.user('vic');
    await setSettings(world, 'Application', { 'guests.allowed': true });
  });
  afterAll(async () => {
    await nginx.stop();
    await backend.close();
  });

  async function through(method: string, path: string, body?: unknown): Promise<RawAnswer> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      'x-service-appcode': backend.appCode,
      'x-bb-session': await world.admin(),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return send(nginx.port, { method, path, headers, body: json });
  }

  it('the proxy does decode and resolve', async () => {
    expect((await through('GET', '/user/x%2F..%2Fvic')).text).toContain('"name":"vic"');
  });

  it.each(NAMES)('nobody can be called %s, in any way to get a name', async (username) => {
    const { token } = await world.user();
    const admin = await world.admin();
    const guest = await expectStatus(world.call('POST', '/user/guest'), 201);
    const answers = [
      await world.call('POST', '/user', { body: { username, password: 'secret' } }),
      await world.call('PUT', '/me/username', { token, body: { username } }),
      await world.call('PUT', '/me/credentials', {
        token: guest.data['X-BB-SESSION'],
        body: { username, password: 'secret' },
      }),
      await world.call('POST', '/admin/user', {
        token: admin,
        body: { username, password: 'secret', role: 'registereduser' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it('the calls of administrators never reach another user or collection', async () => {
    const group = await createGroup(world, shelf.owner);
    await enroll(world, { id: group, by: shelf.owner, user: vic });
    const { id } = await shelf.create({ a: 1 });
    const document = `/document/${shelf.collection}/${id}`;
    for (const [method, path, body] of [
      ['DELETE', `/group/${group}/member/..`],
      ['DELETE', `/group/${group}/member/%2E%2E`],
      ['DELETE', '/admin/user/vic/sessions/..'],
      ['DELETE', '/admin/user/vic/sessions/%2e%2e'],
      ['DELETE', '/admin/user//sessions'],
      ['DELETE', '/admin/user/./sessions'],
      ['PUT', '/admin/user//password', { password: 'other-secret' }],
      ['PUT', '/admin/user/suspend/password', { password: 'other-secret' }],
      ['PUT', '/admin/user/suspend/'],
      ['DELETE', '/admin/collection//schema'],
      ['DELETE', `/admin/collection/${shelf.collection}/index/..`],
      ['DELETE', `/admin/collection/${shelf.collection}/schema/..`],
      ['DELETE', `${document}/.a/..`],
      ['DELETE', `${document}/..`],
      ['PUT', `${document}/read/user/..`],
    ] as const) {
      const { status } = await through(method, path, body);
      // 400: nginx made it the path of another route, which does not take the body.
      expect([400, 404], path).toContain(status);
    }
    expect(Object.keys(await rolesIn(world, group))).toContain('vic');
    expect((await world.call('GET', '/me', { token: vic.token })).status).toBe(200);
    expect((await world.call('POST', '/login', { body: { username: 'vic', password: 'secret' } })).status).toBe(200);
    expect((await world.call('GET', document, { token: shelf.owner.token })).data).toMatchObject({ a: 1 });
    expect((await world.call('GET', document, { token: vic.token })).status).toBe(403);
  });
});
