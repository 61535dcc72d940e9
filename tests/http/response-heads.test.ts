import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { filePart, stored } from '../support/files.ts';
import { openSocket, send } from '../support/sockets.ts';

// Heads are written by a class of responses of our own on sockets only: `inject` uses another one.
let backend: TestBackend;
let world: World;
let port = 0;

beforeAll(async () => {
  backend = await createTestBackend();
  world = createWorld(backend);
  port = await openSocket(backend.app);
});
afterAll(() => backend.close());

/** Headers of the connection, and those that differ: failures repeat headers of the request, which clients add. */
const OF_TRANSPORT = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
]);

const comparable = (headers: Iterable<readonly [string, unknown]>) =>
  Array.from(headers, ([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !OF_TRANSPORT.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));

it('are complete on a socket, whatever the response before was', async () => {
  const shelf = await createShelf(world);
  const { id } = await shelf.create({ text: 'grün' });
  const other = await world.user();
  const name = `Jürgen ${shelf.owner.name}`;
  const third = await world.user(name);
  const file = await stored(world, third.token, filePart('bytes', { type: 'text/x-notes' }));
  await shelf.share(id, 'read/role/registered');
  const code = { 'x-service-appcode': backend.appCode };
  const by = ({ token }: { token: string }, more = {}) => ({ ...code, 'x-bb-session': token, ...more });
  const asked: ReadonlyArray<readonly [method: string, path: string, headers: Record<string, string>]> = [
    ['GET', shelf.path(id), by(shelf.owner)],
    ['GET', shelf.path(id), by(other)],
    ['GET', shelf.path(id), by(third)],
    ['HEAD', shelf.path(id), by(shelf.owner)],
    ['GET', shelf.path(id), by(shelf.owner, { origin: 'https://app.example' })],
    ['GET', `/document/${shelf.collection}`, by(other)],
    ['GET', `/file/${file.id}`, by(third)],
    ['GET', `/file/${file.id}?download=true`, by(third, { range: 'bytes=0-1' })],
    ['GET', '/health/live', {}],
    ['GET', '/nowhere', code],
    ['GET', shelf.path(id), {}],
    ['OPTIONS', shelf.path(id), { origin: 'https://app.example', 'access-control-request-headers': 'x-bb-session' }],
    ['PUT', `${shelf.path(id)}/role/registered/read`, by(shelf.owner)],
    ['GET', shelf.path(id), by(shelf.owner, { 'x-request-id': 'from-a-proxy' })],
  ];
  for (const [method, path, headers] of [...asked, ...asked.toReversed()]) {
    const sent = await send(port, { method, path, headers, body: undefined });
    const injected = await backend.app.inject({ method: method as 'GET', url: path, headers });
    const what = `${method} ${path}`;
    expect([what, sent.status, comparable(sent.headers)]).toEqual([
      what,
      injected.statusCode,
      comparable(Object.entries(injected.headers)),
    ]);
    expect(sent.headers.get('x-request-id')).toMatch(headers['x-request-id'] ?? /^[\w.:-]{1,64}$/);
  }
});
