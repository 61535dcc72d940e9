import { createLogAuditSink } from '@baobab/adapters/audit-log';
import { createMemoryAudit } from '@baobab/adapters/memory';
import { createAuthenticator } from '@baobab/contracts/webauthn';
import { AUDIT_ACTS, type AuditEvent, type AuditSink } from '@baobab/core';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { eventsOf, lastEvent } from '../support/audit.ts';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { createFolder } from '../support/databases.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { requestLink, submit, withAddress } from '../support/password-reset.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { codeAt, createFactorCalls, expectCode, wrongCode } from '../support/second-factor.ts';

const NETWORK = '127.0.0.0/24';

describe('audit events', () => {
  const clock = createHandDrivenClock();
  const folder = createFolder();
  const audit = createMemoryAudit();
  let backend: TestBackend;
  let world: World;
  let call: World['call'];

  beforeAll(async () => {
    const stores = { databaseUrl: `sqlite:${folder.path}/a.db`, backupUrl: `file:${folder.path}/backups` };
    backend = await createTestBackend({ auditSink: audit, clock, rateLimit: true, ...stores });
    world = createWorld(backend);
    call = world.call;
    await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
    await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
  });
  afterAll(async () => {
    await backend.close();
    folder.remove();
  });

  const asAdmin = (method: string, url: string, body?: object) =>
    call(method, url, { basic: adminOf(world), ...(body && { body }) });
  const brief = ({ act, by, to, network, details }: AuditEvent) => ({
    act,
    by: by.name,
    to: to?.name,
    network,
    details,
  });
  const party = ({ name, id }: { name: string; id: string }) => ({ kind: 'user', id, name });

  it('name the user of a login, the network, and whether the client is new', async () => {
    const ann = await world.user();
    const login = (client?: string) =>
      call('POST', '/login', { body: { username: ann.name, password: 'secret', client } });
    const { client } = (await expectStatus(login(), 200)).data;
    const [first] = audit.events.slice(-1);
    expect(first).toEqual({
      at: clock.now(),
      act: 'login.succeeded',
      by: party(ann),
      to: party(ann),
      network: NETWORK,
      details: { method: 'password', factor: null, client: 'new' },
    });
    const [second] = await eventsOf(audit, () => expectStatus(login(client), 200));
    expect(second?.details.client).toBe('known');
    for (const [from, network] of [
      ['203.0.113.77', '203.0.113.0/24'],
      ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
    ] as const) {
      const wrong = { from, basic: [ann.name, 'wrong'] } as const;
      const [failed] = await eventsOf(audit, () => call('GET', '/me', wrong));
      expect(failed?.network).toBe(network);
    }
  });

  it('name the user of a login that fails, and no name that nobody has', async () => {
    const ann = await world.user();
    const guess = (username: string) => call('POST', '/login', { body: { username, password: 'wrong' } });
    const details = { method: 'password', reason: 'auth.invalid' };
    expect((await eventsOf(audit, () => guess(ann.name))).map(brief)).toEqual([
      { act: 'login.failed', by: null, to: ann.name, network: NETWORK, details },
    ]);
    // Users type passwords into the field of the name.
    expect((await eventsOf(audit, () => guess('my-password'))).map(brief)).toEqual([
      { act: 'login.failed', by: null, to: undefined, network: NETWORK, details },
    ]);
    const basic = await eventsOf(audit, () => call('GET', '/me', { basic: [ann.name, 'wrong'] }));
    expect(basic.map(({ details: more }) => more)).toEqual([{ method: 'basic', reason: 'auth.invalid' }]);
  });

  it('are one for a lock-out, and one for each guess that it refuses', async () => {
    const ann = await world.user();
    const guess = () => call('POST', '/login', { body: { username: ann.name, password: 'wrong' } });
    for (let times = 0; times < 9; times++) await guess();
    const last = await eventsOf(audit, guess);
    expect(last.map(({ act, to }) => [act, to?.id])).toEqual([
      ['account.locked', ann.id],
      ['login.failed', ann.id],
    ]);
    const refused = await eventsOf(audit, guess);
    expect(refused.map(({ act, details }) => [act, details.reason])).toEqual([['login.failed', 'auth.locked']]);
  });

  it('count in the metrics, by reason', async () => {
    const text = async () => (await asAdmin('GET', '/metrics')).text;
    const counted = (scraped: string, reason: string) =>
      Number(new RegExp(`^baobab_login_failures_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(scraped)?.[1]);
    const before = await text();
    expect(counted(before, 'other')).toBe(0);
    await call('POST', '/login', { body: { username: 'nobody', password: 'wrong' } });
    await keyScenarios(world).withKey(`bb_${'A'.repeat(44)}`, 'GET', '/users');
    const after = await text();
    expect(counted(after, 'auth.invalid') - counted(before, 'auth.invalid')).toBe(1);
    expect(counted(after, 'key.invalid') - counted(before, 'key.invalid')).toBe(1);
    expect(after).toMatch(/^baobab_audit_events_lost_total 0$/m);
  });

  it('cover second factors and passkeys', async () => {
    const factors = createFactorCalls(world, clock);
    const user = await factors.ann();
    expect(brief(lastEvent(audit, 'factor.enabled'))).toMatchObject({ by: user.name, to: user.name, network: NETWORK });
    const challenge = await factors.challengeOf(user.name);
    const wrong = await eventsOf(audit, () => factors.second({ challenge, code: wrongCode(user.secret, clock.now()) }));
    expect(wrong.map(({ to, details }) => [to?.id, details.reason])).toEqual([[user.id, 'auth.code_invalid']]);
    const code = codeAt(user.secret, clock.now());
    const right = await eventsOf(audit, () => expectStatus(factors.second({ challenge, code }), 200));
    expect(right.map(({ act, details }) => [act, details.factor])).toEqual([['login.succeeded', 'totp']]);
    const off = { token: user.token, body: { recovery_code: user.recoveryCodes[0] } };
    await expectStatus(call('DELETE', '/me/totp', off), 200);
    expect(lastEvent(audit, 'factor.disabled').to?.id).toBe(user.id);

    const passkeys = createPasskeyCalls(world);
    const owner = await passkeys.owner();
    expect(lastEvent(audit, 'passkey.added')).toMatchObject({ by: { id: owner.id }, to: { id: owner.passkey } });
    await expectStatus(passkeys.login(owner.authenticator), 200);
    expect(lastEvent(audit, 'login.succeeded')).toMatchObject({ by: { id: owner.id }, details: { factor: 'passkey' } });
    const stranger = createAuthenticator();
    stranger.create((await call('POST', '/me/passkeys/options', { token: owner.token })).data);
    const refused = await eventsOf(audit, () => passkeys.login(stranger));
    expect(refused.map(({ to, details }) => [to, details.reason])).toEqual([[null, 'auth.passkey_invalid']]);
    await expectStatus(call('DELETE', `/me/passkeys/${owner.passkey}`, { token: owner.token }), 200);
    await expectStatus(asAdmin('DELETE', `/admin/user/${owner.name}/factors`), 200);
    expect(brief(lastEvent(audit, 'factors.reset'))).toMatchObject({ by: 'admin', to: owner.name, network: NETWORK });
  });

  it('cover passwords and addresses, and contain neither', async () => {
    const { name, token } = await withAddress(world);
    const link = await requestLink(world, name);
    await expectStatus(submit(world, link, 'another-password'), 200);
    expect(brief(lastEvent(audit, 'password.reset'))).toMatchObject({ by: null, to: name, network: NETWORK });
    expect((await call('GET', '/me', { token })).status).toBe(401);
    const own = await loginAs(world, name, 'another-password');
    await expectStatus(
      call('PUT', '/me/password', { token: own, body: { old: 'another-password', new: 'third' } }),
      200,
    );
    await expectStatus(asAdmin('PUT', `/admin/user/${name}/password`, { password: 'fourth-one' }), 200);
    expect(brief(lastEvent(audit, 'password.set'))).toMatchObject({ by: 'admin', to: name });
    const fresh = await loginAs(world, name, 'fourth-one');
    await expectStatus(call('POST', '/me/email', { token: fresh, body: { email: 'ann@example.com' } }), 200);
    await backend.deliver();
    const code = /^(\d{6})$/m.exec(backend.mail.at(-1)?.text ?? '')?.[1];
    await expectStatus(call('POST', '/me/email/confirm', { token: fresh, body: { code } }), 200);
    expect(lastEvent(audit, 'email.verified')).toMatchObject({ by: { name }, details: { by: 'code' } });
    const changed = { visibleByTheUser: { email: 'y@example.org' } };
    await expectStatus(call('PUT', '/me', { token: fresh, body: changed }), 200);
    expect(lastEvent(audit, 'email.changed')).toMatchObject({ by: { name }, details: { verified: false } });
    const written = JSON.stringify(audit.events);
    for (const secret of ['another-password', 'fourth-one', 'third', String(code), link, fresh, 'example.org']) {
      expect(written).not.toContain(secret);
    }
  });

  it('cover what administrators do', async () => {
    await expectStatus(asAdmin('POST', '/admin/role/watchers', { description: 'They watch' }), 201);
    await expectStatus(asAdmin('PUT', '/admin/role/watchers', { name: 'guards' }), 200);
    expect(lastEvent(audit, 'role.changed')).toMatchObject({ to: { name: 'guards' }, details: { before: 'watchers' } });
    const user = await personWithRole(world, 'guards');
    expect(lastEvent(audit, 'user.created')).toMatchObject({ to: party(user), details: { role: 'guards' } });
    await expectStatus(asAdmin('PUT', `/admin/user/${user.name}`, { role: 'registereduser' }), 200);
    expect(brief(lastEvent(audit, 'user.role_changed'))).toEqual({
      act: 'user.role_changed',
      by: 'admin',
      to: user.name,
      network: NETWORK,
      details: { before: 'guards', after: 'registereduser' },
    });
    await expectStatus(asAdmin('DELETE', '/admin/role/guards'), 200);
    await expectStatus(asAdmin('PUT', `/admin/user/suspend/${user.name}`), 200);
    await expectStatus(asAdmin('PUT', `/admin/user/activate/${user.name}`), 200);
    const name = world.unique('renamed');
    await expectStatus(asAdmin('PUT', `/admin/user/${user.name}`, { username: name }), 200);
    expect(lastEvent(audit, 'user.renamed').details).toEqual({ before: user.name });
    await loginAs(world, name);
    await expectStatus(asAdmin('DELETE', `/admin/user/${name}/sessions`), 200);
    await expectStatus(asAdmin('DELETE', `/admin/user/${name}`), 200);
    expect(lastEvent(audit, 'user.removed')).toMatchObject({ by: { name: 'admin' }, to: { id: user.id } });
    const collection = await world.collection();
    await expectStatus(asAdmin('PUT', `/admin/collection/${collection}/rules`, { read: ['anonymous'] }), 200);
    expect(lastEvent(audit, 'rules.changed').details).toEqual({ read: 'anonymous' });
    const hook = { url: 'https://example.com/secret-path', collections: [collection], types: ['put'] };
    const webhook = await expectStatus(asAdmin('POST', '/admin/webhook', hook), 201);
    const at = `/admin/webhook/${webhook.data.id}`;
    await expectStatus(asAdmin('PUT', at, { ...hook, description: 'x' }), 200);
    await expectStatus(asAdmin('POST', `${at}/secret`), 200);
    await expectStatus(asAdmin('DELETE', at), 200);
    const { withKey, addKey } = keyScenarios(world);
    const { id, key } = await addKey('administrator');
    await expectStatus(
      withKey(key, 'PUT', '/admin/configuration/Application/group.max.members', { body: { value: 16 } }),
      200,
    );
    expect(lastEvent(audit, 'setting.changed')).toMatchObject({
      by: { kind: 'key', id },
      to: { id: 'group.max.members' },
      details: { value: '16' },
    });
    await setSettings(world, 'PasswordRecovery', { 'network.smtp.password': 'hidden-setting' });
    await expectStatus(asAdmin('DELETE', `/admin/key/${id}`), 200);
    const written = JSON.stringify(audit.events);
    for (const secret of [key, 'secret-path', 'hidden-setting']) expect(written).not.toContain(secret);
  });

  it('cover backups', async () => {
    await expectStatus(asAdmin('POST', '/admin/backup/download'), 200);
    await expectStatus(asAdmin('POST', '/admin/backup'), 202);
    const stored = async () => (await asAdmin('GET', '/admin/backup')).data.stored;
    await expect.poll(async () => (await stored()).length).toBe(1);
    await expectStatus(asAdmin('DELETE', `/admin/backup/${(await stored())[0].name}`), 200);
  });

  it('cover sessions, names, social networks, and users who leave', async () => {
    const ann = await world.user();
    const token = await loginAs(world, ann.name);
    await expectStatus(call('DELETE', '/me/sessions', { token }), 200);
    expect(lastEvent(audit, 'sessions.ended').to).toEqual(party(ann));
    const proof = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
    const linked = { token, body: { oauth_token: proof, oauth_secret: 'x' } };
    await expectStatus(call('PUT', '/social/google', linked), 200);
    await expectStatus(call('DELETE', '/social/google', { token }), 200);
    expectCode(
      await call('POST', '/social/google', { body: { oauth_token: 'no', oauth_secret: 'x' } }),
      401,
      'social.refused',
    );
    expect(lastEvent(audit, 'login.failed').details).toEqual({ method: 'social', reason: 'social.refused' });
    await expectStatus(call('POST', '/logout', { token }), 200);
    expect(lastEvent(audit, 'session.ended')).toMatchObject({
      by: party(ann),
      network: NETWORK,
      details: { own: true },
    });
    expect(JSON.stringify(audit.events)).not.toContain(proof);
    await expectStatus(asAdmin('POST', `/admin/user/${ann.name}/secure`), 200);
    expect(lastEvent(audit, 'user.secured').to).toEqual(party(ann));
  });

  it('cover accounts that their users delete', async () => {
    const ann = await world.user();
    await expectStatus(call('DELETE', '/me', { token: ann.token }), 202);
    expect(lastEvent(audit, 'user.erasure_requested')).toMatchObject({ by: party(ann), details: { days: 7 } });
    await expectStatus(call('POST', '/me/erase/cancel', { body: { username: ann.name, password: 'secret' } }), 200);
    expect(lastEvent(audit, 'user.erasure_canceled').to).toEqual(party(ann));
    await setSettings(world, 'Application', { 'erase.grace.days': 0 });
    await expectStatus(call('DELETE', '/me', { token: await loginAs(world, ann.name) }), 202);
  });

  it('exist for every act, each with the network of the request', () => {
    const seen = new Set(audit.events.map(({ act }) => act));
    expect(AUDIT_ACTS.filter((act) => !seen.has(act))).toEqual([]);
    // A user is removed without a request, unless there are no days of grace.
    const others = audit.events.filter(({ act }) => act !== 'user.erased');
    expect(others.filter(({ network }) => network === null)).toEqual([]);
  });
});

describe('a sink of audit events', () => {
  async function worldWith(auditSink: AuditSink, logged: object[] = []) {
    const ignore = () => undefined;
    const note = (bindings: object, message: string) => logged.push({ ...bindings, message });
    const logger = { debug: ignore, info: note, warn: ignore, error: note };
    const backend = await createTestBackend({ auditSink, logger });
    return { backend, world: createWorld(backend) };
  }

  const lost = async (world: World) =>
    Number(
      /^baobab_audit_events_lost_total (\d+)$/m.exec(
        (await world.call('GET', '/metrics', { basic: adminOf(world) })).text,
      )?.[1],
    );

  it.each([
    ['rejects', () => Promise.reject(new Error('the disk is full'))],
    [
      'throws',
      () => {
        throw new Error('the disk is full');
      },
    ],
  ])('that %s harms nobody, and is complained about once', async (_how, write) => {
    const logged: object[] = [];
    const { backend, world } = await worldWith({ write }, logged);
    const ann = await world.user();
    await loginAs(world, ann.name);
    expect(await lost(world)).toBeGreaterThanOrEqual(2);
    const complaints = logged.filter((line) => 'lost' in line);
    expect(complaints).toMatchObject([{ message: 'audit event lost', err: { message: 'the disk is full' } }]);
    await backend.close();
  });

  it('that never answers delays nobody, and holds a bounded number of events', async () => {
    let asked = 0;
    const { backend, world } = await worldWith({
      write: () => {
        asked++;
        return new Promise(() => undefined);
      },
    });
    const ann = await world.user();
    const token = await loginAs(world, ann.name);
    for (let times = 0; times < 1_010; times++)
      await expectStatus(world.call('DELETE', '/me/sessions', { token }), 200);
    expect(asked).toBe(1_000);
    expect(await lost(world)).toBeGreaterThanOrEqual(10);
    await backend.close();
  });

  it('that writes to the log writes one structured line for each event', async () => {
    const lines: object[] = [];
    const sink = createLogAuditSink({ info: (bindings, message) => lines.push({ ...bindings, message }) });
    const { backend, world } = await worldWith(sink);
    const ann = await world.user();
    expect(lines).toEqual([
      {
        audit: {
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          act: 'user.signed_up',
          by: { kind: 'anonymous', id: null, name: null },
          to: { kind: 'user', id: ann.id, name: ann.name },
          network: '127.0.0.0/24',
          details: { method: 'password' },
        },
        message: 'audit',
      },
    ]);
    await backend.close();
  });
});
