import { defineExtension, refuse } from '@baobab/server/extensions';
import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExtendedBackend, extended } from '../support/extensions.ts';

const TASK = {
  type: 'object',
  properties: { title: { type: 'string', maxLength: 20 }, due: { type: 'string', format: 'date' } },
  required: ['title'],
  additionalProperties: false,
} as const;

const tasks = defineExtension((app) => {
  app.route('POST', '/ext/tasks', { body: TASK, summary: 'Adds a task', returns: { type: 'object' } }, async (on) => {
    const title: string = on.body.title;
    return on.data.collection('tasks').create({ title, by: on.caller?.username ?? null });
  });
  app.route('GET', '/ext/tasks/:id', { access: 'anybody', query: ['note'] }, ({ params, query, caller, data }) => ({
    id: params.id,
    note: query.note ?? null,
    caller,
    hasAuth: 'auth' in data,
  }));
  app.route('GET', '/ext/read/:id', {}, ({ data, params }) => data.collection('tasks').get(params.id ?? ''));
  app.route('GET', '/ext/read-all/:id', {}, ({ data, params }) =>
    data
      .asAdministrator()
      .collection('tasks')
      .get(params.id ?? ''),
  );
  app.route('POST', '/ext/open', { access: 'open' }, ({ text, headers }) => ({ text, type: headers['content-type'] }));
  app.route('GET', '/ext/admin', { access: 'admin' }, async () => (await app.data.admin.collections.list()).length);
  app.route('GET', '/ext/refuse', {}, () => {
    throw refuse('The task is closed', { code: 'task.closed', status: 409 });
  });
  app.route('GET', '/ext/fault', {}, () => {
    throw new Error('secret of the fault');
  });
  app.route('GET', '/ext/nothing', {}, () => undefined);
  app.route('GET', '/ext/bigint', {}, () => 1n);
  app.route('GET', '/ext/fetch', {}, async () => {
    await app.fetch('http://127.0.0.1:9/');
  });
});

describe('routes of extensions', () => {
  let on: ExtendedBackend;
  let ann: string;
  let bob: string;

  beforeAll(async () => {
    on = await extended([tasks]);
    await on.admin.admin.collections.create('tasks');
    ann = (await on.user('ann')).token;
    bob = (await on.user('bob')).token;
  });
  afterAll(() => on.close());

  it('receive a validated body, and act with the rights of the caller', async () => {
    const { status, body } = await on.call('POST', '/ext/tasks', { token: ann, body: { title: 'Paint' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ result: 'ok', data: { title: 'Paint', by: 'ann', _author: 'ann' } });
    const { id } = body.data;
    expect((await on.call('GET', `/ext/read/${id}`, { token: ann })).body.data.title).toBe('Paint');
    expect(await on.call('GET', `/ext/read/${id}`, { token: bob })).toMatchObject({
      status: 403,
      body: { code: 'access.denied' },
    });
    expect((await on.call('GET', `/ext/read-all/${id}`, { token: bob })).body.data.title).toBe('Paint');
  });

  it('refuse an invalid body with each problem', async () => {
    const { status, body } = await on.call('POST', '/ext/tasks', { token: ann, body: { due: 'soon' } });
    expect(status).toBe(400);
    expect([body.code, body.message]).toEqual(['input.invalid', expect.stringMatching(/\/(due|title) is /)]);
    expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['/due', '/title']);
    expect((await on.call('POST', '/ext/tasks', { token: ann })).body.code).toBe('input.empty');
    expect((await on.call('POST', '/ext/tasks', { token: ann, text: '{' })).body.code).toBe('input.json_invalid');
  });

  it('receive parameters of the path and the query, and refuse unknown ones', async () => {
    const { body } = await on.call('GET', '/ext/tasks/a%20b?note=x');
    expect(body.data).toEqual({ id: 'a b', note: 'x', caller: null, hasAuth: false });
    expect((await on.call('GET', '/ext/tasks/1?nota=x')).body.code).toBe('query.unknown');
  });

  it('are reserved for the callers that they name', async () => {
    expect((await on.call('POST', '/ext/tasks', { body: { title: 'x' } })).body.code).toBe('auth.required');
    expect((await on.call('GET', '/ext/admin', { token: ann })).body.code).toBe('admin.required');
    const answer = await on.backend.app.inject({
      method: 'POST',
      url: '/ext/open?utm_source=x',
      headers: { 'content-type': 'application/json' },
      payload: '{ "a":1 }',
    });
    expect(answer.json().data).toEqual({ text: '{ "a":1 }', type: 'application/json' });
  });

  it('refuse with a code and a status of their own', async () => {
    const { status, body } = await on.call('GET', '/ext/refuse', { token: ann });
    expect([status, body.code, body.message]).toEqual([409, 'task.closed', 'The task is closed']);
  });

  it('answer a fault with 500, without its text, which is in the log with the name and the request', async () => {
    const { status, body } = await on.call('GET', '/ext/fault', { token: ann });
    expect([status, body.code]).toEqual([500, 'extension.failed']);
    expect(JSON.stringify(body)).not.toContain('secret of the fault');
    const entry = on.log.find(({ message, level }) => level === 'error' && message === 'extension failed');
    expect(entry?.values).toMatchObject({
      extension: 'extension-1',
      part: 'GET /ext/fault',
      reqId: expect.any(String),
      err: expect.objectContaining({ message: 'secret of the fault' }),
    });
  });

  it('answer a result that is not JSON like a fault', async () => {
    expect((await on.call('GET', '/ext/bigint', { token: ann })).body.code).toBe('extension.failed');
    expect(on.log.at(-1)?.values).toMatchObject({ part: 'GET /ext/bigint', reqId: expect.any(String) });
  });

  it('answer without data if they return nothing', async () => {
    expect((await on.call('GET', '/ext/nothing', { token: ann })).body.data).toBe('');
  });

  it('cannot fetch from private addresses unless they say so', async () => {
    expect((await on.call('GET', '/ext/fetch', { token: ann })).body.code).toBe('extension.failed');
    const { err } = on.log.at(-1)?.values ?? {};
    expect(String(err)).toContain('it is not public (loopback)');
  });

  it('are in the API reference, with their schemas', async () => {
    const { body } = await on.call('GET', '/openapi.json');
    const { operationId, summary, tags, requestBody } = body.paths['/ext/tasks'].post;
    expect([operationId, summary, tags]).toEqual(['extPostTasks', 'Adds a task', ['extensions']]);
    expect(requestBody.content['application/json'].schema.properties.title.maxLength).toBe(20);
    expect(body.paths['/ext/tasks/{id}'].get.parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['id', 'note']),
    );
    expect(body.tags.map(({ name }: { name: string }) => name)).toContain('extensions');
  });

  it('cannot be called with an invented secret of an internal call', async () => {
    const { app, appCode } = on.backend;
    const headers = { 'x-service-appcode': appCode, 'x-baobab-internal': 'x'.repeat(43) };
    expect((await app.inject({ url: '/ext/admin', headers })).json().code).toBe('auth.required');
  });
});

describe('a declaration that is invalid', () => {
  const start = (register: Parameters<typeof defineExtension>[0]) =>
    createTestBackend({ extensions: [defineExtension(register)] });
  const refused = async (register: Parameters<typeof defineExtension>[0]) =>
    String(
      await start(register)
        .then((backend) => backend.close())
        .catch((error: unknown) => error),
    );

  it.each([
    ['a path elsewhere', '/document/x', {}, 'a path is "/ext/"'],
    ['an unknown option', '/ext/x', { acess: 'open' }, 'there is no option "acess"'],
    ['an unknown access', '/ext/x', { access: 'everyone' }, 'access is one of'],
    ['an invalid schema', '/ext/x', { body: { type: 'list' } }, 'the schema of the body is invalid'],
  ])('names the extension and the route: %s', async (_name, path, options, problem) => {
    const text = await refused((app) => app.route('POST', path as '/ext/x', options as object, () => 1));
    expect(text).toContain('ExtensionError');
    expect(text).toContain(`POST ${path}: ${problem}`);
  });

  it('is a route that is declared twice', async () => {
    const text = await refused((app) => {
      app.route('GET', '/ext/x/:a', {}, () => 1);
      app.route('GET', '/ext/x/:b', {}, () => 1);
    });
    expect(text).toContain('declared twice');
  });

  it('is an asynchronous function', async () => {
    expect(await refused((async () => undefined) as () => void)).toContain('must be synchronous');
    const thenable = Object.fromEntries([['then', () => undefined]]);
    expect(await refused((() => thenable) as () => void)).toContain('must be synchronous');
  });
});
