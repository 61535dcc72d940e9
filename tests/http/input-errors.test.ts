import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, createWorld, type World } from '../support/backend.ts';
import { filePart, multipart } from '../support/files.ts';

const withFile = (name: string, content: string): CallOptions => ({
  bytes: multipart(filePart('x'), { name, content }),
});
const login = { username: 'admin', password: 'x', appcode: '1234567890' };

describe('invalid input', () => {
  let backend: TestBackend;
  let world: World;
  let token: string;
  let collection: string;

  beforeAll(async () => {
    backend = await createTestBackend();
    world = createWorld(backend);
    token = await world.admin();
    collection = await world.collection();
  });
  afterAll(() => backend.close());

  it.each<[method: string, url: string, path: string, options: CallOptions]>([
    ['POST', '/login', '/login_data', { form: { ...login, login_data: '{' } }],
    ['POST', '/login', '/login_data', { form: { ...login, login_data: '{"os":"ios"}' } }],
    ['POST', '/file', '/attachedData', withFile('attachedData', '{')],
    ['POST', '/file', '/attachedData', withFile('attachedData', '[1]')],
    ['POST', '/file', '/attachedData', withFile('attachedData', '{"a":1e999}')],
    ['POST', '/file', '/acl', withFile('acl', '{')],
    ['POST', '/file', '/acl', withFile('acl', '[]')],
    ['POST', '/file', '/acl/zz', withFile('acl', '{"zz":{}}')],
    ['POST', '/file', '/acl/read/users', withFile('acl', '{"read":{"users":"x"}}')],
    ['POST', '/file', '/acl/read/roles/1', withFile('acl', '{"read":{"roles":["registered","nobody"]}}')],
    ['POST', '/admin/asset', '/meta', { form: { name: 'a', meta: '{' } }],
    ['POST', '/admin/asset', '/meta', { form: { name: 'a', meta: '1e999' } }],
    ['POST', '/document/%', '/_allowRead', { body: { _allowRead: 'x' } }],
    ['POST', '/document/%', '/_allowRead/0', { body: { _allowRead: [{}] } }],
    ['POST', '/document/%', '/_allow/1', { body: { _allow: [{ name: 'admin' }, { name: 'nobody' }] } }],
    ['PUT', '/admin/configuration/Application/session_tokens.timeout', '/value', { body: { value: 'x' } }],
    ['PUT', '/admin/configuration/Application/session_tokens.timeout/x', 'path.value', {}],
  ])('is named: %s %s, %s', async (method, url, path, options) => {
    const { status, body } = await world.call(method, url.replace('%', collection), { token, ...options });
    // The message of an input is complete, so that it can be shown without the code.
    expect({ status, errors: body.errors }).toEqual({ status: 400, errors: [{ path, message: body.message }] });
  });

  it('in an access list is named', async () => {
    const { data } = await world.call('POST', `/document/${collection}`, { token, body: {} });
    const url = `/document/${collection}/${data.id}/acl`;
    const { body } = await world.call('PUT', url, { token, body: { 'z/z': {} } });
    expect(body.errors).toEqual([{ path: '/z~1z', message: body.message }]);
  });
});
