import { expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus } from '../support/people.ts';

const MAX_PAGE_BYTES = 10_000;
const LARGE = { text: 'a'.repeat(4_000) };

function expectRefused(answer: Answer, status: number, code: string): void {
  expectFailure(answer, status);
  expect(answer.body.code).toBe(code);
}

onEveryStorage(
  'bytes of references',
  (world) => {
    /** Documents on one shelf that refer to those on another. */
    async function prepare() {
      const [shelf, others] = [await createShelf(world), await createShelf(world)];
      const asAdmin = { token: await world.admin() };
      const url = `/document/${shelf.collection}`;
      const create = async (content: unknown): Promise<string> => (await shelf.create(content)).id;
      const createOther = async (content: unknown): Promise<string> => (await others.create(content)).id;
      const get = (query: string) => world.call('GET', `${url}${query}`, asAdmin);

      /** All pages of a list, each by the `next` of the one before. */
      async function pagesOf(query: string): Promise<Answer[]> {
        const pages: Answer[] = [];
        for (let cursor = ''; ; ) {
          const page = await expectStatus(get(`?${query}${cursor}`), 200);
          pages.push(page);
          if (!page.body.more) return pages;
          cursor = `&cursor=${encodeURIComponent(page.body.next)}`;
        }
      }
      return { create, createOther, get, pagesOf };
    }

    function expectBounded(pages: readonly Answer[]): void {
      expect(pages.length).toBeGreaterThan(2);
      for (const { text } of pages) expect(text.length).toBeLessThan(MAX_PAGE_BYTES * 1.5);
    }

    it.each(['', '&orderBy=n%20desc', '&where=n%20%3E%3D%200', '&recordsPerPage=4'])(
      'count for a page, which ends early and loses nothing: %j',
      async (query) => {
        const { create, createOther, pagesOf } = await prepare();
        const shared = await createOther(LARGE);
        const ids: string[] = [];
        for (let n = 0; n < 10; n++) {
          const own = await createOther(LARGE);
          ids.push(await create({ n, at: n % 3 === 0 ? own : shared }));
        }
        const pages = await pagesOf(`expand=at${query}`);
        expectBounded(pages);
        const rows = pages.flatMap(({ data }) => data);
        expect(rows.map(({ id }) => id)).toEqual(query.includes('desc') ? ids.toReversed() : ids);
        for (const row of rows) expect(row._expanded.at.text).toBe(LARGE.text);
      },
    );

    it('count on the second hop', async () => {
      const { create, createOther, pagesOf } = await prepare();
      const ids: string[] = [];
      for (let n = 0; n < 7; n++) {
        const large = await createOther(LARGE);
        ids.push(await create({ at: await createOther({ of: large }) }));
      }
      expect(await pagesOf('expand=at')).toHaveLength(1);
      const pages = await pagesOf('expand=at,at.of');
      expectBounded(pages);
      const rows = pages.flatMap(({ data }) => data);
      expect(rows.map(({ id }) => id)).toEqual(ids);
      for (const row of rows) expect(row._expanded.at._expanded.of.text).toBe(LARGE.text);
    });

    it('count for profiles', async () => {
      const { create, pagesOf } = await prepare();
      for (let n = 0; n < 7; n++) await create({ n });
      const body = { visibleByTheUser: LARGE };
      const [{ _author: author }] = (await pagesOf('recordsPerPage=1'))[0]?.data ?? [];
      const asAdmin = { token: await world.admin() };
      await expectStatus(world.call('PUT', `/admin/user/${author}`, { ...asAdmin, body }), 200);
      const pages = await pagesOf('expand=_author');
      expectBounded(pages);
      expect(pages.flatMap(({ data }) => data).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    });

    it('refuse a numbered page that would have to end early', async () => {
      const { create, createOther, get } = await prepare();
      for (let n = 0; n < 12; n++) await create({ at: await createOther(LARGE) });
      expect((await expectStatus(get('?expand=at&page=0&recordsPerPage=6'), 200)).data).toHaveLength(6);
      expectRefused(await get('?expand=at&page=0&recordsPerPage=12'), 413, 'page.too_large');
      expect((await expectStatus(get('?page=0&recordsPerPage=12'), 200)).data).toHaveLength(12);
    });

    it('refuse a document that refers to too much, also to one document many times', async () => {
      const { create, createOther, get } = await prepare();
      const large = await createOther(LARGE);
      const small = await createOther({});
      const lists = {
        many: Array.from({ length: 3 }, () => large),
        few: [large, large],
        tiny: Array.from({ length: 200 }, () => small),
      };
      const id = await create(lists);
      for (const field of ['many', 'tiny', 'few,many']) {
        expectRefused(await get(`/${id}?expand=${field}`), 400, 'expand.limit');
        expectRefused(await get(`?expand=${field}`), 400, 'expand.limit');
      }
      expect((await expectStatus(get(`/${id}?expand=few`), 200)).data._expanded.few).toHaveLength(2);
      const through = await createOther({ few: [large, large] });
      const outer = await create({ at: [through, through] });
      expect((await expectStatus(get(`/${outer}?expand=at`), 200)).data._expanded.at).toHaveLength(2);
      expectRefused(await get(`/${outer}?expand=at,at.few`), 400, 'expand.limit');
    });
  },
  { maxPageBytes: MAX_PAGE_BYTES },
);
