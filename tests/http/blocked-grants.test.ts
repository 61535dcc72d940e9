import { expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { filePart, stored } from '../support/files.ts';
import { createGroup, enroll, rolesIn } from '../support/groups.ts';
import { expectStatus } from '../support/people.ts';

onEveryStorage('users who are blocked', (world) => {
  const call: World['call'] = (...args) => world.call(...args);

  /** The owner of a document, a file and a group, and somebody who blocks the owner. */
  async function prepare() {
    const shelf = await createShelf(world);
    const [blocker, group] = [await world.user(), await createGroup(world, shelf.owner)];
    const document = await shelf.create({ n: 1 });
    const file = await stored(world, shelf.owner.token, filePart('Mine'));
    const block = () => expectStatus(call('POST', `/block/${shelf.owner.name}`, { token: blocker.token }), 201);
    const owner = { token: shelf.owner.token };
    const failure = async (...args: Parameters<World['call']>) => {
      const { status, body } = await call(...args);
      return [status, body.code];
    };
    const readable = async (url: string) => (await call('GET', url, { token: blocker.token })).status === 200;
    return {
      shelf,
      owner,
      blocker,
      group,
      path: shelf.path(document.id),
      file: `/file/${file.id}`,
      block,
      failure,
      readable,
    };
  }

  it('cannot grant anything to the blocker, who is answered as an unknown user', async () => {
    const { shelf, owner, blocker, path, file, block, failure, readable } = await prepare();
    await block();
    for (const [name, shown] of [
      [blocker.name, blocker.name],
      ['nobody.at.all', 'nobody.at.all'],
    ] as const) {
      const list = { read: { users: [name] } };
      for (const url of [path, file]) {
        expect(await failure('PUT', `${url}/read/user/${name}`, owner)).toEqual([404, 'user.not_found']);
        expect(await failure('DELETE', `${url}/read/user/${name}`, owner)).toEqual([404, 'user.not_found']);
      }
      const unknown = [400, 'grant.user_unknown'];
      expect(await failure('PUT', `${path}/acl`, { ...owner, body: list })).toEqual(unknown);
      const allowed = { n: 2, _allowRead: { users: [shown] } };
      expect((await failure('POST', `/document/${shelf.collection}`, { ...owner, body: allowed }))[0]).toBe(400);
      const operations = [{ method: 'PUT', path: `${path}/acl`, body: list }];
      const batch = await call('POST', '/batch', { ...owner, body: { operations } });
      expect(JSON.stringify(batch.body)).toContain('grant.user_unknown');
    }
    for (const url of [path, file]) expect(await readable(url)).toBe(false);
    const admin = { token: await world.admin() };
    await expectStatus(call('PUT', `${path}/read/user/${blocker.name}`, admin), 200);
    expect(await readable(path)).toBe(true);
  });

  it('revoke what they granted before the block, which tells nothing about others', async () => {
    const { owner, blocker, path, file, block, failure, readable } = await prepare();
    for (const url of [path, file]) await expectStatus(call('PUT', `${url}/read/user/${blocker.name}`, owner), 200);
    await block();
    for (const url of [path, file]) {
      expect(await readable(url)).toBe(true);
      await expectStatus(call('DELETE', `${url}/read/user/${blocker.name}`, owner), 200);
      expect(await readable(url)).toBe(false);
      expect(await failure('DELETE', `${url}/read/user/${blocker.name}`, owner)).toEqual([404, 'user.not_found']);
    }
  });

  it('cannot add the blocker to a group, but remove them from it', async () => {
    const { shelf, owner, blocker, group, block, failure } = await prepare();
    const member = `/group/${group}/member/${blocker.name}`;
    const add = ['PUT', member, { ...owner, body: { role: 'member' } }] as const;
    await block();
    expect(await failure(...add)).toEqual([404, 'user.not_found']);
    expect(await failure('DELETE', member, owner)).toEqual([404, 'user.not_found']);
    expect(Object.keys(await rolesIn(world, group))).toEqual([shelf.owner.name]);
    await expectStatus(call('PUT', member, { token: await world.admin(), body: { role: 'member' } }), 200);
    expect(await rolesIn(world, group)).toMatchObject({ [blocker.name]: 'member' });
    await expectStatus(call('DELETE', member, owner), 200);
    expect(Object.keys(await rolesIn(world, group))).toEqual([shelf.owner.name]);
    await expectStatus(call('DELETE', `/block/${shelf.owner.name}`, { token: blocker.token }), 200);
    await enroll(world, { id: group, by: shelf.owner, user: blocker });
  });
});
