import { EVERY_RIGHT, type NewUser, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { expect, it } from 'vitest';
import { ANYBODY, accessScopeOfUser, addUser, EVERYTHING, NOW, newFile, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const READ = RIGHTS.read;

export function filesContract(current: () => Storage): void {
  const files = () => current().files;
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const plain = { where: null, order: [] };
  const first = { ...plain, after: null, skip: 0, limit: 100 };
  const placeOf = (id: string | undefined) => (id === undefined ? null : { keys: [], id });

  async function add(author: NewUser, grants: Array<[string, number]> = []): Promise<string> {
    const file = newFile(author.id, { grants: grants.map(([principal, rights]) => ({ principal, rights })) });
    await files().add(file);
    return file.id;
  }

  it('are returned as they were added', async () => {
    const ann = await addUser(current(), 'Ann');
    const file = newFile(ann.id, {
      fileName: 'a "b" \\ é 😀.txt',
      contentType: 'text/plain; charset=utf-8',
      size: 2 ** 40 + 1,
      sha256: 'f'.repeat(64),
      attachedData: '{"z":1,"a":-0.1e-7,"😀":""}',
      created: NOW + 1,
    });
    const { authorId: _authorId, grants: _grants, ...rest } = file;
    const record = { ...rest, author: 'Ann' };
    expect(await files().add(file)).toEqual(record);
    expect(await files().find(file.id, EVERYTHING)).toEqual({ ...record, rights: EVERY_RIGHT });
    expect(await files().list({ scope: EVERYTHING, ...first })).toEqual([record]);
  });

  it('need an existing author', async () => {
    const file = newFile(uuid(), { grants: [{ principal: 'r:anonymous', rights: READ }] });
    await expect(files().add(file)).rejects.toMatchObject({ code: 'user.not_found' });
    expect(await files().find(file.id, EVERYTHING)).toBeNull();
  });

  it('have the rights that the access scope gives', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await current().follows.add(bob.id, ann.id);
    const id = await add(ann, [
      [userPrincipal(bob.id), RIGHTS.update],
      ['r:registereduser', RIGHTS.delete],
    ]);
    const rights = async (scope: Parameters<Storage['files']['find']>[1]) => (await files().find(id, scope))?.rights;
    expect(await rights(accessScopeOfUser(ann.id))).toBe(EVERY_RIGHT);
    expect(await rights(accessScopeOfUser(bob.id))).toBe(RIGHTS.update | RIGHTS.delete);
    expect(await rights({ ...accessScopeOfUser(bob.id), followed: true })).toBe(RIGHTS.update | RIGHTS.delete);
    expect(await rights(ANYBODY)).toBe(0);
    expect(await files().find(uuid(), EVERYTHING)).toBeNull();
  });

  it('can be removed once, by callers with the right', async () => {
    const [ann, bob, eve] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Eve'),
    ];
    const id = await add(ann, [
      [userPrincipal(bob.id), RIGHTS.delete],
      [userPrincipal(eve.id), READ | RIGHTS.update],
    ]);
    expect(await files().remove(id, accessScopeOfUser(eve.id))).toBe('denied');
    expect(await files().remove(id, ANYBODY)).toBe('denied');
    const results = await Promise.all(Array.from({ length: 10 }, () => files().remove(id, accessScopeOfUser(bob.id))));
    expect(results.filter((result) => result === 'removed')).toHaveLength(1);
    expect(results.filter((result) => result === 'missing')).toHaveLength(9);
    expect(await files().find(id, EVERYTHING)).toBeNull();
    expect(await files().remove(await add(ann), EVERYTHING)).toBe('removed');
  });

  it('can be granted and revoked by callers with the right', async () => {
    const [ann, bob, eve] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Eve'),
    ];
    const id = await add(ann);
    const grant = { principal: userPrincipal(bob.id), rights: READ };
    expect(await files().grant(id, accessScopeOfUser(eve.id), grant)).toBe('denied');
    expect(await files().grant(uuid(), EVERYTHING, grant)).toBe('missing');
    expect(await files().grant(id, accessScopeOfUser(ann.id), grant)).toBe('granted');
    expect(await files().grant(id, EVERYTHING, { ...grant, rights: RIGHTS.all })).toBe('granted');
    expect((await files().find(id, accessScopeOfUser(bob.id)))?.rights).toBe(READ | RIGHTS.all);
    expect(await files().revoke(id, accessScopeOfUser(bob.id), { principal: grant.principal, action: 'read' })).toBe(
      'revoked',
    );
    expect((await files().find(id, accessScopeOfUser(bob.id)))?.rights).toBe(RIGHTS.all);
    expect(await files().revoke(id, accessScopeOfUser(eve.id), { principal: grant.principal, action: 'all' })).toBe(
      'denied',
    );
    expect(await files().revoke(id, accessScopeOfUser(ann.id), { principal: 'r:anonymous', action: 'all' })).toBe(
      'absent',
    );
    expect(await files().revoke(id, accessScopeOfUser(ann.id), { principal: grant.principal, action: 'all' })).toBe(
      'revoked',
    );
    expect((await files().find(id, accessScopeOfUser(bob.id)))?.rights).toBe(0);
    expect(await files().revoke(uuid(), EVERYTHING, { principal: grant.principal, action: 'all' })).toBe('missing');
  });

  it('can be added with many grants', async () => {
    const ann = await addUser(current(), 'Ann');
    const people = await Promise.all(Array.from({ length: 120 }, (_, i) => addUser(current(), `Person${i}`)));
    const id = await add(
      ann,
      people.map((one) => [userPrincipal(one.id), READ]),
    );
    const rights = await Promise.all(
      people.map(async (one) => (await files().find(id, accessScopeOfUser(one.id)))?.rights),
    );
    expect(rights).toEqual(people.map(() => READ));
  });

  it('list their grants by name, without those of removed users', async () => {
    const [ann, bob, eve] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Eve'),
    ];
    const id = await add(ann, [
      [userPrincipal(eve.id), READ],
      [userPrincipal(bob.id), READ | RIGHTS.update],
      ['r:backoffice', RIGHTS.delete],
    ]);
    const other = await add(ann, [[userPrincipal(bob.id), RIGHTS.all]]);
    expect(await files().grantsOn(id)).toEqual([
      { kind: 'role', name: 'BackOffice', rights: RIGHTS.delete },
      { kind: 'user', name: 'Bob', rights: READ | RIGHTS.update },
      { kind: 'user', name: 'Eve', rights: READ },
    ]);
    await current().users.remove(eve.id);
    await files().revoke(id, EVERYTHING, { principal: 'r:backoffice', action: 'delete' });
    expect(await files().grantsOn(id)).toEqual([{ kind: 'user', name: 'Bob', rights: READ | RIGHTS.update }]);
    expect(await files().grantsOn(other)).toEqual([{ kind: 'user', name: 'Bob', rights: RIGHTS.all }]);
    expect(await files().grantsOn(uuid())).toEqual([]);
  });

  it('keep all concurrently granted rights', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const id = await add(ann);
    const principal = userPrincipal(bob.id);
    await Promise.all(Object.values(RIGHTS).map((rights) => files().grant(id, EVERYTHING, { principal, rights })));
    expect((await files().find(id, accessScopeOfUser(bob.id)))?.rights).toBe(EVERY_RIGHT);
  });

  it('are listed and counted if they can be read', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await current().roles.add({ name: 'Editors', description: '' });
    const mine = [await add(bob), await add(bob, [['r:anonymous', READ]])];
    const hidden = await add(ann, [[userPrincipal(bob.id), RIGHTS.update | RIGHTS.delete]]);
    const given = [
      await add(ann, [
        [userPrincipal(bob.id), READ],
        ['r:registereduser', READ],
        ['r:anonymous', RIGHTS.all],
      ]),
      await add(ann, [['r:editors', RIGHTS.all]]),
      await add(ann, [['r:anonymous', READ]]),
    ];
    const scope = accessScopeOfUser(bob.id, 'editors');
    expect(ids(await files().list({ scope, ...first }))).toEqual([...mine, ...given]);
    expect(await files().count({ scope, where: null })).toBe(5);
    expect(await files().count({ scope: EVERYTHING, where: null })).toBe(6);
    expect(ids(await files().list({ scope: EVERYTHING, ...first }))).toEqual([...mine, hidden, ...given]);
    expect(ids(await files().list({ scope: ANYBODY, ...first }))).toEqual([mine[1], given[0], given[2]]);
    expect(await files().count({ scope: ANYBODY, where: null })).toBe(3);
  });

  it.each([true, false])('are listed in pages without gaps or repetitions (everything: %s)', async (everything) => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const accessPaths: Array<[string, number]> = [
      [userPrincipal(bob.id), READ],
      ['r:anonymous', READ],
    ];
    const all: string[] = [];
    for (let at = 0; at < 30; at += 3) all.push(await add(ann, accessPaths), await add(bob), await add(ann));
    const scope = everything ? EVERYTHING : accessScopeOfUser(bob.id);
    const expected = everything ? all : all.filter((_id, at) => at % 3 !== 2);
    const found: string[] = [];
    let page: string[];
    do {
      page = ids(await files().list({ ...plain, scope, after: placeOf(found.at(-1)), skip: 0, limit: 7 }));
      found.push(...page);
    } while (page.length === 7);
    expect(found).toEqual(expected);
    expect(ids(await files().list({ ...plain, scope, after: placeOf(expected[1]), skip: 3, limit: 4 }))).toEqual(
      expected.slice(5, 9),
    );
    expect(await files().list({ ...plain, scope, after: placeOf(expected.at(-1)), skip: 0, limit: 4 })).toEqual([]);
  });

  it('tell which of many ids belong to files', async () => {
    const ann = await addUser(current(), 'Ann');
    const there: string[] = [];
    for (let at = 0; at < 5; at++) there.push(await add(ann));
    const asked = Array.from({ length: 1000 }, (_, at) =>
      at % 200 === 7 ? (there[Math.floor(at / 200)] ?? '') : uuid(),
    );
    expect((await files().existing(asked)).sort()).toEqual(there.toSorted());
    expect(await files().existing([])).toEqual([]);
  });

  it('are removed with their author, and grants with their principal', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await current().roles.add({ name: 'Editors', description: '' });
    const hers = await add(ann);
    const his = await add(bob, [
      [userPrincipal(ann.id), READ],
      ['r:editors', READ],
    ]);
    await current().users.remove(ann.id);
    await finishRemovals(current(), 100);
    expect(await files().existing([hers, his])).toEqual([his]);
    expect((await files().find(his, accessScopeOfUser(ann.id)))?.rights).toBe(0);
    await current().roles.update('editors', { name: 'Writers', description: '' });
    expect((await files().find(his, accessScopeOfUser(uuid(), 'writers')))?.rights).toBe(READ);
    await current().roles.remove('writers');
    expect((await files().find(his, accessScopeOfUser(uuid(), 'writers')))?.rights).toBe(0);
  });

  it('are rolled back with their transaction', async () => {
    const ann = await addUser(current(), 'Ann');
    const file = newFile(ann.id, { grants: [{ principal: 'r:anonymous', rights: READ }] });
    const failing = current().transaction(async (stores) => {
      await stores.files.add(file);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await files().existing([file.id])).toEqual([]);
  });
}
