import { NOBODY, type Storage, userPrincipal } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { addressOf, createFeedCase, followerScope, SOON } from './feed-case.ts';
import { caughtUp, now, readPages, received, shown, wantedBy } from './feed-reading.ts';
import { accessScopeOfUser, addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from './fixtures.ts';
import { until } from './transactions.ts';

export function changesContract(current: () => Storage): void {
  const feed = createFeedCase(current);

  describe('of documents', () => {
    it('begin empty, and have an epoch that stays', async () => {
      const state = await current().changes.state();
      expect(state.epoch).toMatch(/^[A-Za-z0-9]{1,32}$/);
      expect(state.oldest).toBeLessThanOrEqual(state.horizon);
      expect(await received(current(), EVERYTHING)).toEqual([]);
      await feed.write();
      expect((await current().changes.state()).epoch).toBe(state.epoch);
    });

    it('contain each document once, in the order of the last commits', async () => {
      const [one, two, three] = [await feed.write(), await feed.write(), await feed.write()];
      expect(await feed.newsFor(accessScopeOfUser(feed.ann))).toEqual([`+${one.id}`, `+${two.id}`, `+${three.id}`]);
      await feed.replace(two, '{"a":2}');
      await current().documents.edit(addressOf(one), EVERYTHING, {
        change: () => '{"a":3}',
        by: NOBODY,
        updated: SOON,
        version: null,
      });
      const changes = await readPages(current(), wantedBy(accessScopeOfUser(feed.ann), { after: feed.before }));
      expect(changes.map(shown)).toEqual([`+${three.id}`, `+${two.id}`, `+${one.id}`]);
      expect(changes.map((change) => (change.type === 'put' ? change.document : null))).toMatchObject([
        {
          id: three.id,
          collection: 'Books',
          author: 'Ann',
          version: 1,
          created: NOW,
          updated: NOW,
          content: '{"a":1}',
        },
        { id: two.id, version: 2, updated: SOON, content: '{"a":2}' },
        { id: one.id, version: 2, updated: SOON, content: '{"a":3}' },
      ]);
    });

    it('come in pages of any size, with the same result', async () => {
      for (let i = 0; i < 7; i++) await feed.write({ collection: i % 2 === 0 ? feed.books : feed.films });
      await current().transaction(async ({ documents }) => {
        for (let i = 0; i < 5; i++) await documents.add(newDocument(feed.ann, i % 2 === 0 ? feed.films : feed.books));
      });
      const all = await feed.newsFor(accessScopeOfUser(feed.ann));
      expect(all).toHaveLength(12);
      for (const limit of [1, 2, 5, 12]) {
        for (const scope of [accessScopeOfUser(feed.ann), EVERYTHING, followerScope(feed.ann)]) {
          expect(await received(current(), scope, { after: feed.before, limit })).toEqual(all);
        }
      }
    });

    it('end a page by its bytes, but not before its second change', async () => {
      for (let i = 0; i < 5; i++) await feed.write({ content: JSON.stringify({ text: 'é'.repeat(500) }) });
      await caughtUp(current());
      const { changes, more } = await current().changes.read(
        wantedBy(accessScopeOfUser(feed.ann), { after: feed.before, maxBytes: 1 }),
      );
      expect([changes.length, more]).toEqual([2, true]);
      const page = await current().changes.read(wantedBy(EVERYTHING, { after: feed.before, maxBytes: 2_500 }));
      expect([page.changes.length, page.more]).toEqual([3, true]);
      expect(await received(current(), EVERYTHING, { after: feed.before, maxBytes: 1 })).toHaveLength(5);
    });

    it('are those of the wanted collections', async () => {
      const [book, film] = [await feed.write(), await feed.write({ collection: feed.films })];
      for (const scope of [accessScopeOfUser(feed.ann), EVERYTHING]) {
        expect(await received(current(), scope, { after: feed.before, collections: [feed.books] })).toEqual([
          `+${book.id}`,
        ]);
        expect(await received(current(), scope, { after: feed.before, collections: [feed.films] })).toEqual([
          `+${film.id}`,
        ]);
        expect(await received(current(), scope, { after: feed.before, collections: ['unknown'] })).toEqual([]);
        expect(await received(current(), scope, { after: feed.before, collections: [] })).toEqual([]);
      }
    });

    it('go on where the last page ended', async () => {
      const one = await feed.write();
      await caughtUp(current());
      const first = await current().changes.read(wantedBy(accessScopeOfUser(feed.ann), { after: feed.before }));
      expect(first.changes.map(shown)).toEqual([`+${one.id}`]);
      expect(first.more).toBe(false);
      const again = await current().changes.read(wantedBy(accessScopeOfUser(feed.ann), { after: first.next }));
      expect(again).toMatchObject({ changes: [], more: false });
      await feed.replace(one, '{"a":2}');
      const two = await feed.write();
      expect(await received(current(), accessScopeOfUser(feed.ann), { after: again.next })).toEqual([
        `+${one.id}`,
        `+${two.id}`,
      ]);
    });

    it('do not contain what was rolled back', async () => {
      const failing = current().transaction(async ({ documents }) => {
        await documents.add(newDocument(feed.ann, feed.books));
        throw new Error('rolled back');
      });
      await expect(failing).rejects.toThrow('rolled back');
      expect(await feed.newsFor(EVERYTHING)).toEqual([]);
    });

    it('do not contain refused changes', async () => {
      const document = await feed.write();
      feed.before = await now(current());
      const denied = { content: '{}', by: NOBODY, updated: SOON, version: null };
      expect(await current().documents.replace(addressOf(document), accessScopeOfUser(feed.bob), denied)).toBe(
        'denied',
      );
      expect(await current().documents.replace(addressOf(document), EVERYTHING, { ...denied, version: 7 })).toBe(
        'stale',
      );
      expect(await current().documents.remove(addressOf(document), accessScopeOfUser(feed.bob))).toBe('denied');
      expect(await feed.newsFor(EVERYTHING)).toEqual([]);
    });
  });

  describe('after retention', () => {
    const later = () => Date.now() + 60_000;

    it('forget departures, the oldest first, and say from where on the feed is complete', async () => {
      const document = await feed.write();
      const other = await feed.write();
      feed.before = await now(current());
      await feed.remove(document);
      const between = await now(current());
      await feed.remove(other);
      expect(await current().changes.removeBefore(NOW, 100)).toBe(0);
      expect((await current().changes.state()).oldest).toBeLessThanOrEqual(feed.before.position);
      expect(await current().changes.removeBefore(later(), 2)).toBe(2);
      const { oldest } = await current().changes.state();
      expect(oldest).toBeGreaterThan(feed.before.position);
      expect(oldest).toBeLessThanOrEqual(between.position);
      expect(await received(current(), accessScopeOfUser(feed.ann), { after: between })).toEqual([`-${other.id}`]);
      expect(await current().changes.removeBefore(later(), 100)).toBe(2);
      const state = await current().changes.state();
      expect(state.oldest).toBeGreaterThan(between.position);
      expect(state.oldest).toBeLessThanOrEqual(state.horizon);
      expect(await feed.newsFor(EVERYTHING)).toEqual([]);
      expect(await current().changes.removeBefore(later(), 100)).toBe(0);
    });

    it('still contain every document', async () => {
      const document = await feed.write();
      await current().changes.removeBefore(later(), 100);
      expect(await feed.newsFor(accessScopeOfUser(feed.ann))).toEqual([`+${document.id}`]);
    });
  });

  describe('are announced', () => {
    async function signals(work: () => Promise<unknown>): Promise<number> {
      let heard = 0;
      const stop = current().signals.subscribe((signal) => {
        if (signal?.topic === 'changes') heard++;
      });
      await until(() => current().signals.live);
      heard = 0;
      await work();
      stop();
      return heard;
    }

    it('after each commit that changes a document or its readers', async () => {
      const document = await feed.write();
      const works = [
        () => feed.write(),
        () => feed.replace(document, '{"a":2}'),
        () => feed.grantTo(document, userPrincipal(feed.bob)),
        () => feed.revokeFrom(document, userPrincipal(feed.bob)),
        () =>
          current().documents.setGrants(addressOf(document), EVERYTHING, [
            { principal: userPrincipal(feed.bob), rights: 1 },
          ]),
        () => current().transaction(({ documents }) => documents.add(newDocument(feed.ann, feed.books))),
        () =>
          current().changes.markVisibility(
            [{ audience: userPrincipal(feed.bob), collection: null, reason: 'follow' }],
            NOW,
          ),
        () => feed.remove(document),
      ];
      for (const work of works) expect(await signals(work)).toBeGreaterThan(0);
    });

    it('once they can be read', async () => {
      const seen: Array<Promise<string[]>> = [];
      const stop = current().signals.subscribe((signal) => {
        if (signal?.topic === 'changes') seen.push(feed.newsFor(EVERYTHING));
      });
      await until(() => current().signals.live);
      const document = await current().transaction(async ({ documents }) => {
        const added = newDocument(feed.ann, feed.books);
        await documents.add(added);
        return added;
      });
      await until(() => seen.length > 0);
      stop();
      expect(await seen[0]).toEqual([`+${document.id}`]);
    });

    it('not when nothing of that was changed', async () => {
      const document = await feed.write();
      const works = [
        () => current().documents.find(addressOf(document), EVERYTHING),
        () => addUser(current(), 'Zoe'),
        () => addCollection(current(), uuid().slice(0, 8)),
        () => current().transaction(({ follows }) => follows.add(feed.bob, feed.ann)),
      ];
      for (const work of works) expect(await signals(work)).toBe(0);
    });
  });
}
