import { groupPrincipal, RIGHTS, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, newFile, newSession, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

/** Adds a group owned by the first user, with the others as members in the order of joining. */
async function addGroup(storage: Storage, name: string, [owner = '', ...others]: readonly string[]): Promise<string> {
  const id = uuid();
  await storage.groups.add({ id, name, created: NOW }, owner);
  for (const [i, userId] of others.entries())
    await storage.groups.setRole(id, userId, 'member', { joined: NOW + 1 + i, counted: false });
  return id;
}

const FIRST = { after: null, skip: 0, limit: 100 };

/** Tests groups and their members. */
export function groupsContract(current: () => Storage): void {
  const roles = async (id: string) =>
    (await current().groups.members(id, FIRST)).map(({ name, role }) => `${name} ${role}`);

  async function people(...names: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const name of names) ids.push((await addUser(current(), name)).id);
    return ids;
  }

  it('are found by their members, with their roles', async () => {
    const [ann = '', bob = ''] = await people('Ann', 'Bob');
    const id = await addGroup(current(), 'Friends', [ann]);
    const group = { id, name: 'Friends', created: NOW };
    expect(await current().groups.find(id, ann)).toEqual({ ...group, role: 'owner' });
    expect(await current().groups.find(id, bob)).toEqual({ ...group, role: null });
    expect(await current().groups.find(id, null)).toEqual({ ...group, role: null });
    expect(await current().groups.find(uuid(), ann)).toBeNull();
    await current().groups.setRole(id, bob, 'member', { joined: NOW, counted: false });
    const other = await addGroup(current(), 'Friends', [bob]);
    expect(await current().groups.ofUser(bob, 10)).toEqual([
      { ...group, role: 'member' },
      { ...group, id: other, role: 'owner' },
    ]);
    expect(await current().groups.ofUser(bob, 1)).toHaveLength(1);
    expect(await current().groups.ofUser(uuid(), 10)).toEqual([]);
  });

  it('are not stored for an owner who does not exist', async () => {
    const id = uuid();
    const add = () => current().groups.add({ id, name: 'Nobody', created: NOW }, uuid());
    await expect(add()).rejects.toMatchObject({ code: 'user.not_found' });
    expect(await current().groups.find(id, null)).toBeNull();
  });

  it('are all listed by pages, with the number of their members', async () => {
    const [ann = '', bob = ''] = await people('Ann', 'Bob');
    const [one, two] = [await addGroup(current(), 'One', [ann, bob]), await addGroup(current(), 'Two', [ann])];
    expect(await current().groups.list(FIRST)).toEqual([
      { id: one, name: 'One', created: NOW, members: 2 },
      { id: two, name: 'Two', created: NOW, members: 1 },
    ]);
    expect((await current().groups.list({ ...FIRST, after: one })).map(({ id }) => id)).toEqual([two]);
    expect(await current().groups.list({ ...FIRST, skip: 1, limit: 1 })).toHaveLength(1);
  });

  it('list their members by pages, under their current names', async () => {
    const ids = await people('Ann', 'Bob', 'Cid', 'Dan');
    const id = await addGroup(current(), 'Friends', ids.toReversed());
    expect(await roles(id)).toEqual(['Ann member', 'Bob member', 'Cid member', 'Dan owner']);
    const page = await current().groups.members(id, { after: ids[0] ?? null, skip: 1, limit: 1 });
    expect(page).toEqual([{ userId: ids[2], name: 'Cid', role: 'member' }]);
    expect(await current().groups.size(id)).toBe(4);
    expect(await current().groups.members(uuid(), FIRST)).toEqual([]);
    expect(await current().groups.size(uuid())).toBe(0);
  });

  it('change roles without changing when somebody joined', async () => {
    const [ann = '', bob = '', cid = ''] = await people('Ann', 'Bob', 'Cid');
    const id = await addGroup(current(), 'Friends', [ann, bob, cid]);
    await current().groups.setRole(id, bob, 'manager', { joined: NOW + 100, counted: false });
    await current().groups.setRole(id, cid, 'manager', { joined: NOW + 100, counted: false });
    await current().users.remove(ann);
    expect(await roles(id)).toEqual(['Bob owner', 'Cid manager']);
  });

  it('count for who made or accepted them, whatever the role becomes', async () => {
    const [ann = '', bob = '', cid = ''] = await people('Ann', 'Bob', 'Cid');
    const { groups } = current();
    const id = await addGroup(current(), 'Friends', [ann, bob]);
    await groups.setRole(id, cid, 'member', { joined: NOW, counted: true });
    const counts = async () => [await groups.lockUser(ann), await groups.lockUser(bob), await groups.lockUser(cid)];
    const before = [
      { name: 'Ann', counted: 1, given: 0 },
      { name: 'Bob', counted: 0, given: 1 },
      { name: 'Cid', counted: 1, given: 0 },
    ];
    expect(await counts()).toEqual(before);
    await groups.setRole(id, bob, 'manager', { joined: NOW, counted: true });
    await groups.handOver(id, cid, { joined: NOW, counted: false });
    await groups.handOver(id, bob, { joined: NOW, counted: true });
    expect(await counts()).toEqual(before);
    await groups.handOver(await addGroup(current(), 'Others', [ann]), cid, { joined: NOW, counted: false });
    expect(await groups.lockUser(cid)).toEqual({ name: 'Cid', counted: 1, given: 1 });
    expect(await groups.lockUser(uuid())).toBeNull();
  });

  it('are handed over, to a member or to somebody else, and have one owner at any time', async () => {
    const [ann = '', bob = '', cid = ''] = await people('Ann', 'Bob', 'Cid');
    const id = await addGroup(current(), 'Friends', [ann, bob]);
    await current().groups.handOver(id, bob, { joined: NOW, counted: false });
    expect(await roles(id)).toEqual(['Ann manager', 'Bob owner']);
    await current().groups.handOver(id, cid, { joined: NOW, counted: false });
    expect(await roles(id)).toEqual(['Ann manager', 'Bob manager', 'Cid owner']);
    expect(await current().groups.removeMember(id, ann)).toBe(true);
    expect(await current().groups.removeMember(id, ann)).toBe(false);
    expect(await roles(id)).toEqual(['Bob manager', 'Cid owner']);
  });

  it('are renamed and removed, with every grant to them', async () => {
    const [ann = ''] = await people('Ann');
    const id = await addGroup(current(), 'Friends', [ann]);
    const [kept, books] = [await addGroup(current(), 'Kept', [ann]), await addCollection(current(), 'Books')];
    const grants = [id, kept].map((group) => ({ principal: groupPrincipal(group), rights: RIGHTS.read }));
    const [document, file] = [newDocument(ann, books, { grants }), newFile(ann, { grants })];
    await current().documents.add(document);
    await current().files.add(file);
    expect(await current().groups.rename(id, 'Foes')).toBe(true);
    expect((await current().groups.find(id, ann))?.name).toBe('Foes');
    expect(await current().groups.remove(id)).toBe(true);
    await finishRemovals(current(), 10);
    expect(await current().groups.find(id, ann)).toBeNull();
    expect(await current().groups.ofUser(ann, 10)).toHaveLength(1);
    expect(await current().documents.grantsOn(document.id)).toEqual([
      { kind: 'group', name: kept, rights: RIGHTS.read },
    ]);
    const scope = { everything: false, owner: null, principals: [groupPrincipal(id)], followed: false, ruled: 0 };
    expect(await current().files.find(file.id, scope)).toMatchObject({ rights: 0 });
    expect(await current().groups.remove(id)).toBe(false);
    expect(await current().groups.rename(id, 'Gone')).toBe(false);
  });

  it('are read together with a session and with credentials', async () => {
    const [ann = '', bob = ''] = await people('Ann', 'Bob');
    const ids = [await addGroup(current(), 'One', [ann]), await addGroup(current(), 'Two', [bob, ann])];
    const session = newSession(ann);
    await current().sessions.add(session);
    const groups = async () => [
      (await current().sessions.find(session.id))?.user.groups.toSorted(),
      (await current().users.credentials('ann'))?.groups.toSorted(),
    ];
    expect(await groups()).toEqual([ids, ids]);
    await current().groups.removeMember(ids[1] ?? '', ann);
    expect(await groups()).toEqual([[ids[0]], [ids[0]]]);
    await current().groups.remove(ids[0] ?? '');
    expect(await groups()).toEqual([[], []]);
  });

  it('go to the longest-serving manager when their owner is removed, else to such a member, else they go too', async () => {
    const [ann = '', bob = '', cid = '', dan = ''] = await people('Ann', 'Bob', 'Cid', 'Dan');
    const managed = await addGroup(current(), 'Managed', [ann, dan, cid, bob]);
    await current().groups.setRole(managed, cid, 'manager', { joined: NOW, counted: false });
    await current().groups.setRole(managed, bob, 'manager', { joined: NOW, counted: false });
    const plain = await addGroup(current(), 'Plain', [ann, dan, bob]);
    const alone = await addGroup(current(), 'Alone', [ann]);
    const other = await addGroup(current(), 'Other', [bob, ann]);
    const books = await addCollection(current(), 'Books');
    const document = newDocument(bob, books, { grants: [{ principal: groupPrincipal(alone), rights: RIGHTS.read }] });
    await current().documents.add(document);
    expect(await current().users.remove(ann)).toBe(true);
    expect(await roles(managed)).toEqual(['Bob manager', 'Cid owner', 'Dan member']);
    expect(await roles(plain)).toEqual(['Bob member', 'Dan owner']);
    expect(await roles(other)).toEqual(['Bob owner']);
    expect(await current().groups.find(alone, null)).toBeNull();
    expect(await current().documents.grantsOn(document.id)).toEqual([]);
  });

  it('always have one owner, also when everybody is removed and the group is handed over at once', async () => {
    for (let round = 0; round < 5; round++) {
      const ids = await people(...['A', 'B', 'C', 'D', 'E'].map((name) => `${name}${round}`));
      const id = await addGroup(current(), 'Friends', ids);
      const [, second = '', third = '', ...rest] = ids;
      const handOver = (userId: string) =>
        current().transaction(async ({ groups }) => {
          const user = await groups.lockUser(userId);
          if ((await groups.lock(id)) && user !== null)
            await groups.handOver(id, userId, { joined: NOW, counted: false });
        });
      const remove = (userId: string) => current().transaction(({ users }) => users.remove(userId));
      await Promise.all([handOver(second), handOver(third), ...ids.slice(0, 3).map(remove), remove(rest[0] ?? '')]);
      const owners = (await roles(id)).filter((member) => member.endsWith('owner'));
      expect(owners).toEqual([`E${round} owner`]);
    }
  });

  it('are granted rights on documents and files only while they exist', async () => {
    const [ann = ''] = await people('Ann');
    const books = await addCollection(current(), 'Books');
    const [document, file] = [newDocument(ann, books), newFile(ann)];
    await current().documents.add(document);
    await current().files.add(file);
    const here = { collection: books, id: document.id };
    const gone = { principal: groupPrincipal(uuid()), rights: RIGHTS.read };
    const unknown = { code: 'grant.group_unknown' };
    const { documents, files } = current();
    await expect(documents.add(newDocument(ann, books, { grants: [gone] }))).rejects.toMatchObject(unknown);
    await expect(files.add(newFile(ann, { grants: [gone] }))).rejects.toMatchObject(unknown);
    await expect(documents.setGrants(here, EVERYTHING, [gone])).rejects.toMatchObject(unknown);
    const missing = { code: 'group.not_found' };
    await expect(documents.grant(here, EVERYTHING, gone)).rejects.toMatchObject(missing);
    await expect(files.grant(file.id, EVERYTHING, gone)).rejects.toMatchObject(missing);
    expect(await documents.count(books, EVERYTHING, null)).toBe(1);
  });

  it('leave no grant behind when they are removed while rights are granted to them', async () => {
    const [ann = ''] = await people('Ann');
    const books = await addCollection(current(), 'Books');
    const documents = Array.from({ length: 10 }, () => newDocument(ann, books));
    for (const document of documents) await current().documents.add(document);
    const id = await addGroup(current(), 'Friends', [ann]);
    const grant = { principal: groupPrincipal(id), rights: RIGHTS.read };
    const granted = documents.map((document) =>
      current()
        .documents.grant({ collection: books, id: document.id }, EVERYTHING, grant)
        .catch(({ code }) => code),
    );
    await current().groups.remove(id);
    const results = await Promise.all(granted);
    await finishRemovals(current(), 10);
    for (const result of results) expect(['granted', 'group.not_found']).toContain(result);
    for (const document of documents) expect(await current().documents.grantsOn(document.id)).toEqual([]);
    const scope = { everything: false, owner: null, principals: [grant.principal], followed: false, ruled: 0 };
    expect(await current().documents.count(books, scope, null)).toBe(0);
  });
}
