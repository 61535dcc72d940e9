import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes of every shape
type Item = any;

onEveryStorage('batches that grant', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const batch = (operations: unknown, token: string, atomic: boolean) =>
    call('POST', '/batch', { token, body: { operations, atomic } });
  const read = (name: string, times: number) => ({ _allowRead: Array.from({ length: times }, () => ({ name })) });

  it.each([
    ['documents', (name: string, url: string) => ({ method: 'POST', path: url, body: read(name, 50) })],
    [
      'whole lists',
      (name: string, _url: string, document: string) => ({
        method: 'PUT',
        path: `${document}/acl`,
        body: { read: { users: Array.from({ length: 50 }, () => name) } },
      }),
    ],
  ])('may name 1,000 principals in all, for %s', async (_what, operation) => {
    const { create, path, owner, collection, ids } = await createShelf(world);
    const [url, { token }] = [`/document/${collection}`, owner];
    const { name } = await world.user();
    const { id } = await create({});
    const operations = (count: number) => Array.from({ length: count }, () => operation(name, url, path(id)));
    const { data } = await batch(operations(20), token, true);
    expect(data.map(({ http_code }: Item) => http_code)).toEqual(Array(20).fill(200));
    const before = await ids({ token });
    const answer = await batch(operations(21), token, true);
    expect([answer.status, answer.body.operation]).toEqual([400, 20]);
    expect(answer.body.code).toBe('grant.too_many');
    expect(await ids({ token })).toEqual(before);
    const each = await batch(operations(21), token, false);
    expect(each.data.map(({ http_code }: Item) => http_code)).toEqual([...Array(20).fill(200), 400]);
  });
});
