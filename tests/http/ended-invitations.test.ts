import { beforeAll, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createGroup, enroll, rolesIn } from '../support/groups.ts';
import { adminOf, expectStatus, type Person, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();
const DAY = 24 * 60 * MINUTE;
/** Invitations from one account to one mailbox or user, in a day. */
const MOST_INVITATIONS = 30;
const INVALID = [404, 'invitation.invalid'];

onEveryStorage(
  'invitations that end or are refused',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const as = ({ token }: Pick<Person, 'token'>) => ({ token });
    const asAdmin = (method: string, url: string, body?: unknown) =>
      call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
    const outcome = ({ status, body }: Answer) => (status < 300 ? status : [status, body.code]);
    const { setUp, unique } = createMailbox(world);

    const invite = (by: Pick<Person, 'token'>, id: string, body: object = {}) =>
      call('POST', `/group/${id}/invitation`, { ...as(by), body });
    const codeBy = async (by: Pick<Person, 'token'>, id: string): Promise<string> =>
      (await expectStatus(invite(by, id, { uses: 5, expires: 31_536_000 }), 201)).data.code;
    const accept = async (by: Pick<Person, 'token'>, code: string) =>
      outcome(await call('POST', `/invitation/${code}`, as(by)));
    const put = (by: Pick<Person, 'token'>, id: string, { name }: Pick<Person, 'name'>, role = 'member') =>
      call('PUT', `/group/${id}/member/${name}`, { ...as(by), body: { role } });
    const remove = (by: Person, id: string, { name }: Person) =>
      expectStatus(call('DELETE', `/group/${id}/member/${name}`, as(by)), 200);

    // Sessions have to outlast the leaps of the clock.
    beforeAll(() => setSettings(world, 'Application', { 'session_tokens.timeout': 0 }));

    async function prepare() {
      const [owner, manager, user] = [await world.user(), await world.user(), await world.user()];
      const id = await createGroup(world, owner);
      await enroll(world, { id, by: owner, user: manager, role: 'manager' });
      return { id, owner, manager, user };
    }

    it('codes end for good when their maker is suspended, by an administrator or by choice', async () => {
      const { id, owner, manager, user } = await prepare();
      for (const [maker, suspend] of [
        [manager, () => asAdmin('PUT', `/admin/user/suspend/${manager.name}`)],
        [owner, () => call('PUT', '/me/suspend', as(owner))],
      ] as const) {
        const code = await codeBy(maker, id);
        await expectStatus(suspend(), 200);
        expect(await accept(user, code)).toEqual(INVALID);
        expect(outcome(await call('GET', `/invitation/${code}`))).toEqual(INVALID);
        await expectStatus(asAdmin('PUT', `/admin/user/activate/${maker.name}`), 200);
        expect(await accept(user, code)).toEqual(INVALID);
      }
    });

    it('codes end when their maker hands the group over, and those of others stay', async () => {
      const { id, owner, manager, user } = await prepare();
      const [ofOwner, ofManager] = [await codeBy(owner, id), await codeBy(manager, id)];
      await expectStatus(put(owner, id, manager, 'owner'), 200);
      expect(await accept(user, ofOwner)).toEqual(INVALID);
      expect(await accept(user, ofManager)).toBe(200);
    });

    it('codes of an administrator end with that role', async () => {
      const { id, user } = await prepare();
      const name = world.unique('chief');
      await expectStatus(
        asAdmin('POST', '/admin/user', { username: name, password: 'secret', role: 'administrator' }),
        201,
      );
      const { data } = await expectStatus(
        call('POST', `/group/${id}/invitation`, { basic: [name, 'secret'], body: {} }),
        201,
      );
      await expectStatus(asAdmin('PUT', `/admin/user/${name}`, { role: 'registereduser' }), 200);
      expect(await accept(user, data.code)).toEqual(INVALID);
    });

    it('a code from before a removal lets the removed member not in again, a later one does', async () => {
      const { id, owner, manager, user } = await prepare();
      const before = await codeBy(manager, id);
      expect(await accept(user, before)).toBe(200);
      clock.advance(1);
      await remove(owner, id, user);
      expect(await accept(user, before)).toEqual(INVALID);
      expect(outcome(await call('GET', `/invitation/${before}`, as(user)))).toEqual(INVALID);
      expect(await accept(await world.user(), before)).toBe(200);
      clock.advance(1);
      const later = await codeBy(manager, id);
      expect(await accept(user, later)).toBe(200);
      expect((await rolesIn(world, id))[user.name]).toBe('member');
      // Who leaves by choice may come back.
      await remove(user, id, user);
      expect(await accept(user, later)).toBe(200);
    });

    it('a race of a removal and a code ends with the member out', async () => {
      const { id, owner, user } = await prepare();
      const code = await codeBy(owner, id);
      await accept(user, code);
      clock.advance(1);
      await Promise.all([remove(owner, id, user), accept(user, code), accept(user, code)]);
      expect((await rolesIn(world, id))[user.name]).toBeUndefined();
    });

    it('one account sends one mailbox at most 30 codes a day', async () => {
      const { id, owner, manager } = await prepare();
      await setUp();
      const [email, other] = [unique('invited'), unique('invited')];
      const statuses: number[] = [];
      for (let n = 0; n <= MOST_INVITATIONS; n++) {
        if (n % 10 === 0) clock.advance(16 * MINUTE);
        const spelled = n % 2 === 0 ? email : email.toUpperCase();
        statuses.push((await invite(owner, id, { email: spelled })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: MOST_INVITATIONS }, () => 201), 429]);
      clock.advance(16 * MINUTE);
      expect(outcome(await invite(owner, id, { email }))).toEqual([429, 'rate.limited']);
      expect(outcome(await invite(owner, id, { email: other }))).toBe(201);
      expect(outcome(await invite(manager, id, { email }))).toBe(201);
      clock.advance(DAY);
      expect(outcome(await invite(owner, id, { email }))).toBe(201);
    });

    it('one account invites one user at most 30 times a day, to all its groups together', async () => {
      const { id, owner, manager, user } = await prepare();
      const second = await createGroup(world, owner);
      const other = await world.user();
      const decline = (group: string) => call('DELETE', `/me/group-invitations/${group}`, as(user));
      const statuses: number[] = [];
      for (let n = 0; n <= MOST_INVITATIONS; n++) {
        const group = n % 2 === 0 ? id : second;
        statuses.push((await put(owner, group, user)).status);
        await decline(group);
      }
      expect(statuses).toEqual([...Array.from({ length: MOST_INVITATIONS }, () => 202), 429]);
      expect(outcome(await put(owner, id, user))).toEqual([429, 'rate.limited']);
      expect([outcome(await put(owner, id, other)), outcome(await put(manager, id, user))]).toEqual([202, 202]);
      expect(outcome(await asAdmin('PUT', `/group/${id}/member/${user.name}`, { role: 'member' }))).toBe(200);
      // A change of a role is no invitation.
      expect(outcome(await put(owner, id, user, 'manager'))).toBe(200);
    });

    it('a user who blocks the sender looks unknown, however often they are invited', async () => {
      const { id, owner, user } = await prepare();
      await expectStatus(call('POST', `/block/${owner.name}`, as(user)), 201);
      for (let n = 0; n <= MOST_INVITATIONS; n++) {
        expect(outcome(await put(owner, id, user))).toEqual([404, 'user.not_found']);
      }
    });
  },
  { clock, rateLimit: true },
);
