import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../../packages/contracts/src/any-text.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'get', ''];
const PATTERNS = [
  '/document/*',
  '/document/*/*',
  '/document/*/*/.*',
  '/document/*/*/.*[*]/.*',
  '/document/*/*/*/user/*',
  '/document/*/*/*/role/*',
  '/document/*/*/acl',
  '/*/*',
];
const ODD = ['', '%', '%00', '%ff', '%2F', '[0]', '..', '__proto__', 'constructor', 'count', '0', "'--", '?a=b', 'acl'];

const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });

/** A batch of arbitrary operations, many of them almost valid. */
function batches(words: readonly string[]): fc.Arbitrary<string> {
  const part = fc.oneof({ arbitrary: fc.constantFrom(...words), weight: 6 }, fc.constantFrom(...ODD), printable);
  const parts = fc.array(part, { minLength: 4, maxLength: 4 });
  const path = fc.tuple(fc.constantFrom(...PATTERNS), parts).map(([pattern, values]) => {
    let at = 0;
    return pattern.replace(/\*/g, () => values[at++] ?? '');
  });
  const name = fc.constantFrom('data', '@version', '_allow', 'read', 'a', '__proto__');
  const operation = fc.record(
    {
      method: fc.constantFrom(...METHODS),
      path: fc.oneof({ arbitrary: path, weight: 9 }, anyText()),
      body: fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }))),
    },
    { requiredKeys: ['method', 'path'] },
  );
  const operations = fc.array(fc.oneof({ arbitrary: operation, weight: 60 }, fc.jsonValue()), { maxLength: 8 });
  return fc.record({ atomic: fc.boolean(), operations }).map((object) => JSON.stringify(object));
}

onEveryStorage('a batch of arbitrary operations', (world) => {
  it('is never answered with 500, and a rejected batch changes nothing', async () => {
    const { collection, owner, create } = await createShelf(world);
    const { id } = await create({ a: [1] });
    const { token } = owner;
    const seen = async () => (await world.call('GET', `/document/${collection}`, { token: await world.admin() })).text;
    let done = 0;
    // One operation that is always valid; whether the following ones are is random.
    const right = JSON.stringify({ operations: [{ method: 'GET', path: `/document/${collection}/${id}` }] });
    await fc.assert(
      fc.asyncProperty(
        batches([collection, id, NOWHERE, 'admin', 'read', 'all']),
        fc.option(printable),
        async (body, key) => {
          const before = await seen();
          const headers = key === null ? {} : { 'idempotency-key': key };
          const { status, text, data } = await world.call('POST', '/batch', { token, body, headers });
          expect([status < 500, text]).toEqual([true, text]);
          if (status !== 200) expect(await seen()).toBe(before);
          const statuses: number[] = status === 200 ? data.map((item: { http_code: number }) => item.http_code) : [];
          expect(statuses.filter((one) => !(one >= 200 && one < 500))).toEqual([]);
          done += statuses.filter((one) => one < 300).length;
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 150), examples: [[right, null]] },
    );
    expect(done).toBeGreaterThan(0);
    expect((await world.call('GET', '/health/ready')).status).toBe(200);
  });
});
