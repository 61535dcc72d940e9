import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { filePart, upload } from '../support/files.ts';

const MAX_PAGE_BYTES = 10_000;
/** Characters of each text: the third alone exceeds the limit of a page. */
const LENGTHS = [100, 4_000, 25_000, 4_000, 4_000, 4_000, 50, 50, 9_000, 30];
const texts = LENGTHS.map((length, n) => ({ n, text: 'a'.repeat(length) }));

onEveryStorage(
  'large pages',
  (world) => {
    async function filled() {
      const shelf = await createShelf(world);
      const ids: string[] = [];
      for (const content of texts) ids.push((await shelf.create(content)).id);
      return { ...shelf, ids, url: `/document/${shelf.collection}`, options: { token: shelf.owner.token } };
    }

    /** All pages of a list, each by the `next` of the one before. */
    async function pagesOf(url: string, options: CallOptions): Promise<Answer[]> {
      const pages: Answer[] = [];
      let next = '';
      do {
        const cursor = next === '' ? '' : `${url.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next)}`;
        const page = await world.call('GET', `${url}${cursor}`, options);
        expect([page.status, page.headers['x-bb-more']]).toEqual([200, String(page.body.more)]);
        expect(page.data.length).toBeGreaterThan(0);
        expect('next' in page.body).toBe(page.body.more);
        pages.push(page);
        next = page.body.next ?? '';
      } while (next !== '');
      return pages;
    }

    const whole = (pages: readonly Answer[]) => pages.flatMap(({ data }) => data);

    /** Asserts that every page with more than one row is within the limit, apart from what surrounds the texts. */
    function expectBounded(pages: readonly Answer[]): void {
      expect(pages.length).toBeGreaterThan(3);
      for (const { data, text } of pages) {
        if (data.length > 1) expect(text.length).toBeLessThan(MAX_PAGE_BYTES + data.length * 700);
      }
    }

    it.each(['', '?orderBy=n%20desc', '?where=n%20%3E%3D%200&recordsPerPage=9', '?fields=n,text&orderBy=text'])(
      'of documents end early, and together contain every document: %s',
      async (query) => {
        const { url, options } = await filled();
        const pages = await pagesOf(`${url}${query}`, options);
        expectBounded(pages);
        const found = whole(pages).map(({ n }) => n);
        expect([...found].sort((a, b) => a - b)).toEqual(texts.map(({ n }) => n));
        if (query.includes('desc')) expect(found).toEqual(texts.map(({ n }) => n).reverse());
      },
    );

    it('with a number are complete, or rejected', async () => {
      const { url, options, ids } = await filled();
      const numbered = (query: string) => world.call('GET', `${url}?${query}`, options);
      // Four times the limit of another page.
      const first = await numbered('page=0&recordsPerPage=5');
      expect([first.status, first.data.map(({ id }: { id: string }) => id)]).toEqual([200, ids.slice(0, 5)]);
      for (const query of ['page=0&recordsPerPage=10', 'skip=0&recordsPerPage=10', 'page=0&orderBy=n', 'page=0']) {
        const refused = await numbered(query);
        expect(refused.status).toBe(413);
        expect(refused.body.message).toMatch(/40000 bytes; ask for fewer with recordsPerPage, or .* "next"/);
      }
    });

    it('of users, files and assets end early, and together contain every row', async () => {
      const reader = await world.user();
      const admin = { token: await world.admin() };
      const names: string[] = [];
      for (const content of texts) {
        const user = await world.user(world.unique('large'));
        names.push(user.name);
        const body = { visibleByRegisteredUsers: content };
        expect((await world.call('PUT', '/me', { token: user.token, body })).status).toBe(200);
        await world.call('POST', `/follow/${user.name}`, { token: reader.token });
        const attached = { name: 'attachedData', content: JSON.stringify(content) };
        expect((await upload(world, reader.token, filePart('x'), attached)).status).toBe(201);
        const asset = { name: world.unique('asset'), meta: content };
        expect((await world.call('POST', '/admin/asset', { ...admin, body: asset })).status).toBe(201);
      }
      const options = { token: reader.token };
      for (const [url, as] of [
        ['/users', options],
        ['/users?orderBy=user.name%20desc', options],
        ['/following', options],
        ['/following?orderBy=user.name', options],
        ['/admin/user', admin],
      ] as const) {
        const pages = await pagesOf(url, as);
        expectBounded(pages);
        const found = whole(pages).map(({ user }) => user.name);
        expect(found.filter((name) => names.includes(name)).sort()).toEqual([...names].sort());
      }
      for (const [url, as] of [
        ['/file/details', options],
        ['/file/details?orderBy=attachedData.n%20desc', options],
        ['/admin/asset', admin],
        ['/admin/asset?orderBy=meta.n', admin],
      ] as const) {
        const pages = await pagesOf(url, as);
        expectBounded(pages);
        expect(whole(pages)).toHaveLength(texts.length);
      }
    });

    it('limit selected fields and groups to the size of a page', async () => {
      const { url, options, create } = await filled();
      const fields = (count: number) => Array.from({ length: count }, (_, at) => `text as t${at}`).join(',');
      const pages = await pagesOf(
        `${url}?where=n%20%3C%3E%202&fields=${fields(5)}`.replaceAll(' ', '%20'),
        options,
      ).catch((error: unknown) => error);
      expect(pages).toBeInstanceOf(Error); // nine thousand characters five times
      const small = `${url}?where=n%20%3C%3E%202%20and%20n%20%3C%3E%208&fields=${fields(2)}`.replaceAll(' ', '%20');
      expect(whole(await pagesOf(small, options))).toHaveLength(8);
      const refused = await world.call('GET', `${url}?fields=${fields(99)}`.replaceAll(' ', '%20'), options);
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringMatching(/fields: one row would have more than \d+ bytes; name fewer/),
      ]);
      await create({ n: 1, text: 'b' });
      const grouped = await pagesOf(`${url}?groupBy=text&fields=text,count(*)%20as%20n&where=n%20%3C%3E%202`, options);
      expect(
        whole(grouped)
          .map(({ n }) => n)
          .sort(),
      ).toEqual([1, 1, 1, 1, 2, 4]);
    });
  },
  { maxPageBytes: MAX_PAGE_BYTES },
);
