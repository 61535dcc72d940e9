import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { expectStatus } from '../support/people.ts';

/** Maximum size of a document, in bytes. */
const MAX = 1_048_576;

onEveryStorage('the size of a document, for callers who may update but not read it', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  /** A document of a size, in bytes, and a user who may update it but not read it. */
  async function scene(content: object, size: number) {
    const [collection, author, writer] = [await world.collection(), await world.user(), await world.user()];
    const pad = size - JSON.stringify({ ...content, pad: '' }).length;
    const body = JSON.stringify({ ...content, pad: 'x'.repeat(pad) });
    const created = call('POST', `/document/${collection}`, { token: author.token, body });
    const url = `/document/${collection}/${(await expectStatus(created, 200)).data.id}`;
    await expectStatus(call('PUT', `${url}/update/user/${writer.name}`, { token: author.token }), 200);
    const as =
      ({ token }: { readonly token: string }) =>
      async (method: string, path: string, sent?: unknown) => {
        const { status, body: answer } = await call(method, url + path, {
          token,
          ...(sent === undefined ? {} : { body: sent }),
        });
        return [status, answer.code];
      };
    return { url, author, asAuthor: as(author), asWriter: as(writer) };
  }

  const TOO_LARGE = [413, 'document.too_large'];
  const DONE = [200, undefined];

  it.each<[what: string, change: object, one: object, other: object]>([
    ['a number', { increment: { n: 60_000 } }, { n: 48_273 }, { n: 30_000 }],
    ['a number with a minimum', { min: { n: 7 }, set: { m: 12 } }, { n: 48_273 }, { n: 1 }],
    ['an element', { removeFrom: { list: ['yes'] }, set: { m: 12 } }, { list: ['yes'] }, { list: ['no!'] }],
    ['an element of a set', { addToSet: { list: ['yes'] } }, { list: ['yes'] }, { list: ['no!'] }],
    ['a text', { set: { secret: 'long' } }, { secret: 'long' }, { secret: '' }],
  ])('says nothing about %s', async (_what, change, one, other) => {
    const outcomes = [];
    for (const content of [one, other]) {
      const { asWriter } = await scene(content, MAX);
      outcomes.push(await asWriter('PATCH', '', change));
    }
    expect(outcomes).toEqual([TOO_LARGE, TOO_LARGE]);
  });

  it('counts for fields and merge patches as well, and never for removals', async () => {
    const { url, author, asAuthor, asWriter } = await scene({ n: 1, list: [1, 2], o: { a: 1 } }, MAX);
    expect(await asWriter('PUT', '/.n', { data: 2 })).toEqual(TOO_LARGE);
    expect(await asAuthor('PUT', '/.n', { data: 2 })).toEqual(DONE);
    const bytes = { type: 'application/merge-patch+json', payload: Buffer.from('{"n":3}') };
    const token = author.token;
    expect((await call('PATCH', url, { token, bytes })).status).toBe(200);
    expect(await asWriter('PATCH', '', { remove: ['list[0]'], removeFrom: { list: [2] } })).toEqual(DONE);
    expect(await asWriter('DELETE', '/.o/.a')).toEqual(DONE);
    expect((await call('GET', url, { token })).data).toMatchObject({ n: 3, list: [], o: {} });
  });

  it('is not found by what still fits: near the maximum, changes are refused at random', async () => {
    const { asWriter } = await scene({ n: 1 }, MAX - MAX / 32);
    const outcomes = new Set<unknown>();
    for (let i = 0; i < 60 && outcomes.size < 2; i++) outcomes.add((await asWriter('PUT', '/.n', { data: i % 9 }))[0]);
    expect(outcomes).toEqual(new Set([200, 413]));
  });

  it('is exact for callers who may read the document', async () => {
    const { asAuthor } = await scene({ n: 48_273 }, MAX);
    expect(await asAuthor('PATCH', '', { increment: { n: 50_000 } })).toEqual(DONE);
    expect(await asAuthor('PATCH', '', { increment: { n: 50_000 } })).toEqual(TOO_LARGE);
  });
});
