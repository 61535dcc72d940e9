import { readFileSync } from 'node:fs';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, createWorld } from '../support/backend.ts';
import { multipart } from '../support/files.ts';

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> } = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
);

/** Routes that change something, with and without a body. */
const routes = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/admin/'))
  .flatMap(([path, operations]) =>
    Object.keys(operations).flatMap((method) => (method === 'get' ? [] : [[method.toUpperCase(), path] as const])),
  )
  // A JSON schema: its members are those of JSON Schema.
  .filter(([, path]) => path !== '/admin/collection/{name}/schema');

describe('bodies of administrative routes', () => {
  let backend: TestBackend;
  let call: Call;
  let token: string;

  beforeAll(async () => {
    backend = await createTestBackend();
    const world = createWorld(backend);
    call = world.call;
    token = await world.admin();
  });
  afterAll(() => backend.close());

  it('are all in the document', () => {
    expect(routes.length).toBeGreaterThan(40);
  });

  it.each(routes)('refuse members that they do not have: %s %s', async (method, path) => {
    const url = path.replace(/\{\w+\}/g, 'x');
    const { status, body } = await call(method, url, { token, body: { hasNoSuchMember: 1 } });
    expect({ status, code: body.code, message: body.message }).toEqual({
      status: 400,
      code: 'input.invalid',
      message: expect.stringContaining('hasNoSuchMember'),
    });
    expect(body.errors).toEqual([expect.objectContaining({ path: '/hasNoSuchMember' })]);
  });

  it.each([
    { form: { name: 'logo', metadata: '{}' } },
    { bytes: multipart({ name: 'name', content: 'logo' }, { name: 'metadata', content: '{}' }) },
  ])('refuse form fields that they do not have', async (fields) => {
    const { status, body } = await call('POST', '/admin/asset', { token, ...fields });
    expect([status, body.errors?.[0].path]).toEqual([400, '/metadata']);
  });

  it('names the member that was probably meant', async () => {
    const body = { url: 'https://example.org/hook', collection: 'x' };
    const { status, body: refused } = await call('POST', '/admin/webhook', { token, body });
    expect([status, refused.message]).toEqual([400, expect.stringContaining('did you mean "collections"?')]);
  });
});
