import { createArgon2Passwords } from '@baobab/adapters/argon2';
import { addUser } from '@baobab/contracts/storage';
import { createTestBackend } from '@baobab/server/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { createWorld, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { STORAGES } from '../support/databases.ts';
import { createShelf } from '../support/documents.ts';
import { createGroup, rolesIn } from '../support/groups.ts';
import { expectStatus, setSettings } from '../support/people.ts';
import { createFactorCalls } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

/** Characters that keyboards and clipboards add. */
const AROUND = [
  ['a blank after it', '', ' '],
  ['a blank before it', ' ', ''],
  ['a non-breaking space', '', '\u00a0'],
  ['an ideographic space', '\u3000', ''],
  ['a line feed', '', '\n'],
  ['a zero-width space', '', '\u200b'],
] as const;

const fullWidth = (digits: string) => digits.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Ways in which people type the six digits of a code. */
const TYPED_CODES: ReadonlyArray<readonly [string, (code: string) => string]> = [
  ['with a blank in the middle', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
  ['with blanks around', (code) => ` ${code}\n`],
  ['with a hyphen', (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
  ['with a dash', (code) => `${code.slice(0, 3)} – ${code.slice(3)}`],
  ['in full-width digits', fullWidth],
  ['with a zero-width space', (code) => `\u200b${code}`],
];

onEveryStorage(
  'what people type',
  (world) => {
    const call: typeof world.call = (...args) => world.call(...args);
    const mailbox = createMailbox(world);
    const factors = createFactorCalls(world, clock);
    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { 'login.by.mail': true });
    });

    describe('names', () => {
      it.each(AROUND)('with %s log in, by JSON, form and Basic', async (_what, before, after) => {
        const { name } = await world.user();
        const username = `${before}${name}${after}`;
        await expectStatus(call('POST', '/login', { body: { username, password: 'secret' } }), 200);
        const form = { username, password: 'secret', appcode: world.backend.appCode };
        await expectStatus(call('POST', '/login', { form }), 200);
        expect((await expectStatus(call('GET', '/me', { basic: [username, 'secret'] }), 200)).data.user.name).toBe(
          name,
        );
      });

      it.each(AROUND)('with %s find the user in paths, grants and groups', async (_what, before, after) => {
        const [shelf, user, admin] = [await createShelf(world), await world.user(), await world.admin()];
        const typed = encodeURIComponent(`${before}${user.name}${after}`);
        const { id } = await shelf.create({ a: 1 });
        await shelf.share(id, `read/user/${typed}`);
        await expectStatus(call('GET', shelf.path(id), { token: user.token }), 200);
        const group = await createGroup(world, shelf.owner);
        const path = `/group/${group}/member/${typed}`;
        await expectStatus(call('PUT', path, { token: shelf.owner.token, body: { role: 'member' } }), 202);
        await expectStatus(call('PUT', `/me/group-invitations/${group}`, { token: user.token }), 200);
        expect(await rolesIn(world, group)).toMatchObject({ [user.name]: 'member' });
        await expectStatus(call('POST', `/follow/${typed}`, { token: shelf.owner.token }), 201);
        await expectStatus(call('GET', `/user/${typed}`, { token: admin }), 200);
        await expectStatus(call('PUT', `/admin/user/suspend/${typed}`, { token: admin }), 200);
        await expectStatus(call('GET', '/me', { token: user.token }), 401);
      });

      it('are stored without what surrounds them, at sign-up, rename and by administrators', async () => {
        const [a, b, c] = [world.unique('typed'), world.unique('typed'), world.unique('typed')];
        const { data } = await expectStatus(
          call('POST', '/user', { body: { username: ` ${a}\u200b`, password: 'x' } }),
          201,
        );
        expect(data.user.name).toBe(a);
        await expectStatus(call('POST', '/user', { body: { username: `${a} `, password: 'x' } }), 400);
        const token = data['X-BB-SESSION'];
        await expectStatus(call('PUT', '/me/username', { token, body: { username: `${b}\u00a0` } }), 200);
        expect((await call('GET', '/me', { token })).data.user.name).toBe(b);
        const body = { username: `\n${c}`, password: 'x', role: 'registereduser' };
        expect(
          (await expectStatus(call('POST', '/admin/user', { token: await world.admin(), body }), 201)).data.user.name,
        ).toBe(c);
      });

      it('in another form of Unicode are the same', async () => {
        const name = `${world.unique('jo')}\u00eb`;
        await world.user(name);
        await expectStatus(
          call('POST', '/login', { body: { username: name.normalize('NFD'), password: 'secret' } }),
          200,
        );
        await expectStatus(call('POST', '/user', { body: { username: name.normalize('NFD'), password: 'x' } }), 400);
      });
    });

    it('addresses with blanks around log in, and get codes', async () => {
      const { email } = await mailbox.verifiedUser();
      await expectStatus(call('POST', '/login', { body: { username: `${email} `, password: 'secret' } }), 200);
      const { data } = await expectStatus(call('POST', '/login/code', { body: { email: ` ${email}\u00a0` } }), 200);
      const { code } = await mailbox.mailTo(email);
      await expectStatus(call('POST', '/login/code/confirm', { body: { challenge: data.challenge, code } }), 200);
    });

    it('addresses are sent mail, and stored, without the blanks', async () => {
      const [{ token }, email] = [await world.user(), mailbox.unique()];
      await expectStatus(call('POST', '/me/email', { token, body: { email: `${email} ` } }), 200);
      const { code } = await mailbox.mailTo(email);
      await expectStatus(call('POST', '/me/email/confirm', { token, body: { code } }), 200);
      expect((await call('GET', '/me', { token })).data.visibleByTheUser.email).toBe(email);
    });

    describe.each(TYPED_CODES)('a code %s counts', (_how, typed) => {
      it('as the code of an authenticator app', async () => {
        const user = await factors.ann();
        const challenge = await factors.challengeOf(user.name);
        await expectStatus(factors.second({ challenge, code: typed(factors.codeOf(user)) }), 200);
      });

      it('as a recovery code', async () => {
        const user = await factors.ann();
        const challenge = await factors.challengeOf(user.name);
        const [code = ''] = user.recoveryCodes;
        await expectStatus(factors.second({ challenge, recovery_code: typed(code.toLowerCase()) }), 200);
      });

      it('as the code of a mail', async () => {
        const [{ token }, email] = [await world.user(), mailbox.unique()];
        await expectStatus(call('POST', '/me/email', { token, body: { email } }), 200);
        const { code } = await mailbox.mailTo(email);
        await expectStatus(call('POST', '/me/email/confirm', { token, body: { code: typed(code) } }), 200);
        const { data } = await expectStatus(call('POST', '/login/code', { body: { email } }), 200);
        const login = await mailbox.mailTo(email);
        const body = { challenge: data.challenge, code: typed(login.code) };
        await expectStatus(call('POST', '/login/code/confirm', { body }), 200);
      });
    });

    describe('passwords', () => {
      const [composed, decomposed] = ['p\u00e4ss-1', 'pa\u0308ss-1'];

      it.each([
        [composed, decomposed],
        [decomposed, composed],
      ])('log in whichever form of Unicode the device sends: %j, %j', async (signedUp, typed) => {
        const username = world.unique('accent');
        await expectStatus(call('POST', '/user', { body: { username, password: signedUp } }), 201);
        for (const password of [typed, signedUp]) {
          await expectStatus(call('POST', '/login', { body: { username, password } }), 200);
          await expectStatus(call('GET', '/me', { basic: [username, password] }), 200);
        }
        const token = (await call('POST', '/login', { body: { username, password: typed } })).data['X-BB-SESSION'];
        const body = { old: typed, new: typed.replace('1', '2') };
        await expectStatus(call('PUT', '/me/password', { token, body }), 200);
        await expectStatus(call('POST', '/login', { body: { username, password: signedUp.replace('1', '2') } }), 200);
        await expectStatus(call('GET', '/me', { basic: [username, typed] }), 401);
      });

      it('keep their blanks', async () => {
        const username = world.unique('blank');
        await expectStatus(call('POST', '/user', { body: { username, password: ' secret ' } }), 201);
        await expectStatus(call('POST', '/login', { body: { username, password: ' secret ' } }), 200);
        await expectStatus(call('POST', '/login', { body: { username, password: 'secret' } }), 401);
      });

      it('are as long as they look', async () => {
        await setSettings(world, 'Application', { 'password.min.length': 6 });
        const [username, other] = [world.unique('short'), world.unique('short')];
        await expectStatus(call('POST', '/user', { body: { username, password: '1234e\u0301' } }), 400);
        await expectStatus(call('POST', '/user', { body: { username: other, password: '12345e\u0301' } }), 201);
        await setSettings(world, 'Application', { 'password.min.length': 0 });
      });
    });
  },
  { clock },
);

/** A backend does not share the storage in memory. */
const SHARED = Object.entries(STORAGES).filter(([name]) => name !== 'memory');

describe.each(SHARED)('a password hash of another form of Unicode, on %s', (_storage, open) => {
  it('verifies, and is replaced', async () => {
    const { storage, url, dispose } = await open();
    const decomposed = 'pa\u0308ss-1';
    const hashing = createArgon2Passwords({ memoryCost: 64, timeCost: 1, concurrency: 1, maxWaiting: 10 });
    const passwordHash = await hashing.hash(decomposed);
    await addUser(storage, 'ann', { passwordHash });
    const backend = await createTestBackend({ databaseUrl: url });
    try {
      const world = createWorld(backend);
      const composed = decomposed.normalize('NFC');
      await expectStatus(world.call('POST', '/login', { body: { username: 'ann', password: composed } }), 200);
      const renewed = (await storage.users.credentials('ann'))?.passwordHash ?? '';
      expect(renewed).not.toBe(passwordHash);
      expect(await hashing.verify(renewed, composed)).toBe(true);
      for (const password of [composed, decomposed]) {
        await expectStatus(world.call('POST', '/login', { body: { username: 'ann', password } }), 200);
      }
      await expectStatus(world.call('POST', '/login', { body: { username: 'ann', password: 'pass-1' } }), 401);
    } finally {
      await backend.close();
      await dispose();
    }
  });
});
