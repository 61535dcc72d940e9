import { createTestBackend } from '@baobab/server/testing';
import { expect, it } from 'vitest';
import { createWorld } from './support/backend.ts';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';
import { until } from './support/patience.ts';
import { openSocket } from './support/sockets.ts';

const REQUESTS = [
  'GET /changes/stream',
  'GET /document/notes',
  'POST /document/notes',
  'POST /login',
  'POST /user',
  'PUT /document/notes/:id/.done',
];
const BODIES = ['data', 'done', 'password', 'title', 'username'];
const PARAMETERS = ['collection', 'orderBy', 'params', 'where'];

/** Returns the code of a page, with all texts in single quotes. */
const codeOf = (page: string) =>
  fences(readDocument(`docs/start-${page}.md`))
    .filter(({ info }) => /^(?:kotlin|swift|dart) /.test(info))
    .map(({ text }) => text.replaceAll('"', "'"))
    .join('\n');

/** Returns the methods and paths of the requests in the code. Both ways to get a session share one request. */
function requestsIn(code: string): string[] {
  const literal = Array.from(code.matchAll(/'([A-Z]+)', '(\/[^']*)'/g), ([, method, path]) => `${method} ${path}`);
  const [, method] = /'([A-Z]+)', path,/.exec(code) ?? [];
  const entered = Array.from(code.matchAll(/enter\('(\/[^']*)'/g), ([, path]) => `${method} ${path}`);
  return [...literal, ...entered].map((one) => one.replace(/\$\w+|\\\([\w.]+\)/, ':id')).sort();
}

/** Returns the members of bodies and queries in the code with their values, which are texts, literals or variables. */
const membersIn = (code: string) =>
  new Map(
    Array.from(
      code.matchAll(/(?:\.put\('(\w+)',|'(\w+)'(?: to|:)) (?:'([^']*)'|([\w.]+))/g),
      ([, put, named, text, other]) => [put ?? named ?? '', text ?? other ?? ''] as const,
    ),
  );

// The packages that the tests install have no current compilers for these languages, so the test reads the code.
it.each(['kotlin', 'swift', 'flutter'])('the code of the quick start sends requests that work: %s', async (page) => {
  const code = codeOf(page);
  const members = membersIn(code);
  expect(requestsIn(code)).toEqual(REQUESTS);
  expect([...members.keys()].sort()).toEqual([...BODIES, ...PARAMETERS].sort());
  const [appCode = '', session = ''] = [...new Set(Array.from(code.matchAll(/'(X-[A-Z-]+)'/g), ([, name]) => name))]
    .sort()
    .reverse();

  const backend = await createTestBackend({ appCode: '1234567890' });
  try {
    const { call, admin } = createWorld(backend);
    await call('POST', '/admin/collection/notes', { token: await admin() });
    const address = `http://127.0.0.1:${await openSocket(backend.app)}`;
    let token = '';
    const send = (request: string, body?: Readonly<Record<string, unknown>>) => {
      const [method = '', path = ''] = request.split(' ');
      const headers = {
        [appCode]: '1234567890',
        'Content-Type': 'application/json',
        ...(token && { [session]: token }),
      };
      return fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    };
    const dataOf = async (answer: Promise<Response>) => (await (await answer).json()).data;

    const ann = { username: 'ann', password: 'secret' };
    expect((await dataOf(send('POST /user', ann)))[session]).toEqual(expect.any(String));
    token = (await dataOf(send('POST /login', ann)))[session];

    let events = '';
    const stream = await send('GET /changes/stream?collection=notes');
    const reading = (async () => {
      for await (const part of stream.body ?? []) events += new TextDecoder().decode(part);
    })();
    const eventsSeen = () => events.split('\n').filter((line) => line.startsWith('event:')).length;
    expect(code).toContain("'event:'");
    await until(() => eventsSeen() >= 1);

    const done = JSON.parse(members.get('done') ?? '');
    const milk = await dataOf(send('POST /document/notes', { title: 'Milk', done }));
    await send('POST /document/notes', { title: 'Bread', done });
    await until(() => eventsSeen() >= 3);
    const data = JSON.parse(members.get('data') ?? '');
    expect((await send(`PUT /document/notes/${milk.id}/.done`, { data })).status).toBe(200);
    const query = new URLSearchParams(
      [...members].filter(([name]) => PARAMETERS.includes(name) && name !== 'collection'),
    );
    expect(await dataOf(send(`GET /document/notes?${query}`))).toMatchObject([{ title: 'Bread' }]);

    await send('POST /logout');
    await reading;
    const refused = await send(`GET /document/notes?${query}`);
    const failure = await refused.json();
    expect(failure).toMatchObject({ http_code: 401, message: expect.any(String) });
    expect(code).toContain(`'${failure.code}'`);
  } finally {
    await backend.close();
  }
});
