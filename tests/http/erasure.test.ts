import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { codeAt, createFactorCalls, expectCode } from '../support/second-factor.ts';

const DAY = 24 * 60 * MINUTE;
const clock = createHandDrivenClock();

onEveryStorage(
  'the deletion of accounts',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const { ann: annWithFactor } = createFactorCalls(world, clock);

    beforeAll(() => setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' }));

    const remove = (token: string, body?: object) => call('DELETE', '/me', { token, ...(body && { body }) });
    const login = (name: string, password = 'secret') => call('POST', '/login', { body: { username: name, password } });
    const cancel = (name: string, password = 'secret') =>
      call('POST', '/me/erase/cancel', { body: { username: name, password } });
    const seen = (name: string) => call('GET', `/admin/user/${name}`, { basic: adminOf(world) });
    const mailsTo = async (to: string) => {
      await world.backend.deliver();
      return world.backend.mail.filter((mail) => mail.to === to);
    };
    const acts = async (id: string) => {
      const { data } = await call('GET', `/admin/audit?to=${id}`, { basic: adminOf(world) });
      return data.map(({ act }: { act: string }) => act).filter((act: string) => act.startsWith('user.era'));
    };

    /** A user with a verified address. */
    async function annByMail() {
      const { name, id, token } = await world.user();
      const email = `${name}@example.org`;
      await expectStatus(call('POST', '/me/email', { token, body: { email } }), 200);
      const code = /^(\d{6})$/m.exec((await mailsTo(email)).at(-1)?.text ?? '')?.[1];
      await expectStatus(call('POST', '/me/email/confirm', { token, body: { code } }), 200);
      return { name, id, token, email };
    }

    describe('DELETE /me', () => {
      it('ends all access at once, and removes everything after the days of grace', async () => {
        const { name, id, token } = await world.user();
        const other = await loginAs(world, name);
        const collection = world.unique('notes');
        await expectStatus(call('POST', `/admin/collection/${collection}`, { basic: adminOf(world) }), 201);
        const { data: note } = await call('POST', `/document/${collection}`, { token, body: { title: 'Milk' } });
        const { data } = await expectStatus(remove(token), 202);
        expect(Date.parse(data.at.replace('+0000', 'Z')) - clock.now()).toBe(7 * DAY);
        for (const session of [token, other])
          expectCode(await call('GET', '/me', { token: session }), 401, 'session.invalid');
        expectCode(await login(name), 403, 'account.erasing');
        expectCode(await call('GET', '/me', { basic: [name, 'secret'] }), 403, 'account.erasing');
        expectCode(await login(name, 'wrong'), 401, 'auth.invalid');
        clock.advance(7 * DAY - 1);
        await world.backend.sweep();
        expect((await seen(name)).data.user.status).toBe('ERASING');
        const stranger = (await world.user()).token;
        const where = (status: string) => encodeURIComponent(`user.name = '${name}' and user.status = '${status}'`);
        for (const [status, found] of Object.entries({ ERASING: 0, SUSPENDED: 1 })) {
          const { data } = await call('GET', `/users?where=${where(status)}`, { token: stranger });
          expect(data).toHaveLength(found);
        }
        expect((await call('GET', `/user/${name}`, { token: stranger })).data.user.status).toBe('SUSPENDED');
        clock.advance(1);
        await world.backend.sweep();
        expect((await seen(name)).status).toBe(404);
        expect((await call('GET', `/document/${collection}/${note.id}`, { basic: adminOf(world) })).status).toBe(404);
        expectCode(await login(name), 401, 'auth.invalid');
        expect(await acts(id)).toEqual([]);
        // The name is free again.
        await expectStatus(call('POST', '/user', { body: { username: name, password: 'other' } }), 201);
      });

      it('can be taken back by the password until then, with all data', async () => {
        const { name, id, token } = await world.user();
        await expectStatus(remove(token), 202);
        expectCode(await cancel(name, 'wrong'), 401, 'auth.invalid');
        clock.advance(6 * DAY);
        await world.backend.sweep();
        await expectStatus(cancel(name), 200);
        await expectStatus(cancel(name), 200);
        clock.advance(9 * DAY);
        await world.backend.sweep();
        expect((await expectStatus(login(name), 200)).data.id).toBe(id);
        expect(await acts(id)).toEqual(['user.erasure_canceled', 'user.erasure_requested']);
      });

      it('leaves an alias in the audit log, from which nobody can tell who it was', async () => {
        const { name, id, token } = await world.user();
        const bob = await world.user();
        const renamed = world.unique('renamed');
        await expectStatus(call('PUT', '/me/username', { token, body: { username: renamed } }), 200);
        await login(renamed, 'wrong');
        await expectStatus(remove(token), 202);
        clock.advance(7 * DAY);
        await world.backend.sweep();
        const { data } = await expectStatus(
          call('GET', '/admin/audit?recordsPerPage=500', { basic: adminOf(world) }),
          200,
        );
        const written = JSON.stringify(data);
        for (const secret of [id, renamed, `"${name}"`]) expect(written).not.toContain(secret);
        expect(written).toContain(bob.name);
        const erased = data.find(({ act }: { act: string }) => act === 'user.erased').to;
        expect(erased).toEqual({ kind: 'user', id: expect.stringMatching(/^erased-[\w-]{43}$/), name: null });
        const { data: about } = await call('GET', `/admin/audit?to=${erased.id}`, { basic: adminOf(world) });
        // A failed login is stored behind its request, so the order varies.
        expect(new Set(about.map(({ act }: { act: string }) => act))).toEqual(
          new Set(['user.erased', 'user.erasure_requested', 'login.failed', 'user.renamed', 'user.signed_up']),
        );
      });

      it('needs a fresh login or the password', async () => {
        const { name, token } = await world.user();
        clock.advance(11 * MINUTE);
        expectCode(await remove(token), 401, 'auth.fresh_login_required');
        expectCode(await remove(token, { current_password: 'wrong' }), 400, 'user.old_password_invalid');
        expectCode(await call('DELETE', '/me'), 401, 'auth.required');
        await expectStatus(remove(token, { current_password: 'secret' }), 202);
        expectCode(await login(name), 403, 'account.erasing');
      });

      it('removes at once without days of grace', async () => {
        await setSettings(world, 'Application', { 'erase.grace.days': 0 });
        const { name, token } = await world.user();
        const { data } = await expectStatus(remove(token), 202);
        expect(Date.parse(data.at.replace('+0000', 'Z'))).toBe(clock.now());
        expect((await seen(name)).status).toBe(404);
        await setSettings(world, 'Application', { 'erase.grace.days': 7 });
      });

      it('removes guests at once, who could not take it back', async () => {
        await setSettings(world, 'Application', { 'guests.allowed': true });
        const { data } = await expectStatus(call('POST', '/user/guest'), 201);
        await expectStatus(remove(data['X-BB-SESSION']), 202);
        expect((await seen(data.user.name)).status).toBe(404);
      });

      it('is refused to the built-in administrator, so that one remains; other administrators and their keys go', async () => {
        expectCode(await remove(await loginAs(world, ...adminOf(world))), 403, 'account.built_in');
        const { name, token } = await personWithRole(world, 'administrator');
        const { data: key } = await expectStatus(
          call('POST', '/admin/key', { token, body: { name: 'Shop', role: 'registereduser' } }),
          201,
        );
        const withKey = () => call('GET', '/users', { headers: { authorization: `Bearer ${key.key}` } });
        await expectStatus(withKey(), 200);
        expectCode(
          await call('DELETE', '/me', { headers: { authorization: `Bearer ${key.key}` } }),
          403,
          'key.user_required',
        );
        await expectStatus(remove(token), 202);
        expectCode(await withKey(), 401, 'key.invalid');
        await expectStatus(cancel(name), 200);
        expectCode(await withKey(), 401, 'key.invalid');
      });

      it('refuses every way to log in, and tells so only to the owner', async () => {
        const { name, token, secret } = await annWithFactor();
        await expectStatus(remove(token, { current_password: 'secret' }), 202);
        expectCode(await login(name), 403, 'account.erasing');
        const body = { username: name, password: 'secret', code: codeAt(secret, clock.now()) };
        expectCode(await call('POST', '/login', { body }), 403, 'account.erasing');
        await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
        const person = { id: world.unique('p') };
        const proof = () => {
          const oauth_token = world.backend.networks.google.issue({ person, clientId: 'app' });
          return { body: { oauth_token, oauth_secret: oauth_token } };
        };
        const { data } = await expectStatus(call('POST', '/social/google', proof()), 200);
        await expectStatus(remove(data['X-BB-SESSION']), 202);
        expectCode(await call('POST', '/social/google', proof()), 403, 'account.erasing');
      });

      it('stays requested while an administrator suspends the user, and ends when they activate them', async () => {
        const [one, two] = [await world.user(), await world.user()];
        for (const { token } of [one, two]) await expectStatus(remove(token), 202);
        const act = (verb: string, name: string) =>
          call('PUT', `/admin/user/${verb}/${name}`, { basic: adminOf(world) });
        await expectStatus(act('suspend', one.name), 200);
        expectCode(await cancel(one.name), 401, 'auth.invalid');
        await expectStatus(act('activate', two.name), 200);
        await expectStatus(login(two.name), 200);
        clock.advance(8 * DAY);
        await world.backend.sweep();
        expect([(await seen(one.name)).status, (await seen(two.name)).status]).toEqual([404, 200]);
      });

      it('keeps documents and files in groups of others without an author, if the setting says so', async () => {
        await setSettings(world, 'Application', { 'deletion.shared': 'keep' });
        const [ann, bob] = [await world.user(), await world.user()];
        const collection = world.unique('notes');
        await expectStatus(call('POST', `/admin/collection/${collection}`, { basic: adminOf(world) }), 201);
        const { data: group } = await expectStatus(
          call('POST', '/group', { token: bob.token, body: { name: 'Family' } }),
          201,
        );
        const joins = { basic: adminOf(world), body: { role: 'member' } };
        await expectStatus(call('PUT', `/group/${group.id}/member/${ann.name}`, joins), 200);
        const write = async (body: object) =>
          (await expectStatus(call('POST', `/document/${collection}`, { token: ann.token, body }), 200)).data.id;
        const _allowRead = [{ name: group.id, isgroup: true }];
        const [shared, own] = [await write({ title: 'Shared', _allowRead }), await write({ title: 'Own' })];
        await expectStatus(remove(ann.token), 202);
        clock.advance(7 * DAY);
        await world.backend.sweep();
        const token = await loginAs(world, bob.name);
        const { data } = await expectStatus(call('GET', `/document/${collection}/${shared}`, { token }), 200);
        expect([data.title, data._author, data._updated_by]).toEqual(['Shared', null, null]);
        expect((await call('GET', `/document/${collection}/${own}`, { basic: adminOf(world) })).status).toBe(404);
        const list = async (query: string) => (await call('GET', `/document/${collection}?${query}`, { token })).data;
        expect(await list('fields=title,_author')).toEqual([{ title: 'Shared', _author: null }]);
        expect(await list(`where=${encodeURIComponent('_author is null')}&fields=title`)).toEqual([
          { title: 'Shared' },
        ]);
        expect((await list('expand=_author'))[0]).toMatchObject({ _author: null });
        await world.backend.sweep();
        await setSettings(world, 'Application', { 'deletion.shared': 'remove' });
      });

      it('tells the verified address how to keep the account', async () => {
        const { email, token } = await annByMail();
        await expectStatus(remove(token), 202);
        expect((await mailsTo(email)).at(-1)?.text).toContain('Your account is being deleted.');
      });
    });

    describe('the page /user/erase', () => {
      const page = (url: string, method = 'GET', form?: Record<string, string>) =>
        call(method, url, { headers: { accept: 'text/html' }, ...(form && { form }) });
      const ask = (username: string) => page('/user/erase', 'POST', { username });
      async function linkTo(email: string) {
        const mail = (await mailsTo(email)).at(-1);
        return /(\/user\/erase\/\S+)/.exec(mail?.text ?? '')?.[1] ?? 'no link';
      }

      it('deletes an account by a link that is mailed, which works once and whose page changes nothing', async () => {
        const { name, id, email } = await annByMail();
        const { text } = await expectStatus(page('/user/erase'), 200);
        expect(text).toMatch(/<form method="post" action="[^"]*\/user\/erase">/);
        for (const typed of [name, email]) await expectStatus(ask(typed), 200);
        const link = await linkTo(email);
        for (let i = 0; i < 3; i++) expect((await expectStatus(page(link), 200)).text).toContain(name);
        expect((await seen(name)).data.user.status).toBe('ACTIVE');
        await expectStatus(page(link, 'POST'), 200);
        expect((await page(link, 'POST')).status).toBe(400);
        expectCode(await login(name), 403, 'account.erasing');
        clock.advance(7 * DAY);
        await world.backend.sweep();
        expect((await seen(name)).status).toBe(404);
        expect(await acts(id)).toEqual([]);
      });

      it('deletes the account of a suspended user, who cannot end the suspension by taking the deletion back', async () => {
        const act = (verb: string, name: string) =>
          call('PUT', `/admin/user/${verb}/${name}`, { basic: adminOf(world) });
        const [before, during, freed] = [await annByMail(), await annByMail(), await annByMail()];
        await expectStatus(remove(during.token), 202);
        for (const { name, email } of [before, during, freed]) {
          await expectStatus(act('suspend', name), 200);
          await expectStatus(ask(name), 200);
          await expectStatus(page(await linkTo(email), 'POST'), 200);
          expectCode(await cancel(name), 401, 'auth.invalid');
          expectCode(await login(name), 401, 'auth.invalid');
          expect((await seen(name)).data.user.status).toBe('SUSPENDED');
        }
        await expectStatus(act('activate', freed.name), 200);
        await expectStatus(login(freed.name), 200);
        clock.advance(7 * DAY);
        await world.backend.sweep();
        const left = await Promise.all([before, during, freed].map(async ({ name }) => (await seen(name)).status));
        expect(left).toEqual([404, 404, 200]);
      });

      it('answers the same for accounts that do not exist or have no address, and sends nothing', async () => {
        const [ann, bob] = [await annByMail(), await world.user()];
        const before = (await mailsTo(ann.email)).length;
        const answers = await Promise.all([ask(ann.name), ask(world.unique('nobody')), ask(bob.name), ask('admin')]);
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        expect(await mailsTo(ann.email)).toHaveLength(before + 1);
        expect((await ask(' ')).status).toBe(400);
      });

      it('does not take a link of the password reset, nor does the reset take this one', async () => {
        const { name, email } = await annByMail();
        await ask(name);
        const token = (await linkTo(email)).split('/').at(-1);
        expect((await page(`/user/password/reset/${token}`)).status).toBe(400);
        await expectStatus(call('GET', `/user/${name}/password/reset`), 200);
        const reset = /\/user\/password\/reset\/(\S+)/.exec((await mailsTo(email)).at(-1)?.text ?? '')?.[1];
        expect((await page(`/user/erase/${reset}`, 'POST')).status).toBe(400);
        await expectStatus(login(name), 200);
      });
    });
  },
  { clock },
);
