import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { NOWHERE } from '../support/documents.ts';
import { createGroup, enroll, rolesIn } from '../support/groups.ts';
import { expectStatus, type Person, setSettings } from '../support/people.ts';

/** Number of repetitions of a race. */
const ROUNDS = 5;

onEveryStorage('invitations to groups', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const as = ({ token }: Pick<Person, 'token'>) => ({ token });
  const failure = async (...args: Parameters<World['call']>) => {
    const { status, body } = await call(...args);
    return [status, body.code];
  };

  const invite = (by: Pick<Person, 'token'>, id: string, { name }: Pick<Person, 'name'>, role = 'member') =>
    call('PUT', `/group/${id}/member/${name}`, { ...as(by), body: { role } });
  const received = async (user: Person) =>
    (await expectStatus(call('GET', '/me/group-invitations', as(user)), 200)).data;
  const accept = (user: Person, id: string) => call('PUT', `/me/group-invitations/${id}`, as(user));
  const setPolicy = (user: Person, add: string | null) =>
    expectStatus(call('PUT', '/me/group-policy', { ...as(user), body: { add } }), 200);

  async function prepare() {
    const [owner, manager, user] = [await world.user(), await world.user(), await world.user()];
    const id = await createGroup(world, owner);
    await enroll(world, { id, by: owner, user: manager, role: 'manager' });
    return { id, owner, manager, user };
  }

  it('give nothing until the user accepts', async () => {
    const { id, owner, manager, user } = await prepare();
    const answer = await invite(manager, id, user);
    expect([answer.status, answer.data]).toEqual([202, { status: 'invited' }]);
    expect(await failure('GET', `/group/${id}`, as(user))).toEqual([404, 'group.not_found']);
    expect(await received(user)).toEqual([
      { group: { id, name: 'Friends' }, role: 'member', invited_by: manager.name },
    ]);
    const { data } = await expectStatus(call('GET', `/group/${id}/invited`, as(owner)), 200);
    expect(data).toEqual([{ name: user.name, role: 'member', invited_by: manager.name }]);
    const accepted = await accept(user, id);
    expect([accepted.status, accepted.data]).toEqual([200, { id, name: 'Friends', role: 'member' }]);
    expect((await rolesIn(world, id))[user.name]).toBe('member');
    expect(await received(user)).toEqual([]);
    expect(await failure('PUT', `/me/group-invitations/${id}`, as(user))).toEqual([404, 'group.invitation_not_found']);
  });

  it('are changed by a second one, declined and withdrawn', async () => {
    const { id, owner, manager, user } = await prepare();
    await invite(manager, id, user);
    expect((await invite(owner, id, user, 'manager')).status).toBe(202);
    expect(await received(user)).toMatchObject([{ role: 'manager', invited_by: owner.name }]);
    await expectStatus(call('DELETE', `/me/group-invitations/${id}`, as(user)), 200);
    expect(await failure('DELETE', `/me/group-invitations/${id}`, as(user))).toEqual([
      404,
      'group.invitation_not_found',
    ]);
    await invite(owner, id, user);
    await expectStatus(call('DELETE', `/group/${id}/member/${user.name}`, as(manager)), 200);
    expect(await failure('DELETE', `/group/${id}/member/${user.name}`, as(manager))).toEqual([
      404,
      'group.member_not_found',
    ]);
    expect((await accept(user, id)).status).toBe(404);
  });

  it('are made and seen by the owner and managers only', async () => {
    const { id, owner, manager, user } = await prepare();
    const member = await world.user();
    await enroll(world, { id, by: owner, user: member });
    expect((await invite(member, id, user)).status).toBe(403);
    expect((await invite(manager, id, user, 'manager')).status).toBe(403);
    expect(await failure('GET', `/group/${id}/invited`, as(member))).toEqual([403, 'access.denied']);
    expect(await failure('GET', `/group/${id}/invited`, as(user))).toEqual([404, 'group.not_found']);
    expect(await failure('GET', `/group/${id}/invited`)).toEqual([401, 'auth.required']);
    expect(await received(user)).toEqual([]);
    for (const [by, expected] of [
      [member, 404],
      [user, 404],
    ] as const) {
      expect((await accept(by, id)).status).toBe(expected);
    }
    for (const path of [NOWHERE, 'x']) expect((await accept(user, path)).status).toBe(404);
  });

  it('are for everybody who is not in the group: only members become owners', async () => {
    const { id, owner, user } = await prepare();
    expect(await failure('PUT', `/group/${id}/member/${user.name}`, { ...as(owner), body: { role: 'owner' } })).toEqual(
      [404, 'group.member_not_found'],
    );
    await enroll(world, { id, by: owner, user });
    expect((await invite(owner, id, user, 'owner')).status).toBe(200);
  });

  it('are not needed by administrators, who add anybody', async () => {
    const { id, owner, user } = await prepare();
    await setPolicy(user, 'nobody');
    await invite(owner, id, user);
    const admin = { token: await world.admin() };
    expect((await invite(admin, id, user, 'manager')).data).toEqual({ name: user.name, role: 'manager' });
    expect(await received(user)).toEqual([]);
  });

  it('are listed by pages', async () => {
    const { id, owner, user } = await prepare();
    const others = [await world.user(), await world.user()];
    for (const other of [user, ...others]) await invite(owner, id, other);
    const first = await call('GET', `/group/${id}/invited?recordsPerPage=2`, as(owner));
    const rest = await call('GET', `/group/${id}/invited?recordsPerPage=2&cursor=${first.body.next}`, as(owner));
    expect([first.body.more, rest.body.more]).toEqual([true, false]);
    expect([...first.data, ...rest.data].map(({ name }) => name)).toEqual([user, ...others].map(({ name }) => name));
    const group = await createGroup(world, owner, 'Others');
    await invite(owner, group, user);
    const one = await call('GET', '/me/group-invitations?recordsPerPage=1', as(user));
    const two = await call('GET', `/me/group-invitations?recordsPerPage=1&cursor=${one.body.next}`, as(user));
    expect([...one.data, ...two.data].map((invitation) => invitation.group.name)).toEqual(['Friends', 'Others']);
  });

  describe('the policy of a user', () => {
    it('is the setting until it is chosen', async () => {
      const { id, owner, user } = await prepare();
      expect((await call('GET', '/me/group-policy', as(user))).data).toEqual({ add: null });
      await setSettings(world, 'Application', { 'group.add.default': 'anyone' });
      try {
        expect((await invite(owner, id, user)).status).toBe(200);
        const careful = await world.user();
        await setPolicy(careful, 'approve');
        expect((await invite(owner, id, careful)).status).toBe(202);
      } finally {
        await setSettings(world, 'Application', { 'group.add.default': 'approve' });
      }
      const refused = await call('PUT', '/me/group-policy', { ...as(user), body: { add: 'all' } });
      const message = expect.stringMatching(/^must be one of .*"approve"/);
      expect([refused.status, refused.body.errors]).toEqual([400, [{ path: '/add', message }]]);
    });

    it('lets anybody add the user, or nobody', async () => {
      const { id, owner, user } = await prepare();
      await setPolicy(user, 'nobody');
      expect((await call('GET', '/me/group-policy', as(user))).data).toEqual({ add: 'nobody' });
      expect(
        await failure('PUT', `/group/${id}/member/${user.name}`, { ...as(owner), body: { role: 'member' } }),
      ).toEqual([403, 'group.add_refused']);
      await setPolicy(user, null);
      await invite(owner, id, user);
      await setPolicy(user, 'anyone');
      expect((await invite(owner, id, user)).data).toEqual({ name: user.name, role: 'member' });
      expect(await received(user)).toEqual([]);
      expect((await call('GET', `/group/${id}/invited`, as(owner))).data).toEqual([]);
    });
  });

  it('of a user who is blocked are neither made nor accepted', async () => {
    const { id, owner, manager, user } = await prepare();
    await invite(owner, id, user);
    await expectStatus(call('POST', `/block/${owner.name}`, as(user)), 201);
    expect(await received(user)).toEqual([]);
    expect((await accept(user, id)).status).toBe(404);
    expect(
      await failure('PUT', `/group/${id}/member/${user.name}`, { ...as(owner), body: { role: 'member' } }),
    ).toEqual([404, 'user.not_found']);
    expect((await invite(manager, id, user)).status).toBe(202);
    expect((await accept(user, id)).status).toBe(200);
  });

  it('count toward the limits when they are accepted, and a group has a limit of open ones', async () => {
    const { id, owner, user } = await prepare();
    const other = await world.user();
    await setSettings(world, 'Application', { 'group.max.per.user': 1, 'group.max.members': 2 });
    try {
      for (const one of [user, other]) expect((await invite(owner, id, one)).status).toBe(202);
      const refused = await invite(owner, id, await world.user());
      expect([refused.status, refused.body.code]).toEqual([400, 'group.limit']);
      expect((await invite(owner, id, user)).status).toBe(202);
      expect((await accept(user, id)).body.code).toBe('group.limit');
      expect(await received(user)).toHaveLength(1);
      await setSettings(world, 'Application', { 'group.max.members': 10 });
      await createGroup(world, other);
      expect((await accept(other, id)).body.code).toBe('group.limit');
      expect((await accept(user, id)).status).toBe(200);
      expect(await failure('POST', '/group', { ...as(user), body: { name: 'Mine' } })).toEqual([400, 'group.limit']);
    } finally {
      await setSettings(world, 'Application', { 'group.max.per.user': 100, 'group.max.members': 1000 });
    }
  });

  it('are accepted once, and never after they were withdrawn', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, owner, user } = await prepare();
      await invite(owner, id, user);
      const [first, second, withdrawn] = await Promise.all([
        accept(user, id),
        accept(user, id),
        call('DELETE', `/group/${id}/member/${user.name}`, as(owner)),
      ]);
      const accepted = [first, second].filter(({ status }) => status === 200).length;
      expect(accepted).toBeLessThanOrEqual(1);
      expect(withdrawn.status).toBe(200);
      expect(await rolesIn(world, id)).not.toHaveProperty(user.name);
      expect(await received(user)).toEqual([]);
    }
  });
});
