import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import { createTestBackend } from '@baobab/server/testing';
import { expect, it } from 'vitest';
import openapi from '../../docs/openapi.json' with { type: 'json' };
import { keyScenarios } from '../support/api-keys.ts';
import { createCall, createWorld, onEveryStorage } from '../support/backend.ts';
import { STORAGES } from '../support/databases.ts';
import { adminOf, expectStatus } from '../support/people.ts';

interface Operation {
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const shared: Readonly<Record<string, unknown>> = openapi.components.responses;

/** A response, also one that several operations share. */
function described(response: unknown): unknown {
  const reference = (response as { readonly $ref?: string } | undefined)?.$ref;
  return reference === undefined ? (response ?? null) : shared[reference.split('/').at(-1) ?? ''];
}

/** Every operation: its method, its path with names of nothing that exists, and what the document says about it. */
const OPERATIONS = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.entries(item as Readonly<Record<string, Operation>>)
    .filter(([method]) => /^(get|put|post|delete)$/.test(method))
    .map(([method, { security = [], responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      url: path.replace(/\{\w+\}/g, 'nothing1'),
      takesKeys: security.some((one) => 'apiKey' in one),
      refusesKeys: JSON.stringify(described(responses['403'])).includes('key.user_required'),
    })),
);
const OF_PERSONS = OPERATIONS.filter(({ refusesKeys }) => refusesKeys);

onEveryStorage('the key of an administrator', (world) => {
  const { addKey, withKey } = keyScenarios(world);

  const answer = async (key: string, { name, url }: (typeof OPERATIONS)[number]) => {
    const { status, body } = await withKey(key, name.split(' ')[0] ?? '', url, { body: {} });
    return { status, code: String(body?.code ?? '') };
  };

  it('is accepted by the routes that are documented to take keys', async () => {
    const { key } = await addKey('administrator');
    const taking = OPERATIONS.filter(({ takesKeys, url }) => takesKeys && url !== '/changes/stream'); // does not end
    expect(taking.length).toBeGreaterThan(70);
    for (const operation of taking) {
      const { status, code } = await answer(key, operation);
      expect([operation.name, status < 500 || status === 503, code]).toEqual([
        operation.name,
        true,
        expect.not.stringMatching(/^(auth\.|key.invalid|key.user_required|admin\.)/),
      ]);
    }
  });

  it('is refused by the routes that are documented to be for users', async () => {
    const { key } = await addKey('administrator');
    const refused: string[] = [];
    for (const operation of OF_PERSONS) {
      const { status, code } = await answer(key, operation);
      if (code === 'key.user_required') refused.push(operation.name);
      // The application code, the body and the user in the path are checked first.
      else if (code !== 'app_code.missing') expect([400, 404], operation.name).toContain(status);
    }
    expect(OF_PERSONS.length).toBeGreaterThan(30);
    expect(refused.length).toBeGreaterThan(OF_PERSONS.length / 2);
  });
});

it('a key that is removed on one node is refused by the other at once', async () => {
  for (const [name, open] of Object.entries(STORAGES)) {
    if (name !== 'postgres') continue; // only Postgres has several nodes in one process
    const storage = await open();
    const secrets = createNodeSecrets('k'.repeat(40));
    const shared = { databaseUrl: storage.url, blobStore: createMemoryBlobs(), secrets };
    const backends = [await createTestBackend(shared), await createTestBackend(shared)] as const;
    const [one, other] = backends.map((backend) => createWorld(backend)) as [
      ReturnType<typeof createWorld>,
      ReturnType<typeof createWorld>,
    ];
    try {
      const { id, key } = await keyScenarios(one).addKey('registereduser');
      const { withKey } = keyScenarios(other);
      for (let i = 0; i < 3; i++) expect((await withKey(key, 'GET', '/users')).status).toBe(200);
      const call = createCall(backends[0]);
      await expectStatus(call('DELETE', `/admin/key/${id}`, { basic: adminOf(one) }), 200);
      expect((await withKey(key, 'GET', '/users')).body.code).toBe('key.invalid');
    } finally {
      for (const backend of backends) await backend.close();
      await storage.dispose();
    }
  }
});
