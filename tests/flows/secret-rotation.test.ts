import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createNodeSecrets } from '@baobab/adapters/system';
import { createActor, createSealedValues, type SealedCounts, type Storage } from '@baobab/core';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Surroundings } from '../../packages/server/src/doctor/check.ts';
import { examine } from '../../packages/server/src/doctor/doctor.ts';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { runCommand } from '../support/command.ts';
import { createFolder, STORAGES, type TestStorage } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { linkIn, openLink, request, submit } from '../support/password-reset.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { startCommand } from '../support/program.ts';
import { codeAt, createFactorCalls, expectCode, STEP_MS } from '../support/second-factor.ts';

const OLD = 'the old key, at least thirty-two characters long';
const NEW = 'the new key, at least thirty-two characters long';
const OTHER = 'some other key, thirty-two characters and more';
const ADMIN = createActor({ id: 'admin', name: 'admin', role: 'administrator' }, null);

const sum = (counts: readonly SealedCounts[], state: 'current' | 'previous' | 'unreadable') =>
  counts.reduce((total, one) => total + one[state], 0);

describe.each(Object.entries(STORAGES).filter(([name]) => name !== 'memory'))(
  'a change of the secret key, on %s',
  (_name, open) => {
    const clock = createHandDrivenClock(Date.now());
    const folder = createFolder();
    const backends: TestBackend[] = [];
    let stored: TestStorage;

    beforeEach(async () => {
      stored = await open();
    });
    afterEach(async () => {
      for (const backend of backends.splice(0)) await backend.close();
      await stored.dispose();
      folder.remove();
    });

    /** A node of the service with these keys. */
    async function node(key: string, previous: string | null = null): Promise<World> {
      const secrets = createNodeSecrets(key, previous);
      const backend = await createTestBackend({
        databaseUrl: stored.url,
        blobStore: createMemoryBlobs(),
        secrets,
        clock,
      });
      backends.push(backend);
      return createWorld(backend);
    }

    const env = (keys: Record<string, string>) => ({
      DATABASE_URL: stored.url,
      DATA_DIR: folder.path,
      BLOB_URL: 'memory:',
      ...keys,
    });
    const BOTH = { SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD };

    async function rotate(keys: Record<string, string> = BOTH) {
      const { code, output, errors } = await runCommand(['secrets', 'rotate', '--json'], env(keys));
      return { code, errors, ...(output === '' ? {} : JSON.parse(output)) };
    }

    async function doctor(keys: Record<string, string>): Promise<string[]> {
      const surroundings: Surroundings = {
        now: Date.now,
        roomOf: async () => ({ free: 1e12, size: 2e12 }),
        cores: 2,
        memory: 16e9,
      };
      const checks = await examine({ env: env(keys), unknown: [], logger: silentLogger, surroundings });
      return checks.filter(({ check }) => check === 'secrets').map(({ state, text }) => `${state}: ${text}`);
    }

    /** One value of every kind, made with the old key. */
    async function prepare() {
      const world = await node(OLD);
      await setSettings(world, 'PasswordRecovery', {
        'network.smtp.host': 'mail.example.com',
        'network.smtp.password': 'hidden',
      });
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      const user = await createFactorCalls(world, clock).ann();
      const proof = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
      const link = { token: user.token, body: { oauth_token: proof, oauth_secret: 'x' } };
      await expectStatus(world.call('PUT', '/social/google', link), 200);
      const hook = { url: 'https://example.com/hook', collections: [await world.collection()], types: ['put'] };
      const { data } = await expectStatus(
        world.call('POST', '/admin/webhook', { basic: adminOf(world), body: hook }),
        201,
      );
      await expectStatus(world.call('POST', `/admin/webhook/${data.id}/secret`, { basic: adminOf(world) }), 200);
      await expectStatus(
        world.call('POST', '/me/email', { token: user.token, body: { email: 'ann@example.org' } }),
        200,
      );
      return { world, user, proof };
    }

    const KINDS = 16; // one TOTP secret, ten recovery codes, two secrets of a webhook, a setting, a social link, a mail

    /** A node with this key opens everything. */
    async function expectAllReadable(
      world: World,
      { user, proof }: Awaited<ReturnType<typeof prepare>>,
    ): Promise<void> {
      const { login, second, challengeOf } = createFactorCalls(world, clock);
      clock.advance(STEP_MS);
      const code = codeAt(user.secret, clock.now());
      const { data } = await expectStatus(login(user.name, { code }), 200);
      const token = data['X-BB-SESSION'];
      const state = await expectStatus(world.call('GET', '/me/totp', { token }), 200);
      const recovery = user.recoveryCodes[state.data.recovery_codes - 1];
      await expectStatus(second({ challenge: await challengeOf(user.name), recovery_code: recovery }), 200);
      expectCode(
        await second({ challenge: await challengeOf(user.name), recovery_code: recovery }),
        401,
        'auth.code_invalid',
      );
      const [social] = (await expectStatus(world.call('GET', '/social', { token }), 200)).data;
      expect(JSON.stringify(social)).toContain(proof);
      const settings = await world.call('GET', '/admin/configuration/PasswordRecovery', { basic: adminOf(world) });
      expect(JSON.stringify(settings.data)).toContain('***');
    }

    it('ends nothing: values, sessions, links, challenges and known clients stay', async () => {
      const prepared = await prepare();
      const { world: old, user } = prepared;
      await setSettings(old, 'Application', { 'lockout.failures': 0 });
      const { login } = createFactorCalls(old, clock);
      const body = { username: old.unique('bob'), password: 'secret', visibleByTheUser: { email: 'b@example.org' } };
      const { data: signedUp } = await expectStatus(old.call('POST', '/user', { body }), 201);
      const bob = { name: body.username, token: signedUp['X-BB-SESSION'] as string };
      const known = (await expectStatus(login(bob.name), 200)).data;
      await expectStatus(request(old, bob.name), 200);
      const link = linkIn(old.backend.mail.at(-1)?.text).path;
      const challenge = await createFactorCalls(old, clock).challengeOf(user.name);

      const world = await node(NEW, OLD);
      await expectAllReadable(world, prepared);
      expect((await world.call('GET', '/me', { token: user.token })).status).toBe(200);
      clock.advance(STEP_MS);
      const answer = { challenge, code: codeAt(user.secret, clock.now()) };
      await expectStatus(createFactorCalls(world, clock).second(answer), 200);
      expect((await openLink(world, link)).status).toBe(200);
      expect((await submit(world, link, 'new-one')).status).toBe(200);
      expect((await openLink(world, link)).status).not.toBe(200);
      const again = await expectStatus(
        world.call('POST', '/login', { body: { username: bob.name, password: 'new-one', client: known.client } }),
        200,
      );
      // The same client, marked by the new key.
      expect(again.data.client.slice(0, 22)).toBe(known.client.slice(0, 22));
      expect(again.data.client).toHaveLength(known.client.length);
    });

    it('keeps cursors of the change feed until the old key is dropped', async () => {
      const old = await node(OLD);
      const cursorOf = async (world: World, since: string) =>
        (await expectStatus(world.call('GET', `/changes${since}`), 200)).body.next;
      const cursor = await cursorOf(old, '');
      const both = await node(NEW, OLD);
      const renewed = await cursorOf(both, `?since=${cursor}`);
      const last = await node(NEW);
      await cursorOf(last, `?since=${renewed}`);
      const refused = await last.call('GET', `/changes?since=${cursor}`);
      expect([refused.status, refused.body.code]).toEqual([400, 'changes.cursor_invalid']);
    });

    it('drops a session at once, although its token was made with the old key', async () => {
      const old = await node(OLD);
      const { name, token } = await old.user();
      const world = await node(NEW, OLD);
      for (let times = 0; times < 2; times++) expect((await world.call('GET', '/me', { token })).status).toBe(200);
      const other = (
        await expectStatus(world.call('POST', '/login', { body: { username: name, password: 'secret' } }), 200)
      ).data;
      const sessions = (await world.call('GET', '/me/sessions', { token: other['X-BB-SESSION'] })).data;
      const first = sessions.find(({ current }: { current: boolean }) => !current);
      await expectStatus(world.call('DELETE', `/me/sessions/${first.id}`, { token: other['X-BB-SESSION'] }), 200);
      expect((await world.call('GET', '/me', { token })).status).toBe(401);
    });

    it('is completed by "secrets rotate" while a node serves, and then needs the old key no more', async () => {
      const prepared = await prepare();
      const serving = await node(NEW, OLD);
      expect(await doctor(BOTH)).toEqual([
        expect.stringMatching(/^fault: Only SECRET_KEY_PREVIOUS opens .*TOTP secrets 1/),
      ]);
      expect(await doctor({ SECRET_KEY: NEW })).toEqual([
        expect.stringMatching(/^fault: No known key opens .*recovery codes 10/),
      ]);
      expect(await rotate()).toMatchObject({ code: 0, rotated: KINDS, unreadable: 0 });
      await expectAllReadable(serving, prepared);
      expect(await rotate()).toMatchObject({ code: 0, rotated: 0 });
      expect(await doctor(BOTH)).toEqual([expect.stringMatching(/^ok: SECRET_KEY opens every encrypted value/)]);
      const after = await node(NEW);
      await expectAllReadable(after, prepared);
      await after.backend.deliver();
      expect(after.backend.mail.at(-1)?.to).toBe('ann@example.org');
      expect(await doctor({ SECRET_KEY: NEW })).toEqual([expect.stringMatching(/^ok: /)]);
    });

    it('changes nothing with wrong keys, and says so', async () => {
      const prepared = await prepare();
      const wrong = await rotate({ SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OTHER });
      expect(wrong).toMatchObject({ code: 1, rotated: 0, unreadable: KINDS });
      const none = await runCommand(['secrets', 'rotate'], env({ SECRET_KEY: NEW }));
      expect(none.code).toBe(1);
      expect(none.output).toContain('Neither key opens these: TOTP secrets 1, recovery codes 10');
      expect(await doctor({ SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OTHER })).toEqual([
        expect.stringMatching(/^fault: No known/),
      ]);
      const missing = await runCommand(['secrets', 'rotate'], env({ SECRET_KEY_PREVIOUS: OLD }));
      expect(missing).toMatchObject({ code: 2, errors: expect.stringContaining('SECRET_KEY is not set') });
      const same = await runCommand(['secrets', 'rotate'], env({ SECRET_KEY: OLD, SECRET_KEY_PREVIOUS: OLD }));
      expect(same).toMatchObject({ code: 2, errors: expect.stringContaining('must be another key') });
      await expectAllReadable(prepared.world, prepared);
    });

    /** Many links to social networks, each with its tokens. */
    async function addLinks(storage: Storage, count: number): Promise<void> {
      const { encrypt } = createNodeSecrets(OLD);
      const admin = await storage.users.findByKey('admin');
      if (admin === null) throw new Error('no administrator');
      for (let first = 0; first < count; first += 100) {
        await storage.transaction(async (stores) => {
          for (let i = first; i < first + 100; i++) {
            const user = {
              ...admin,
              id: createNodeSecrets(OLD).uuid(i + 1),
              name: `Load${i}`,
              key: `load${i}`,
              skeleton: `load${i}`,
            };
            await stores.users.add({
              ...user,
              generated: true,
              isPlain: true,
              awaitsEmail: false,
              passwordHash: null,
              emailVerified: false,
            });
            const link = {
              network: 'google',
              personId: `p${i}`,
              userId: user.id,
              details: '{}',
            };
            await stores.socialLinks.put({ ...link, sealed: encrypt(`token ${i}`) });
          }
        });
      }
    }

    it('goes on where it was interrupted: by a failure in a batch, and by a kill', async () => {
      await node(OLD);
      await addLinks(stored.storage, 1_000);
      const keys = createNodeSecrets(NEW, OLD);
      let left = 250;
      const failing = {
        ...keys,
        encrypt(text: string) {
          if (left-- === 0) throw new Error('interrupted');
          return keys.encrypt(text);
        },
      };
      const interrupted = createSealedValues({ storage: stored.storage, secrets: failing });
      await expect(interrupted.rotate(ADMIN)).rejects.toThrow('interrupted');
      const survey = () => createSealedValues({ storage: stored.storage, secrets: keys }).survey(ADMIN);
      const half = await survey();
      expect([sum(half, 'current'), sum(half, 'previous'), sum(half, 'unreadable')]).toEqual([200, 800, 0]);

      const command = startCommand(['secrets', 'rotate'], env(BOTH));
      await until(async () => sum(await survey(), 'current') > 200);
      command.kill('SIGKILL');
      await command.ended;
      const killed = await survey();
      expect(sum(killed, 'current') + sum(killed, 'previous')).toBe(1_000);
      expect(sum(killed, 'current') % 100).toBe(0);

      expect(await rotate()).toMatchObject({ code: 0, rotated: sum(killed, 'previous') });
      const done = createNodeSecrets(NEW);
      const texts: Array<string | null> = [];
      for (let i = 0; i < 1_000; i++) {
        const link = await stored.storage.socialLinks.find('google', `p${i}`);
        texts.push(done.decrypt(link?.sealed ?? ''));
      }
      expect(texts).toEqual(Array.from({ length: 1_000 }, (_, i) => `token ${i}`));
    });

    it('undoes nothing that a node stores at the same time', async () => {
      const prepared = await prepare();
      const { storage } = stored;
      const keys = createNodeSecrets(NEW, OLD);
      const link = (await storage.socialLinks.list(prepared.user.id))[0];
      if (link === undefined) throw new Error('no link');
      // Between the read of a page and the replacement.
      const meddling = {
        ...keys,
        isCurrent(sealed: string) {
          if (sealed === link.sealed)
            void storage.socialLinks.put({ ...link, sealed: keys.encrypt('{"token":"newer","secret":"x"}') });
          return keys.isCurrent(sealed);
        },
      };
      await createSealedValues({ storage, secrets: meddling }).rotate(ADMIN);
      const after = (await storage.socialLinks.list(prepared.user.id))[0];
      expect(keys.decrypt(after?.sealed ?? '')).toContain('newer');
    });

    it('lets users log in with codes while their secrets are encrypted anew', async () => {
      const { user } = await prepare();
      const world = await node(NEW, OLD);
      const { login } = createFactorCalls(world, clock);
      const keys = createNodeSecrets(NEW, OLD);
      for (let round = 0; round < 10; round++) {
        clock.advance(STEP_MS);
        const code = codeAt(user.secret, clock.now());
        const factor = await stored.storage.factors.find(user.id);
        const [value] = await stored.storage.sealed.page('TOTP secrets', null, 1);
        if (factor === null || value === undefined) throw new Error('no factor');
        const renewed = keys.encrypt(keys.decrypt(factor.sealed) ?? '');
        const [answer] = await Promise.all([
          login(user.name, { code }),
          stored.storage.sealed.replace('TOTP secrets', value, renewed),
        ]);
        expect([round, answer.status]).toEqual([round, 200]);
      }
    });
  },
);
