import { expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { NOWHERE } from '../support/documents.ts';
import { createGroup, enroll, rolesIn } from '../support/groups.ts';
import { expectStatus, type Person, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();
const WEEK = 7 * 24 * 60 * MINUTE;
/** Wrong codes of one network, in 15 minutes. */
const MOST_GUESSES = 200;

onEveryStorage(
  'codes of invitations',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const as = ({ token }: Pick<Person, 'token'>) => ({ token });
    const outcome = ({ status, body }: Answer) => (status < 300 ? status : [status, body.code]);

    const { mailTo, setUp, unique, verifiedUser } = createMailbox(world);
    const invite = (by: Pick<Person, 'token'>, id: string, body: object = {}) =>
      call('POST', `/group/${id}/invitation`, { ...as(by), body });
    const made = async (by: Pick<Person, 'token'>, id: string, body: object = {}) =>
      (await expectStatus(invite(by, id, body), 201)).data;
    const accept = (by: Pick<Person, 'token'>, code: string) => call('POST', `/invitation/${code}`, as(by));

    async function prepare() {
      const [owner, manager, user] = [await world.user(), await world.user(), await world.user()];
      const id = await createGroup(world, owner);
      await enroll(world, { id, by: owner, user: manager, role: 'manager' });
      return { id, owner, manager, user };
    }

    it('say what they invite to, also before a login, and make the user a member once', async () => {
      const { id, manager, user } = await prepare();
      const { code, url, ...rest } = await made(manager, id);
      expect([url, rest]).toEqual([null, { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
      expect(code).toMatch(/^[\w-]{22}$/);
      const expires = new Date(clock.now() + WEEK).toISOString().slice(0, 10);
      expect((await call('GET', `/invitation/${code}`)).data).toEqual({
        group: { name: 'Friends' },
        role: 'member',
        invited_by: manager.name,
        expires: expect.stringContaining(expires),
      });
      expect(outcome(await call('POST', `/invitation/${code}`))).toEqual([401, 'auth.required']);
      expect((await accept(user, code)).data).toEqual({ id, name: 'Friends', role: 'member' });
      expect((await rolesIn(world, id))[user.name]).toBe('member');
      // The response may have been lost, so the user sends the code again.
      expect((await accept(user, code)).data).toEqual({ id, name: 'Friends', role: 'member' });
      for (const answer of [await accept(await world.user(), code), await call('GET', `/invitation/${code}`)]) {
        expect(outcome(answer)).toEqual([404, 'invitation.invalid']);
      }
    });

    it('are accepted as people type and paste them', async () => {
      const { id, manager } = await prepare();
      const code: string = (await made(manager, id, { uses: 5 })).code;
      const wide = code.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
      const hyphens = code.replaceAll('-', '\u2011');
      for (const typed of [` ${code}\u200b`, `${code.slice(0, 6)} ${code.slice(6)}`, wide, hyphens]) {
        expect((await accept(await world.user(), encodeURIComponent(typed))).data).toMatchObject({
          id,
          role: 'member',
        });
      }
      const other = code.replace(/[a-z]/i, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
      expect(outcome(await accept(await world.user(), other))).toEqual([404, 'invitation.invalid']);
    });

    it('of a former owner end, and their invitations by name make no managers', async () => {
      const { id, owner, manager, user } = await prepare();
      const [invited, friend] = [await world.user(), await world.user()];
      const codes = [await made(owner, id, { role: 'manager', uses: 5 }), await made(owner, id)];
      const put = (by: Person, { name }: Person, role: string) =>
        call('PUT', `/group/${id}/member/${name}`, { ...as(by), body: { role } });
      expect((await put(owner, invited, 'manager')).status).toBe(202);
      expect((await put(owner, friend, 'member')).status).toBe(202);
      await expectStatus(put(owner, manager, 'owner'), 200);
      for (const { code } of codes) expect(outcome(await accept(user, code))).toEqual([404, 'invitation.invalid']);
      const join = (by: Person) => call('PUT', `/me/group-invitations/${id}`, as(by));
      expect(outcome(await join(invited))).toEqual([404, 'group.invitation_not_found']);
      expect((await join(friend)).data).toMatchObject({ role: 'member' });
    });

    it('are made, seen and ended by the owner and managers; only the owner invites managers', async () => {
      const { id, owner, manager, user } = await prepare();
      const member = await world.user();
      await enroll(world, { id, by: owner, user: member });
      expect(outcome(await invite(member, id))).toEqual([403, 'access.denied']);
      expect(outcome(await invite(user, id))).toEqual([404, 'group.not_found']);
      expect(outcome(await invite(manager, id, { role: 'manager' }))).toEqual([403, 'access.denied']);
      const first = await made(owner, id, { role: 'manager', uses: 5, expires: 3600 });
      const second = await made(manager, id);
      const listed = async (by: Person) => outcome(await call('GET', `/group/${id}/invitation`, as(by)));
      expect([await listed(member), await listed(user)]).toEqual([
        [403, 'access.denied'],
        [404, 'group.not_found'],
      ]);
      const { data } = await call('GET', `/group/${id}/invitation`, as(manager));
      expect(data).toMatchObject([
        { id: first.id, role: 'manager', email: null, uses: 5, invited_by: owner.name },
        { id: second.id, role: 'member', email: null, uses: 1, invited_by: manager.name },
      ]);
      expect(JSON.stringify(data)).not.toContain(first.code);
      const end = (by: Person, invitation: string) => call('DELETE', `/group/${id}/invitation/${invitation}`, as(by));
      expect(outcome(await end(member, first.id))).toEqual([403, 'access.denied']);
      expect(outcome(await end(manager, first.id))).toBe(200);
      for (const gone of [first.id, NOWHERE, 'x']) {
        expect(outcome(await end(manager, gone))).toEqual([404, 'invitation.invalid']);
      }
      expect(outcome(await accept(user, first.code))).toEqual([404, 'invitation.invalid']);
    });

    it.each([
      { role: 'owner' },
      { role: 'boss' },
      { uses: 0 },
      { uses: 10_001 },
      { uses: 1.5 },
      { expires: 59 },
      { expires: 31_536_001 },
      { email: 'nobody' },
    ])('are refused with %j', async (body) => {
      const { id, owner } = await prepare();
      expect((await invite(owner, id, body)).status).toBe(400);
    });

    it('end with their time, and with the rights of the one who invited', async () => {
      const { id, owner, manager, user } = await prepare();
      const short = await made(owner, id, { expires: 60 });
      clock.advance(MINUTE);
      expect(outcome(await accept(user, short.code))).toEqual([404, 'invitation.invalid']);
      const removed = await made(manager, id);
      await expectStatus(call('DELETE', `/group/${id}/member/${manager.name}`, as(owner)), 200);
      expect(outcome(await accept(user, removed.code))).toEqual([404, 'invitation.invalid']);
      await enroll(world, { id, by: owner, user: manager, role: 'manager' });
      const demoted = await made(manager, id);
      await expectStatus(
        call('PUT', `/group/${id}/member/${manager.name}`, { ...as(owner), body: { role: 'member' } }),
        200,
      );
      expect(outcome(await accept(user, demoted.code))).toEqual([404, 'invitation.invalid']);
    });

    it('are mailed, and then only the user of that address can accept', async () => {
      const { id, owner, user } = await prepare();
      await setUp();
      const email = unique('invited');
      const page = 'https://app.example/join/{code}?from=mail';
      await setSettings(world, 'Application', { 'invitation.url': page });
      const { code, url } = await made(owner, id, { email, uses: 2 });
      await setSettings(world, 'Application', { 'invitation.url': '' });
      expect(url).toBe(page.replace('{code}', code));
      const { text } = await mailTo(email);
      expect(text).toContain(url);
      expect(text).toContain(`${owner.name} invites you to the group "Friends"`);
      expect(outcome(await accept(user, code))).toEqual([403, 'invitation.email_required']);
      const invited = await verifiedUser(undefined, email.toUpperCase());
      expect((await accept(invited, code)).data).toMatchObject({ id, role: 'member' });
    });

    it('mail no sentences of strangers', async () => {
      const { owner } = await prepare();
      await setUp();
      const id = await createGroup(world, owner, 'Your account is locked: open http://evil.example');
      const email = unique('invited');
      await made(owner, id, { email });
      expect(JSON.stringify(await mailTo(email))).not.toMatch(/locked|evil/);
    });

    it.each(['https://app.example/join', 'javascript:{code}', '{code}'])(
      'link to no page such as %s',
      async (value) => {
        const options = { token: await world.admin(), body: { value } };
        expect((await call('PUT', '/admin/configuration/Application/invitation.url', options)).status).toBe(400);
      },
    );

    it('cannot be guessed without end', async () => {
      const { id, owner, user } = await prepare();
      const { code } = await made(owner, id);
      const from = { from: '203.0.113.77' };
      const guesses: unknown[] = [];
      for (let n = 0; n <= MOST_GUESSES; n++) {
        guesses.push(outcome(await call('GET', `/invitation/guess${n}`, from)));
      }
      expect(guesses.at(-2)).toEqual([404, 'invitation.invalid']);
      expect(guesses.at(-1)).toEqual([429, 'rate.limited']);
      expect((await call('POST', `/invitation/${code}`, { ...as(user), ...from })).status).toBe(429);
      expect((await accept(user, code)).status).toBe(200);
    });

    it('let in as many users as they have uses, however many come at once', async () => {
      const { id, owner, manager } = await prepare();
      const { code } = await made(owner, id, { uses: 3 });
      const people = await Promise.all(Array.from({ length: 8 }, () => world.user()));
      const answers = await Promise.all(people.map((person) => accept(person, code)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(answers.filter(({ body }) => body.code === 'invitation.invalid')).toHaveLength(5);
      expect(Object.keys(await rolesIn(world, id))).toHaveLength(5);
      // Members of the group do not count as a use.
      const again = await made(owner, id);
      expect((await accept(manager, again.code)).data).toMatchObject({ role: 'manager' });
      expect((await accept(await world.user(), again.code)).status).toBe(200);
    });

    it('are absent for users whom the one who invites blocks, and end the invitation by name', async () => {
      const { id, owner, user } = await prepare();
      const { code } = await made(owner, id, { uses: 2 });
      await expectStatus(call('POST', `/block/${user.name}`, as(owner)), 201);
      expect(outcome(await accept(user, code))).toEqual([404, 'invitation.invalid']);
      const other = await world.user();
      await call('PUT', `/group/${id}/member/${other.name}`, { ...as(owner), body: { role: 'member' } });
      expect((await accept(other, code)).status).toBe(200);
      expect((await call('GET', '/me/group-invitations', as(other))).data).toEqual([]);
    });

    it('are at most 100 for each group, and take no use when the user cannot join', async () => {
      const { id, owner, user } = await prepare();
      const { code } = await made(owner, id);
      await setSettings(world, 'Application', { 'group.max.members': 2 });
      try {
        expect(outcome(await accept(user, code))).toEqual([400, 'group.limit']);
      } finally {
        await setSettings(world, 'Application', { 'group.max.members': 1000 });
      }
      expect((await accept(user, code)).status).toBe(200);
      const answers = await Promise.all(Array.from({ length: 102 }, () => invite(owner, id)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
      expect(answers.filter(({ body }) => body.code === 'group.limit')).toHaveLength(2);
    });
  },
  { clock, rateLimit: true },
);
