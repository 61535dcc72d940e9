import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createBook } from '../support/documents.ts';
import { expectStatus } from '../support/people.ts';

const LENGTH = 900_000;
/** Documents of this length that the changes of a batch may read. */
const READ = 18;

onEveryStorage('the work of a batch', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  /** A long document, and batches of the same change of it. */
  async function scene() {
    const { url, token, read } = await createBook(world, { text: 'x'.repeat(LENGTH), n: 0 });
    const batch = (body: object, { count = 100, atomic = false } = {}) => {
      const operations = Array.from({ length: count }, () => ({ method: 'PATCH', path: url, body }));
      return call('POST', '/batch', { token, body: { atomic, operations } });
    };
    return { url, token, read, batch };
  }
  const codesOf = (answer: { readonly data: readonly { readonly code?: string }[] }) =>
    answer.data.map(({ code }) => code);
  const expected = (first: string, count: number) =>
    Array.from({ length: 100 }, (_, at) => (at < count ? first : 'batch.work_too_large'));

  it('is limited by the documents that its changes read, also if they fail', async () => {
    const { batch } = await scene();
    const answer = await expectStatus(batch({ increment: { text: 1 } }), 200);
    expect(codesOf(answer)).toEqual(expected('field.type_invalid', READ));
    expect(answer.data.at(-1)).toMatchObject({ http_code: 413 });
  });

  it('counts a document again for each operator that reads lists', async () => {
    const { batch } = await scene();
    const patch = { append: { text: [1] }, addToSet: { text: [1] }, removeFrom: { text: [1] } };
    expect(codesOf(await expectStatus(batch(patch), 200))).toEqual(expected('field.type_invalid', 4));
  });

  it('leaves nothing of an atomic batch that exceeds it', async () => {
    const { url, token, read, batch } = await scene();
    await expectStatus(call('PUT', `${url}/update/role/registereduser`, { token }), 200);
    const before = await read();
    const operations = Array.from({ length: READ + 1 }, () => ({
      method: 'PUT',
      path: `${url}/.none`,
      body: { data: 1 },
    }));
    const writer = await world.user();
    const body = { atomic: true, operations };
    const answer = await call('POST', '/batch', { token: writer.token, body });
    expect([answer.status, answer.body.code, answer.body.operation]).toEqual([413, 'batch.work_too_large', READ]);
    expect(await read()).toEqual(before);
    expect((await batch({ increment: { n: 1 } }, { count: 2, atomic: true })).status).toBe(200);
  });

  it('does not keep other requests waiting until its end', async () => {
    const { batch } = await scene();
    let longest = 0;
    let last = performance.now();
    let isOver = false;
    const begun = last;
    const turn = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await expectStatus(batch({ increment: { text: 1 } }), 200);
    isOver = true;
    expect(longest / (performance.now() - begun)).toBeLessThan(0.5);
  });
});
