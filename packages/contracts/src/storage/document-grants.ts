import { RIGHTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import {
  ANYBODY,
  accessScopeOfUser,
  addCollection,
  addUser,
  EVERYTHING,
  NOT_RESERVED,
  newDocument,
  userName,
  uuid,
} from './fixtures.ts';

async function prepare(storage: Storage) {
  const collection = await addCollection(storage, 'Books');
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  await storage.roles.add({ name: 'Editors', description: '' });
  const document = newDocument(ann.id, collection, { grants: [{ principal: 'r:editors', rights: RIGHTS.all }] });
  await storage.documents.add(document);
  return { ann, bob, here: { collection, id: document.id }, owner: accessScopeOfUser(ann.id) };
}

/** Tests the methods that read or replace all grants of a document. */
export function documentGrantsContract(current: () => Storage): void {
  it('are replaced, and listed by name', async () => {
    const { bob, here, owner } = await prepare(current());
    const principal = `u:${bob.id}`;
    const grants = [
      { principal, rights: RIGHTS.read | RIGHTS.update },
      { principal: 'r:backoffice', rights: RIGHTS.delete },
      { principal: 'r:anonymous', rights: RIGHTS.read },
    ];
    expect(await current().documents.setGrants(here, owner, grants)).toBe('granted');
    expect(await current().documents.grantsOn(here.id)).toEqual([
      { kind: 'role', name: 'anonymous', rights: RIGHTS.read },
      { kind: 'role', name: 'BackOffice', rights: RIGHTS.delete },
      { kind: 'user', name: 'Bob', rights: RIGHTS.read | RIGHTS.update },
    ]);
    expect(await current().documents.find(here, accessScopeOfUser(bob.id, 'editors'))).toMatchObject({
      rights: RIGHTS.read | RIGHTS.update,
      version: 1,
    });
    expect(await current().documents.setGrants({ ...here, collection: null }, owner, [])).toBe('granted');
    expect(await current().documents.grantsOn(here.id)).toEqual([]);
    expect(await current().documents.find(here, ANYBODY)).toMatchObject({ rights: 0 });
  });

  it('may be many, both on a new document and as replacements', async () => {
    const { ann, here, owner } = await prepare(current());
    const people = await Promise.all(Array.from({ length: 120 }, (_, i) => addUser(current(), `Person${i}`)));
    const grants = people.map(({ id }, i) => ({ principal: `u:${id}`, rights: i % 2 ? RIGHTS.read : RIGHTS.all }));
    const expected = people.map(({ name }, i) => ({ kind: 'user', name, rights: i % 2 ? RIGHTS.read : RIGHTS.all }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    const document = newDocument(ann.id, here.collection, { grants });
    await current().documents.add(document);
    expect((await current().documents.grantsOn(document.id)).toSorted(byName)).toEqual(expected.toSorted(byName));
    expect(await current().documents.setGrants(here, owner, grants)).toBe('granted');
    expect((await current().documents.grantsOn(here.id)).toSorted(byName)).toEqual(expected.toSorted(byName));
    expect(await current().documents.setGrants(here, owner, grants.slice(0, 60))).toBe('granted');
    expect(await current().documents.grantsOn(here.id)).toHaveLength(60);
  });

  it('can be replaced only by callers who may grant', async () => {
    const { bob, here } = await prepare(current());
    const grants = [{ principal: 'r:editors', rights: RIGHTS.all }];
    for (const scope of [EVERYTHING, accessScopeOfUser(bob.id, 'editors')]) {
      expect(await current().documents.setGrants(here, scope, grants)).toBe('granted');
    }
    for (const scope of [ANYBODY, accessScopeOfUser(bob.id)]) {
      expect(await current().documents.setGrants(here, scope, [])).toBe('denied');
    }
    for (const address of [
      { ...here, id: uuid() },
      { ...here, collection: 'nowhere' },
    ]) {
      expect(await current().documents.setGrants(address, EVERYTHING, [])).toBe('missing');
    }
    expect(await current().documents.grantsOn(here.id)).toEqual([
      { kind: 'role', name: 'Editors', rights: RIGHTS.all },
    ]);
    expect(await current().documents.grantsOn(uuid())).toEqual([]);
  });

  it('show the current names of users and roles, without removed ones', async () => {
    const { ann, bob, here, owner } = await prepare(current());
    const rights = RIGHTS.read;
    const principals = [`u:${bob.id}`, `u:${ann.id}`, 'r:editors'];
    await current().documents.setGrants(
      here,
      owner,
      principals.map((principal) => ({ principal, rights })),
    );
    await current().roles.update('editors', { name: 'Writers', description: '' });
    await current().users.rename(ann.id, userName('Anna'), NOT_RESERVED);
    await current().users.remove(bob.id);
    expect(await current().documents.grantsOn(here.id)).toEqual([
      { kind: 'role', name: 'Writers', rights },
      { kind: 'user', name: 'Anna', rights },
    ]);
  });

  it('are all listed, however many there are', async () => {
    const { here, owner } = await prepare(current());
    const names = Array.from({ length: 120 }, (_, i) => `Reader ${i}`);
    const ids: string[] = [];
    for (const name of names) ids.push((await addUser(current(), name)).id);
    const grants = ids.map((id) => ({ principal: `u:${id}`, rights: RIGHTS.read }));
    await current().documents.setGrants(here, owner, grants.toReversed());
    expect((await current().documents.grantsOn(here.id)).map(({ name }) => name)).toEqual(names);
  });

  it('are those of one call when several calls replace them concurrently, with single grants in between', async () => {
    const { bob, here, owner } = await prepare(current());
    const sets = Object.values(RIGHTS).map((rights) =>
      ['r:anonymous', 'r:registereduser', `u:${bob.id}`].map((principal) => ({ principal, rights })),
    );
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        ...sets.map((grants) => current().documents.setGrants(here, owner, grants)),
        current().documents.grant(here, owner, { principal: 'r:editors', rights: RIGHTS.read }),
        ...sets.map((grants) => current().documents.setGrants(here, owner, grants)),
      ]);
      const held = (await current().documents.grantsOn(here.id)).filter(({ name }) => name !== 'Editors');
      expect(held).toHaveLength(3);
      expect(new Set(held.map(({ rights }) => rights)).size).toBe(1);
    }
  });
}
