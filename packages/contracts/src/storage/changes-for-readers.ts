import { type NewDocument, RIGHTS, rolePrincipal, type Storage, userPrincipal } from '@baobab/core';
import { expect, it } from 'vitest';
import { addressOf, createFeedCase, followerScope } from './feed-case.ts';
import { now, readPages, received, wantedBy } from './feed-reading.ts';
import { ANYBODY, accessScopeOfUser, addCollection, EVERYTHING, newDocument } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

/** Tests which readers receive which changes. */
export function changesForReadersContract(current: () => Storage): void {
  const feed = createFeedCase(current);

  it('contain what the reader may read, by whatever way', async () => {
    await current().follows.add(feed.bob, feed.ann);
    await current().roles.add({ name: 'Editors', description: '' });
    const plain = await feed.write();
    const [own, film] = [await feed.write({ authorId: feed.bob }), await feed.write({ collection: feed.films })];
    const granted = await feed.write({ grants: [{ principal: userPrincipal(feed.bob), rights: RIGHTS.read }] });
    const byRole = await feed.write({ grants: [{ principal: rolePrincipal('Editors'), rights: RIGHTS.all }] });
    const useless = await feed.write({ grants: [{ principal: userPrincipal(feed.bob), rights: RIGHTS.update }] });
    const open = await feed.write({ grants: [{ principal: rolePrincipal('anonymous'), rights: RIGHTS.read }] });
    const ids = (...documents: NewDocument[]) => documents.map(({ id }) => `+${id}`);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve))).toEqual(ids(open));
    expect(await feed.newsFor(ANYBODY)).toEqual(ids(open));
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual(ids(own, granted, open));
    expect(await feed.newsFor(accessScopeOfUser(feed.bob, 'editors'))).toEqual(ids(own, granted, byRole, open));
    expect(await feed.newsFor(followerScope(feed.bob))).toEqual(ids(plain, own, film, granted, byRole, useless, open));
    expect(await feed.newsFor(followerScope(feed.eve))).toEqual(ids(open));
    expect(await feed.newsFor(accessScopeOfUser(feed.eve), [feed.films])).toEqual(ids(film, open));
    expect(await feed.newsFor(ANYBODY, [feed.films])).toEqual(ids(film, open));
    expect(await feed.newsFor(EVERYTHING)).toEqual(ids(plain, own, film, granted, byRole, useless, open));
  });

  it('contain what one of many principals may read', async () => {
    const roles = Array.from({ length: 40 }, (_, i) => rolePrincipal(`role${i}`));
    const scope = { ...accessScopeOfUser(feed.bob), principals: [userPrincipal(feed.bob), ...roles] };
    const [one, other] = [await feed.write(), await feed.write()];
    await feed.grantTo(one, rolePrincipal('role33'));
    await feed.grantTo(other, rolePrincipal('role99'));
    expect(await feed.newsFor(scope)).toEqual([`+${one.id}`]);
    const granted = await feed.write({ grants: [{ principal: rolePrincipal('role7'), rights: RIGHTS.read }] });
    feed.before = await now(current());
    await feed.remove(one);
    await feed.remove(other);
    expect(await feed.newsFor(scope)).toEqual([`-${one.id}`]);
    await feed.replace(granted, '{}');
    expect(await feed.newsFor(scope)).toEqual([`-${one.id}`, `+${granted.id}`]);
  });

  it('say that a document was removed, to those who could read it, and to nobody else', async () => {
    await current().follows.add(feed.bob, feed.ann);
    const document = await feed.write({ grants: [{ principal: rolePrincipal('editors'), rights: RIGHTS.read }] });
    const kept = await feed.write();
    feed.before = await now(current());
    await feed.remove(document);
    const gone = [`-${document.id}`];
    expect(await feed.newsFor(accessScopeOfUser(feed.ann))).toEqual(gone);
    expect(await feed.newsFor(followerScope(feed.bob))).toEqual(gone);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve, 'editors'))).toEqual(gone);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve), [feed.books])).toEqual(gone);
    expect(await feed.newsFor(EVERYTHING)).toEqual(gone);
    for (const scope of [accessScopeOfUser(feed.bob), followerScope(feed.eve), ANYBODY])
      expect(await feed.newsFor(scope)).toEqual([]);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve), [feed.films])).toEqual([]);
    await feed.replace(kept, '{}');
    expect(await feed.newsFor(accessScopeOfUser(feed.ann))).toEqual([...gone, `+${kept.id}`]);
    const [change] = await readPages(current(), wantedBy(accessScopeOfUser(feed.ann), { after: feed.before }));
    expect(change).toMatchObject({ type: 'gone', collection: 'Books', id: document.id });
  });

  it('say nothing else of what was made and removed in between', async () => {
    const document = await feed.write();
    await feed.remove(document);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([]);
    for (const scope of [accessScopeOfUser(feed.ann), EVERYTHING]) {
      expect((await feed.newsFor(scope)).filter((change) => change.startsWith('+'))).toEqual([]);
    }
  });

  it('bring a document with the grant, and take it away with the grant', async () => {
    const document = await feed.write();
    feed.before = await now(current());
    await feed.grantTo(document, userPrincipal(feed.bob));
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([`+${document.id}`]);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve))).toEqual([]);
    feed.before = await now(current());
    await feed.revokeFrom(document, userPrincipal(feed.bob));
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([`-${document.id}`]);
    for (const scope of [accessScopeOfUser(feed.eve), ANYBODY]) expect(await feed.newsFor(scope)).toEqual([]);
    feed.before = await now(current());
    await feed.replace(document, '{}');
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([]);
    await feed.remove(document);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([]);
  });

  it('keep a document that is readable in another way when a grant is taken back', async () => {
    const document = await feed.write();
    await feed.grantTo(document, userPrincipal(feed.bob), RIGHTS.read | RIGHTS.all);
    await feed.grantTo(document, rolePrincipal('editors'));
    feed.before = await now(current());
    await feed.revokeFrom(document, userPrincipal(feed.bob), 'read');
    expect((await feed.newsFor(accessScopeOfUser(feed.bob))).filter((change) => change.startsWith('-'))).toEqual([]);
    await feed.revokeFrom(document, userPrincipal(feed.bob), 'all');
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([`-${document.id}`]);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob, 'editors'))).toEqual([`+${document.id}`]);
  });

  it('ignore grants that do not include reading', async () => {
    const document = await feed.write();
    feed.before = await now(current());
    await feed.grantTo(document, userPrincipal(feed.bob), RIGHTS.update | RIGHTS.delete);
    for (const action of ['update', 'read'] as const) {
      await feed.revokeFrom(document, userPrincipal(feed.bob), action);
    }
    await current().documents.setGrants(addressOf(document), EVERYTHING, [
      { principal: userPrincipal(feed.eve), rights: RIGHTS.delete },
    ]);
    for (const scope of [accessScopeOfUser(feed.bob), accessScopeOfUser(feed.eve)])
      expect(await feed.newsFor(scope)).toEqual([]);
  });

  it('tell the difference when all grants are replaced', async () => {
    const read = (user: string) => ({ principal: userPrincipal(user), rights: RIGHTS.read });
    const document = await feed.write({ grants: [read(feed.bob)] });
    feed.before = await now(current());
    await current().documents.setGrants(addressOf(document), EVERYTHING, [read(feed.eve)]);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([`-${document.id}`]);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve))).toEqual([`+${document.id}`]);
    feed.before = await now(current());
    await current().documents.setGrants(addressOf(document), EVERYTHING, []);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([]);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve))).toEqual([`-${document.id}`]);
  });

  it('follow a role to its new name', async () => {
    await current().roles.add({ name: 'Editors', description: '' });
    const grant = { principal: rolePrincipal('Editors'), rights: RIGHTS.read };
    const [document, kept] = [await feed.write({ grants: [grant] }), await feed.write({ grants: [grant] })];
    feed.before = await now(current());
    await feed.remove(document);
    await current().roles.update('editors', { name: 'Authors', description: '' });
    expect(await feed.newsFor(accessScopeOfUser(feed.bob, 'authors'))).toEqual([`-${document.id}`]);
    feed.before = await now(current());
    await feed.remove(kept);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob, 'authors'))).toEqual([`-${kept.id}`]);
  });

  it('lose the documents of a removed user', async () => {
    await current().follows.add(feed.eve, feed.ann);
    const one = await feed.write({ grants: [{ principal: userPrincipal(feed.bob), rights: RIGHTS.read }] });
    const two = await feed.write({ collection: feed.films });
    const other = await feed.write({
      authorId: feed.bob,
      grants: [{ principal: userPrincipal(feed.ann), rights: RIGHTS.read }],
    });
    feed.before = await now(current());
    await current().users.remove(feed.ann);
    await finishRemovals(current(), 100);
    const gone = [one, two].map(({ id }) => `-${id}`).sort();
    expect((await feed.newsFor(EVERYTHING)).sort()).toEqual(gone);
    expect((await feed.newsFor(accessScopeOfUser(feed.eve), [feed.films])).sort()).toEqual([`-${two.id}`]);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([`-${one.id}`]);
    expect(await feed.newsFor(accessScopeOfUser(feed.eve))).toEqual([]);
    const wanted = { since: feed.before.position, collections: null };
    const mark = await current().changes.visibilityChange({ ...wanted, audiences: [userPrincipal(feed.eve)] });
    expect(mark).toMatchObject({ audience: userPrincipal(feed.eve), collection: null, reason: 'follow' });
    expect(await current().changes.visibilityChange({ ...wanted, audiences: [userPrincipal(feed.bob)] })).toBeNull();
    feed.before = await now(current());
    await feed.replace(other, '{}');
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual([`+${other.id}`]);
  });

  it('do not contain documents of a removed collection', async () => {
    const [one, two] = [await feed.write(), await feed.write()];
    await feed.write({ collection: feed.films });
    feed.before = await now(current());
    await feed.remove(one);
    await current().collections.remove(feed.books);
    for (const scope of [EVERYTHING, accessScopeOfUser(feed.ann)]) expect(await feed.newsFor(scope)).toEqual([]);
    await addCollection(current(), 'Books');
    const added = await feed.write({ id: two.id });
    for (const scope of [EVERYTHING, accessScopeOfUser(feed.ann)])
      expect(await feed.newsFor(scope)).toEqual([`+${added.id}`]);
  });

  it('are found among many that the reader may not read', async () => {
    const mine = [await feed.write({ authorId: feed.bob })];
    await current().transaction(async ({ documents }) => {
      for (let i = 0; i < 2_100; i++) await documents.add(newDocument(feed.ann, i % 2 === 0 ? feed.books : feed.films));
    });
    mine.push(await feed.write({ authorId: feed.bob, collection: feed.films }));
    await current().follows.add(feed.eve, feed.bob);
    const news = mine.map(({ id }) => `+${id}`);
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toEqual(news);
    expect(await feed.newsFor(followerScope(feed.eve))).toEqual(news);
    expect(await feed.newsFor(ANYBODY)).toEqual([]);
    expect(await received(current(), accessScopeOfUser(feed.bob), { after: feed.before, limit: 1 })).toEqual(news);
  });
}
