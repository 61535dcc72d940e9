import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { NOWHERE, UUID } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { createGroup, enroll, type GroupRole, rolesIn } from '../support/groups.ts';
import { expectStatus, type Person, personWithRole, setSettings } from '../support/people.ts';

/** Number of repetitions of a race. */
const ROUNDS = 5;

onEveryStorage('groups', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const as = ({ token }: { token: string }) => ({ token });
  const admin = async () => ({ token: await world.admin() });

  // Invitations have tests of their own.
  beforeAll(() => setSettings(world, 'Application', { 'group.add.default': 'anyone' }));

  const setRole = (by: Person, id: string, user: Pick<Person, 'name'>, role: string) =>
    call('PUT', `/group/${id}/member/${user.name}`, { token: by.token, body: { role } });
  const remove = (by: Pick<Person, 'token'>, id: string, user: Pick<Person, 'name'>) =>
    call('DELETE', `/group/${id}/member/${user.name}`, { token: by.token });

  /**
   * A group with an owner, two managers, two members and a stranger, who signed up in this order: it decides between
   * members who joined in the same millisecond.
   */
  async function staffed() {
    const [owner, manager, second] = [await world.user(), await world.user(), await world.user()];
    const [member, other, stranger] = [await world.user(), await world.user(), await world.user()];
    const id = await createGroup(world, owner);
    for (const user of [manager, second]) await enroll(world, { id, by: owner, user, role: 'manager' });
    for (const user of [member, other]) await enroll(world, { id, by: owner, user });
    return { id, url: `/group/${id}`, owner, manager, second, member, other, stranger };
  }

  describe('POST, GET, PUT and DELETE /group', () => {
    it('create a group that belongs to the caller', async () => {
      const ann = await world.user();
      const { data } = await expectStatus(call('POST', '/group', { ...as(ann), body: { name: 'Lake house' } }), 201);
      expect(data).toEqual({ id: expect.stringMatching(UUID), name: 'Lake house', role: 'owner' });
      expect((await call('GET', `/group/${data.id}`, as(ann))).data).toEqual({
        ...data,
        members: [{ name: ann.name, role: 'owner' }],
      });
    });

    it('list the groups of the caller, oldest first, of which several may have one name', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      const ids = [await createGroup(world, ann), await createGroup(world, bob), await createGroup(world, ann)];
      await enroll(world, { id: ids[1] ?? '', by: bob, user: ann });
      const { data } = await call('GET', '/group', as(ann));
      expect(data).toEqual([
        { id: ids[0], name: 'Friends', role: 'owner' },
        { id: ids[1], name: 'Friends', role: 'member' },
        { id: ids[2], name: 'Friends', role: 'owner' },
      ]);
      expect((await call('GET', '/group', as(await world.user()))).data).toEqual([]);
    });

    it.each(['', ' x', 'x ', 'a\nb', 'x'.repeat(129)])('refuse the name %j', async (name) => {
      const ann = await world.user();
      const id = await createGroup(world, ann);
      for (const [method, url] of [
        ['POST', '/group'],
        ['PUT', `/group/${id}`],
      ] as const) {
        const answer = await call(method, url, { ...as(ann), body: { name } });
        expectFailure(answer, 400);
        expect(answer.body).toMatchObject({ code: 'group.name_invalid', errors: [{ path: '/name' }] });
      }
    });

    it('rename it on behalf of the owner and managers, and delete it on behalf of the owner only', async () => {
      const { url, owner, manager, member, stranger } = await staffed();
      const rename = (by: Person) => call('PUT', url, { ...as(by), body: { name: `by ${by.name}` } });
      expect((await rename(owner)).data).toMatchObject({ name: `by ${owner.name}`, role: 'owner' });
      expect((await rename(manager)).data).toMatchObject({ name: `by ${manager.name}`, role: 'manager' });
      expectFailure(await rename(member), 403);
      expectFailure(await rename(stranger), 404);
      for (const by of [manager, member]) expectFailure(await call('DELETE', url, as(by)), 403);
      expectFailure(await call('DELETE', url, as(stranger)), 404);
      expect((await call('DELETE', url, as(owner))).status).toBe(200);
      for (const by of [owner, member]) expectFailure(await call('GET', url, as(by)), 404);
      expect((await call('GET', '/group', as(owner))).data).toEqual([]);
    });

    it('do not exist for anybody who is not in it, except administrators', async () => {
      const { id, url, stranger, owner } = await staffed();
      const backOffice = await personWithRole(world, 'BackOffice');
      for (const path of [url, `/group/${NOWHERE}`, '/group/x', `/group/${id.slice(1)}`]) {
        for (const by of [stranger, backOffice]) {
          expectFailure(await call('GET', path, as(by)), 404);
          expectFailure(await call('PUT', path, { ...as(by), body: { name: 'Mine' } }), 404);
          expectFailure(await call('DELETE', path, as(by)), 404);
          expectFailure(await call('PUT', `${path}/member/${by.name}`, { ...as(by), body: { role: 'owner' } }), 404);
          expectFailure(await call('DELETE', `${path}/member/${owner.name}`, as(by)), 404);
        }
        expectFailure(await call('GET', path), 401);
      }
      expect((await call('GET', url, await admin())).data).toMatchObject({ id, role: null });
      expect((await call('GET', url.toUpperCase().replace('/GROUP', '/group'), as(owner))).data).toMatchObject({ id });
    });

    it('list every group for administrators, by pages', async () => {
      const { id, owner } = await staffed();
      expectFailure(await call('GET', '/admin/group', as(owner)), 403);
      const found = [];
      for (let next = ''; ; ) {
        const { body, data } = await call('GET', `/admin/group?recordsPerPage=2${next}`, await admin());
        found.push(...data);
        if (!body.more) break;
        next = `&cursor=${body.next}`;
      }
      expect(found).toContainEqual({ id, name: 'Friends', members: 5 });
      expect(found.map((group) => group.id)).toEqual(found.map((group) => group.id).toSorted());
    });
  });

  describe('members', () => {
    it('are listed by pages, in the order of their sign-up', async () => {
      const { url, owner, manager, second, member, other } = await staffed();
      const all = [owner, manager, second, member, other].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const first = await call('GET', `${url}?recordsPerPage=2`, as(member));
      expect(first.data).toMatchObject({ name: 'Friends', role: 'member' });
      expect(first.body.more).toBe(true);
      const rest = await call('GET', `${url}?recordsPerPage=10&cursor=${first.body.next}`, as(member));
      expect(rest.body.more).toBe(false);
      const names = [...first.data.members, ...rest.data.members].map(({ name }) => name);
      expect(names).toEqual(all.map(({ name }) => name));
      const page = await call('GET', `${url}?page=1&recordsPerPage=2&skip=1`, as(member));
      expect(page.data.members.map(({ name }: Person) => name)).toEqual(names.slice(3, 5));
      expectFailure(await call('GET', `${url}?recordsPerPage=x`, as(member)), 400);
    });

    it('are added by the owner and managers, again without effect, under any spelling of their names', async () => {
      const { id, owner, manager, member, stranger } = await staffed();
      expectFailure(await setRole(member, id, stranger, 'member'), 403);
      const added = await setRole(manager, id, { name: stranger.name.toUpperCase() }, 'member');
      expect([added.status, added.data]).toEqual([200, { name: stranger.name, role: 'member' }]);
      expect((await setRole(owner, id, stranger, 'member')).status).toBe(200);
      expect((await rolesIn(world, id))[stranger.name]).toBe('member');
      expectFailure(await setRole(owner, id, { name: 'nobody' }, 'member'), 404);
      for (const role of ['boss', '', undefined]) {
        expectFailure(await call('PUT', `/group/${id}/member/${member.name}`, { ...as(owner), body: { role } }), 400);
      }
    });

    it('become managers and members again only on behalf of the owner', async () => {
      const { id, owner, manager, second, member } = await staffed();
      for (const [by, user, role] of [
        [manager, member, 'manager'],
        [manager, second, 'member'],
        [manager, manager, 'member'],
        [manager, owner, 'member'],
        [manager, manager, 'owner'],
        [member, member, 'manager'],
      ] as const) {
        expectFailure(await setRole(by, id, user, role), 403);
      }
      expect((await setRole(owner, id, member, 'manager')).status).toBe(200);
      expect((await setRole(owner, id, second, 'member')).status).toBe(200);
      expect(await rolesIn(world, id)).toMatchObject({ [member.name]: 'manager', [second.name]: 'member' });
    });

    it('get the group from the owner, who becomes a manager', async () => {
      const { id, url, owner, member, stranger } = await staffed();
      expectFailure(await setRole(owner, id, owner, 'member'), 400);
      expect((await setRole(owner, id, owner, 'owner')).status).toBe(200);
      expect((await setRole(owner, id, member, 'owner')).data).toEqual({ name: member.name, role: 'owner' });
      expect(await rolesIn(world, id)).toMatchObject({ [owner.name]: 'manager', [member.name]: 'owner' });
      expectFailure(await setRole(owner, id, owner, 'owner'), 403);
      expectFailure(await setRole(member, id, stranger, 'owner'), 404);
      expect((await setRole(member, id, owner, 'owner')).status).toBe(200);
      expectFailure(await call('DELETE', url, as(member)), 403);
      expect((await remove(member, id, member)).status).toBe(200);
    });

    it('leave by themselves, except the owner', async () => {
      const { id, url, owner, manager, member } = await staffed();
      for (const by of [manager, member]) {
        expect((await remove(by, id, by)).status).toBe(200);
        expectFailure(await call('GET', url, as(by)), 404);
      }
      const refused = await remove(owner, id, owner);
      expectFailure(refused, 400);
      expect(refused.body.code).toBe('group.owner_required');
    });

    it('are removed by the owner and managers; managers only by the owner', async () => {
      const { id, owner, manager, second, member, other, stranger } = await staffed();
      expectFailure(await remove(member, id, other), 403);
      expectFailure(await remove(manager, id, second), 403);
      expectFailure(await remove(manager, id, owner), 403);
      expect((await remove(manager, id, member)).status).toBe(200);
      expect((await remove(owner, id, second)).status).toBe(200);
      for (const [user, code] of [
        [member, 'group.member_not_found'],
        [stranger, 'group.member_not_found'],
        [{ name: 'nobody' }, 'user.not_found'],
      ] as const) {
        const answer = await remove(owner, id, user);
        expectFailure(answer, 404);
        expect(answer.body.code).toBe(code);
      }
      expect(Object.keys(await rolesIn(world, id)).toSorted()).toEqual(
        [owner, manager, other].map(({ name }) => name).toSorted(),
      );
    });

    it('are changed by administrators as by the owner', async () => {
      const { id, url, owner, member, stranger } = await staffed();
      const by = { ...(await world.user()), ...(await admin()) };
      expect((await setRole(by, id, stranger, 'manager')).status).toBe(200);
      expectFailure(await setRole(by, id, owner, 'member'), 400);
      expectFailure(await remove(by, id, owner), 400);
      expect((await setRole(by, id, member, 'owner')).status).toBe(200);
      expect(await rolesIn(world, id)).toMatchObject({ [owner.name]: 'manager', [member.name]: 'owner' });
      expect((await remove(by, id, owner)).status).toBe(200);
      expect((await call('PUT', url, { ...as(by), body: { name: 'Renamed' } })).data.role).toBeNull();
      expect((await call('DELETE', url, as(by))).status).toBe(200);
    });

    it('pass the group on when the owner’s account is deleted, or the group goes', async () => {
      const { id, owner, manager, second, member, other } = await staffed();
      const deleteUser = async ({ name }: Person) =>
        expectStatus(call('DELETE', `/admin/user/${name}`, await admin()), 200);
      for (const [leaving, next] of [
        [owner, manager],
        [manager, second],
        [second, member],
        [member, other],
      ] as const) {
        await deleteUser(leaving);
        expect((await rolesIn(world, id))[next.name]).toBe('owner');
      }
      await deleteUser(other);
      expectFailure(await call('GET', `/group/${id}`, await admin()), 404);
    });
  });

  describe('limits', () => {
    it('refuse more groups of one user and more members of one group than the settings allow', async () => {
      const [ann, eve] = [await world.user(), await world.user()];
      const id = await createGroup(world, ann);
      const expectLimit = async (answer: ReturnType<typeof call>) => {
        const { status, body } = await answer;
        expect([status, body.code]).toEqual([400, 'group.limit']);
      };
      await setSettings(world, 'Application', { 'group.max.per.user': 1, 'group.max.members': 2 });
      try {
        await expectLimit(call('POST', '/group', { ...as(ann), body: { name: 'Another' } }));
        expect((await setRole(ann, id, ann, 'owner')).status).toBe(200);
        await enroll(world, { id, by: ann, user: eve });
        await expectLimit(setRole(ann, id, await world.user(), 'member'));
        expect((await setRole(ann, id, eve, 'manager')).status).toBe(200);
      } finally {
        await setSettings(world, 'Application', { 'group.max.per.user': 100, 'group.max.members': 1000 });
      }
    });

    it('count only groups that the user made, not those that others added the user to', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      await setSettings(world, 'Application', { 'group.max.per.user': 1 });
      try {
        const ids = await Promise.all(Array.from({ length: 3 }, async () => createGroup(world, await world.user())));
        for (const id of ids)
          await expectStatus(
            call('PUT', `/group/${id}/member/${bob.name}`, { ...(await admin()), body: { role: 'owner' } }),
            200,
          );
        await createGroup(world, bob);
        expectFailure(await call('POST', '/group', { ...as(bob), body: { name: 'Another' } }), 400);
        await enroll(world, { id: await createGroup(world, ann), by: ann, user: bob });
        expect((await call('GET', '/group', as(bob))).data).toHaveLength(5);
      } finally {
        await setSettings(world, 'Application', { 'group.max.per.user': 100 });
      }
    });

    it('are exact when many join at once', async () => {
      const [ann, fan] = [await world.user(), await world.user()];
      const id = await createGroup(world, ann);
      const people = await Promise.all(Array.from({ length: 12 }, () => world.user()));
      const groups = await Promise.all(people.map((owner) => createGroup(world, owner)));
      await setSettings(world, 'Application', { 'group.max.per.user': 4, 'group.max.members': 5 });
      try {
        const joins = await Promise.all([
          ...people.map((user) => setRole(ann, id, user, 'member')),
          ...people.map((owner, at) => setRole(owner, groups[at] ?? '', fan, 'member')),
          ...people.map(({ name }) => call('POST', '/group', { ...as(fan), body: { name } })),
        ]);
        const codes = joins.map(({ status, body }) => (status < 300 ? 'done' : body.code));
        const done = (from: number) => codes.slice(from, from + 12).filter((code) => code === 'done').length;
        expect([done(0), done(12), done(24)]).toEqual([4, 12, 4]);
        expect(new Set(codes)).toEqual(new Set(['done', 'group.limit']));
      } finally {
        await setSettings(world, 'Application', { 'group.max.per.user': 100, 'group.max.members': 1000 });
      }
      expect(Object.keys(await rolesIn(world, id))).toHaveLength(5);
      expect((await call('GET', '/group', as(fan))).data).toHaveLength(16);
    });
  });

  describe('at the same time', () => {
    const ownersOf = async (id: string) => Object.values(await rolesIn(world, id)).filter((role) => role === 'owner');

    it('two hand-overs have one winner', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { id, owner, manager, second } = await staffed();
        const answers = await Promise.all([setRole(owner, id, manager, 'owner'), setRole(owner, id, second, 'owner')]);
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
        expect(await ownersOf(id)).toHaveLength(1);
      }
    });

    it('two leaders who remove each other leave exactly one owner', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { id, owner, manager, second } = await staffed();
        const answers = await Promise.all([
          remove(manager, id, second),
          remove(second, id, manager),
          setRole(owner, id, manager, 'owner'),
          remove(owner, id, manager),
          remove(manager, id, manager),
        ]);
        for (const { status } of answers) expect([200, 400, 403, 404]).toContain(status);
        const roles: GroupRole[] = Object.values(await rolesIn(world, id));
        expect(roles.filter((role) => role === 'owner')).toHaveLength(1);
      }
    });

    it('an owner who is deleted while handing the group on leaves exactly one owner', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { id, owner, manager, member } = await staffed();
        const options = await admin();
        await Promise.all([
          call('DELETE', `/admin/user/${owner.name}`, options),
          setRole(owner, id, member, 'owner'),
          call('DELETE', `/admin/user/${manager.name}`, options),
        ]);
        expect(await ownersOf(id)).toHaveLength(1);
      }
    });
  });
});
