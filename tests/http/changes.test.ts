import { createNodeSecrets } from '@baobab/adapters/system';
import { describe, expect, it } from 'vitest';
import { createFeedCursors, type FeedCursor, positionAt } from '../../packages/core/src/changes/cursor.ts';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { createFollower } from '../support/feed.ts';
import { enroll } from '../support/groups.ts';
import { adminOf, expectStatus, follow, personWithRole } from '../support/people.ts';

const secrets = createNodeSecrets('a key for tests');
const cursors = createFeedCursors({ secrets });

function scenarios(world: World): void {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = (method: string, url: string, body?: unknown) =>
    call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });

  /** A shelf, and the feed of its collection as callers see it. */
  async function scene() {
    const shelf = await createShelf(world);
    const { token } = shelf.owner;
    const feedOf = async (options: CallOptions) => {
      const feed = createFollower(world, options, `collection=${shelf.collection}`);
      await feed.begin();
      return feed;
    };
    const replace = (id: string, body: unknown) => expectStatus(call('PUT', shelf.path(id), { token, body }), 200);
    const remove = (id: string) => expectStatus(call('DELETE', shelf.path(id), { token }), 204);
    return { ...shelf, token, feedOf, replace, remove };
  }

  it('has the newest state of each document, in the order of the changes', async () => {
    const { create, replace, feedOf, token, collection } = await scene();
    const feed = await feedOf({ token });
    const [one, two] = [await create({ title: 'One' }), await create({ title: 'Two' })];
    await replace(one.id, { title: 'One again' });
    expect(await feed.read()).toEqual([
      { type: 'put', collection, id: two.id, version: 1, document: expect.objectContaining({ title: 'Two' }) },
      {
        type: 'put',
        collection,
        id: one.id,
        version: 2,
        document: expect.objectContaining({ id: one.id, '@version': 2, title: 'One again', _author: two._author }),
      },
    ]);
    expect(await feed.news()).toEqual([]);
  });

  it('has no rows without a cursor, only the current cursor', async () => {
    const { create, token, collection } = await scene();
    await create({});
    const { body } = await expectStatus(call('GET', `/changes?collection=${collection}&call_id=7`, { token }), 200);
    expect(body).toEqual({
      result: 'ok',
      data: [],
      more: false,
      next: expect.stringMatching(/^[\w.~-]+$/),
      http_code: 200,
      call_id: '7',
    });
  });

  it('says which documents are deleted, to those who could read them', async () => {
    const { create, remove, share, feedOf, token } = await scene();
    const [friend, stranger] = [await world.user(), await world.user()];
    const { id } = await create({ title: 'Zeno' });
    await share(id, `read/user/${friend.name}`);
    const feeds = [
      await feedOf({ token }),
      await feedOf({ token: friend.token }),
      await feedOf({ basic: adminOf(world) }),
      await feedOf({ token: stranger.token }),
      await feedOf({}),
    ];
    await remove(id);
    const news = await Promise.all(feeds.map((feed) => feed.news()));
    expect(news).toEqual([[`gone ${id}`], [`gone ${id}`], [`gone ${id}`], [], []]);
  });

  it('tells a user who signed up after their cursor to list first, and nothing of what was removed before', async () => {
    const { create, remove, share, token, feedOf } = await scene();
    const anonymous = await feedOf({});
    const { id } = await create({});
    await share(id, 'read/role/registereduser');
    await remove(id);
    const late = await world.user();
    const made = world.unique('made');
    await expectStatus(
      asAdmin('POST', '/admin/user', { username: made, password: 'secret', role: 'registereduser' }),
      201,
    );
    for (const options of [{ token: late.token }, { basic: [made, 'secret'] as const }]) {
      const feed = await feedOf(options);
      expect(await feed.news()).toEqual([]);
      feed.goOn(anonymous.since ?? '');
      const { body, text } = await expectStatus(feed.next(), 409);
      expect([body.code, text.includes(id)]).toEqual(['changes.resync_required', false]);
    }
    expect(await (await feedOf({ token })).news()).toEqual([]);
  });

  it('leaves out, or calls gone, what was made and deleted between two cursors', async () => {
    const { create, remove, feedOf, token } = await scene();
    const feed = await feedOf({ token });
    const { id } = await create({});
    await remove(id);
    expect([[], [`gone ${id}`]]).toContainEqual(await feed.news());
  });

  it.each(['user', 'role', 'group'])('a grant to a %s arrives as put, and taken back as gone', async (kind) => {
    const { create, share, feedOf, token, owner } = await scene();
    const role = world.unique('Editors');
    await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
    const friend = await personWithRole(world, role);
    const { data: group } = await expectStatus(call('POST', '/group', { token, body: { name: 'Friends' } }), 201);
    await enroll(world, { id: group.id, by: owner, user: friend });
    const names: Record<string, string> = { user: friend.name, role, group: group.id };
    const [feed, other] = [await feedOf({ token: friend.token }), await feedOf({ token: (await world.user()).token })];
    const { id } = await create({ title: 'Zeno' });
    expect(await feed.news()).toEqual([]);
    await share(id, `read/${kind}/${names[kind]}`);
    expect(await feed.news()).toEqual([`put 1 ${id}`]);
    await share(id, `update/${kind}/${names[kind]}`);
    expect(await feed.news()).toEqual([]);
    await share(id, `read/${kind}/${names[kind]}`, 'DELETE');
    expect(await feed.news()).toEqual([`gone ${id}`]);
    await share(id, `all/${kind}/${names[kind]}`);
    expect(await feed.news()).toEqual([`put 1 ${id}`]);
    expect([await other.news(), other.seen.includes(id), owner.name === friend.name]).toEqual([[], false, false]);
  });

  it('does not call a document gone that can still be read in another way', async () => {
    const { create, share, feedOf } = await scene();
    const friend = await world.user();
    const { id } = await create({});
    for (const to of [`user/${friend.name}`, 'role/registered']) await share(id, `read/${to}`);
    const feed = await feedOf({ token: friend.token });
    await share(id, `read/user/${friend.name}`, 'DELETE');
    expect((await feed.news()).filter((line) => line.startsWith('gone'))).toEqual([]);
    await share(id, 'read/role/registered', 'DELETE');
    expect(await feed.news()).toEqual([`gone ${id}`]);
  });

  it('shows followers what the users they follow write, and what those delete', async () => {
    const { create, replace, remove, feedOf, owner } = await scene();
    const [fan, stranger] = [await world.user(), await world.user()];
    await follow(world, fan, owner);
    const feeds = [await feedOf({ token: fan.token }), await feedOf({ token: stranger.token })];
    const { id } = await create({ title: 'canary-1' });
    const all = async () => Promise.all(feeds.map((feed) => feed.news()));
    expect(await all()).toEqual([[`put 1 ${id}`], []]);
    await replace(id, { title: 'canary-2' });
    expect(await all()).toEqual([[`put 2 ${id}`], []]);
    await remove(id);
    expect(await all()).toEqual([[`gone ${id}`], []]);
    expect(feeds[1]?.seen).not.toMatch(/canary|[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it('shows those whom a rule lets read every document of the collection, and nothing of others', async () => {
    const [open, closed] = [await scene(), await scene()];
    await expectStatus(asAdmin('PUT', `/admin/collection/${open.collection}/rules`, { read: ['anonymous'] }), 200);
    const feed = createFollower(world, {});
    await feed.begin();
    const [seen, hidden] = [await open.create({}), await closed.create({})];
    expect(await feed.news()).toEqual([`put 1 ${seen.id}`]);
    await open.remove(seen.id);
    await closed.remove(hidden.id);
    expect(await feed.news()).toEqual([`gone ${seen.id}`]);
    expect(feed.seen).not.toContain(hidden.id);
  });

  it('is limited to collections, of which several can be named, in any case', async () => {
    const [one, two, three] = [await scene(), await scene(), await scene()];
    const wanted = `collection=${one.collection.toUpperCase()}&collection=${two.collection}&collection=${one.collection}`;
    const feed = createFollower(world, { basic: adminOf(world) }, wanted);
    await feed.begin();
    const [a, , b] = [await one.create({}), await three.create({}), await two.create({})];
    expect(await feed.news()).toEqual([`put 1 ${a.id}`, `put 1 ${b.id}`]);
  });

  it('comes in pages that together have every change once', async () => {
    const { create, feedOf, replace, remove, token } = await scene();
    const feed = await feedOf({ token });
    const documents = [];
    for (let n = 0; n < 7; n++) documents.push(await create({ n }));
    await replace(documents[2]?.id, { n: 'changed' });
    await remove(documents[5]?.id);
    const [first, last] = [feed.since, await feed.news('&limit=2')];
    expect(last.filter((line) => line.startsWith('put'))).toHaveLength(6);
    expect(new Set(last.map((line) => line.split(' ').at(-1))).size).toBe(last.length);
    feed.goOn(first ?? '');
    expect(await feed.news('&limit=1000')).toEqual(last);
    expect(feed.ids()).toHaveLength(6);
  });

  it('of a batch and of an update by field has each document once', async () => {
    const { create, path, feedOf, token } = await scene();
    const { id } = await create({ n: 0 });
    const feed = await feedOf({ token });
    const set = (n: number) => ({ method: 'PUT', path: `${path(id)}/.n`, body: { data: n } });
    await expectStatus(call('POST', '/batch', { token, body: { atomic: true, operations: [set(1), set(2)] } }), 200);
    await expectStatus(call('PUT', `${path(id)}/.n`, { token, body: { data: 3 } }), 200);
    expect(await feed.read()).toMatchObject([{ type: 'put', version: 4, document: { n: 3 } }]);
  });

  it('loses the documents of a user who is deleted, for those who could read them', async () => {
    const { create, share, feedOf, owner } = await scene();
    const friend = await world.user();
    const { id } = await create({});
    await share(id, `read/user/${friend.name}`);
    const feeds = [await feedOf({ token: friend.token }), await feedOf({ basic: adminOf(world) }), await feedOf({})];
    await expectStatus(asAdmin('DELETE', `/admin/user/${owner.name}`), 200);
    expect(await Promise.all(feeds.map((feed) => feed.news()))).toEqual([[`gone ${id}`], [`gone ${id}`], []]);
  });

  describe('a first synchronization', () => {
    it('has everything that the caller may read, and then what changed meanwhile', async () => {
      const { create, replace, remove, share, feedOf, collection, ids } = await scene();
      const friend = await world.user();
      const documents = [];
      for (let n = 0; n < 6; n++) documents.push(await create({ n }));
      const [first, second, third, , fifth] = documents;
      for (const { id } of [first, second, third, fifth]) await share(id, `read/user/${friend.name}`);
      const feed = await feedOf({ token: friend.token });
      feed.startOver();
      const page = await expectStatus(feed.ask('0', '&limit=2'), 200);
      expect([page.data.length, page.body.more]).toEqual([2, true]);
      // One that has been read, one that has not, and a new one.
      await replace(first.id, { n: 'changed' });
      await remove(second.id);
      await replace(fifth.id, { n: 'changed' });
      const late = await create({});
      await share(late.id, `read/user/${friend.name}`);
      feed.goOn('0');
      await feed.read('&limit=2');
      expect(feed.ids()).toEqual((await ids({ token: friend.token })).toSorted());
      const rest = createFollower(world, { token: friend.token }, `collection=${collection}`);
      rest.goOn(page.body.next);
      const lines = await rest.news('&limit=1');
      for (const line of [`put 2 ${first.id}`, `gone ${second.id}`, `put 1 ${third.id}`, `put 1 ${late.id}`]) {
        expect(lines).toContain(line);
      }
      expect(rest.seen).not.toContain(documents[3].id);
    });

    it('of all collections goes through each of them', async () => {
      const friend = await world.user();
      const expected: string[] = [];
      for (let n = 0; n < 3; n++) {
        const { create, share } = await scene();
        const { id } = await create({ n });
        await share(id, `read/user/${friend.name}`);
        expected.push(id);
      }
      const feed = createFollower(world, { token: friend.token });
      feed.startOver();
      await feed.read('&limit=1');
      expect(expected.filter((id) => !feed.ids().includes(id))).toEqual([]);
    });
  });

  it('of anonymous callers has what everybody may read', async () => {
    const { create, share, feedOf } = await scene();
    const feed = await feedOf({});
    const [open, closed] = [await create({}), await create({})];
    await share(open.id, 'read/role/anonymous');
    expect(await feed.news()).toEqual([`put 1 ${open.id}`]);
    expect(feed.seen).not.toContain(closed.id);
    expectFailure(await call('GET', '/changes', { appCode: null }), 400);
  });

  it('does not show anonymous callers how much others write', async () => {
    const { create, collection } = await scene();
    const query = `collection=${collection}`;
    const cursorAt = async (more: string) => {
      await world.caughtUp();
      return Buffer.from((await expectStatus(call('GET', `/changes?${query}${more}`), 200)).body.next, 'base64url');
    };
    const bitsOf = (byte: number) => byte.toString(2).replaceAll('0', '').length;
    for (const more of ['', '&since=0']) {
      const before = await cursorAt(more);
      for (let n = 0; n < 7; n++) await create({});
      const after = await cursorAt(more);
      expect(after).toHaveLength(before.length);
      const different = after.reduce((total, byte, at) => total + bitsOf(byte ^ (before[at] ?? 0)), 0);
      // Half of the bits on average, as between any two encrypted texts; ten standard deviations are below a quarter.
      expect(different / (after.length * 8)).toBeGreaterThan(0.25);
    }
  });

  it('refuses what is no cursor, an unknown collection, and a limit out of range', async () => {
    const { collection, token } = await scene();
    const { body } = await expectStatus(call('GET', `/changes?collection=${collection}`, { token }), 200);
    const cursor: string = body.next;
    const other = createFeedCursors({ secrets: createNodeSecrets('another key') }).encode(cursors.parse(cursor));
    const bad = ['1', '00', 'c0..f3a1c2', 'x', `x${cursor}`, `${cursor}+`, `${cursor}=`, cursor.slice(1), other];
    for (const since of bad) {
      const answer = await call('GET', `/changes?since=${since}`, { token });
      expectFailure(answer, 400);
      expect([since, answer.body.code, answer.body.errors?.[0]?.path]).toEqual([
        since,
        'changes.cursor_invalid',
        'query.since',
      ]);
    }
    for (const limit of ['0', '1001', '-1', 'x', '1e2', '']) {
      const answer = await call('GET', `/changes?limit=${limit}`, { token });
      expect([limit, answer.status, answer.body.errors?.[0].path]).toEqual([limit, 400, 'query.limit']);
    }
    const missing = await call('GET', `/changes?collection=${collection}&collection=nowhere`, { token });
    expect([missing.status, missing.body.code]).toEqual([404, 'collection.not_found']);
    expect((await call('GET', '/changes?since=0&since=0', { token })).status).toBe(400);
    expect((await call('GET', '/changes?where=a', { token })).body.code).toBe('query.unknown');
  });

  it('has expired for a cursor of another history, or of the future', async () => {
    const { token } = await scene();
    const { body } = await expectStatus(call('GET', '/changes', { token }), 200);
    const current = cursors.parse(body.next);
    const [epoch, position] = [`${current.epoch}x`, positionAt(current)];
    const foreign: FeedCursor[] = [
      { kind: 'change', epoch, place: { position, id: '' } },
      { kind: 'change', epoch: current.epoch, place: { position: position + 100_000, id: '' } },
      { kind: 'list', epoch, start: position, collection: 'books', id: NOWHERE },
    ];
    for (const since of foreign.map(cursors.encode)) {
      const answer = await call('GET', `/changes?since=${since}`, { token });
      expectFailure(answer, 410);
      expect([since, answer.body.code]).toEqual([since, 'changes.cursor_expired']);
    }
  });

  it('answers HEAD, and says whether there is more in a header', async () => {
    const { create, feedOf, token } = await scene();
    const feed = await feedOf({ token });
    for (let n = 0; n < 2; n++) await create({ n });
    expect((await feed.ask(feed.since, '&limit=1')).headers['x-bb-more']).toBe('true');
    expect((await call('HEAD', '/changes', { token })).status).toBe(200);
  });
}

onEveryStorage('the change feed', scenarios, { secrets });
