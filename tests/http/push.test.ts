import { createMemoryPush } from '@baobab/adapters/memory';
import type { PushNotification, PushOutcome } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();
const HOUR = 60 * MINUTE;

const ANDROID = { 'push.android.project': 'my-app', 'push.android.service_account': '{"client_email":"a"}' };
const IOS = { 'push.ios.team': 'T', 'push.ios.topic': 'org.app', 'push.ios.key_id': 'K', 'push.ios.key': 'key' };
const NOTHING = Object.fromEntries(Object.keys({ ...ANDROID, ...IOS }).map((key) => [key, '']));

/** The answer of the push service; delivered when absent. */
let answer: ((notification: PushNotification) => PushOutcome) | undefined;
const push = createMemoryPush((notification) => answer?.(notification) ?? { kind: 'delivered' });

interface Phone {
  readonly name: string;
  readonly token: string;
  readonly device: string;
}

async function phone(world: World, os: 'android' | 'ios' = 'android', name?: string): Promise<Phone> {
  const owner = name ?? (await world.user()).name;
  const device = world.unique(`${os}-token-`);
  return { name: owner, device, token: await loginAs(world, owner, 'secret', { os, deviceId: device }) };
}

onEveryStorage(
  'push notifications',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const asAdmin = (body: unknown, path = '') => call('POST', `/push/message${path}`, { basic: adminOf(world), body });
    const state = async (id: string) => (await call('GET', `/push/message/${id}`, { basic: adminOf(world) })).data;
    const arrived = (device: string) => push.sent.filter((one) => one.device === device).map(({ message }) => message);
    const configure = (values: Record<string, string>) => setSettings(world, 'Push', values);
    const deliver = () => world.backend.deliver();

    beforeEach(async () => {
      answer = undefined;
      await configure({ ...NOTHING, ...ANDROID, ...IOS, 'push.senders': 'administrator' });
    });
    afterEach(async () => {
      // Other tests must not see messages that this one left in the outbox.
      answer = undefined;
      clock.advance(48 * HOUR);
      await deliver();
    });

    describe('POST /push/message', () => {
      it('is accepted, and reaches every device of every user once', async () => {
        const [ann, bob] = [await phone(world), await phone(world, 'ios')];
        const tablet = await phone(world, 'ios', ann.name);
        const other = await phone(world);
        const users = [ann.name, bob.name, ann.name.toUpperCase()];
        const { data, body } = await expectStatus(asAdmin({ message: 'Zoë 😀', users }), 200);
        expect(data).toMatchObject({
          id: expect.any(String),
          counts: { android: { waiting: 1 }, ios: { waiting: 2 } },
        });
        expect(body.more).toBe(false);
        expect(data.devices.map(({ user, device }: { user: string; device: string }) => [user, device]).sort()).toEqual(
          [
            [ann.name, ann.device],
            [ann.name, tablet.device],
            [bob.name, bob.device],
          ].sort(),
        );
        await deliver();
        await deliver();
        for (const { device } of [ann, bob, tablet]) expect(arrived(device)).toEqual(['Zoë 😀']);
        expect(arrived(other.device)).toEqual([]);
        expect((await state(data.id)).counts).toEqual({ android: { delivered: 1 }, ios: { delivered: 2 } });
      });

      it('is accepted once for each Idempotency-Key', async () => {
        const { name, device } = await phone(world);
        const key = world.unique('key-');
        const send = (message: string, path = '') =>
          call('POST', `/push/message${path}`, {
            basic: adminOf(world),
            headers: { 'idempotency-key': key },
            body: { message, users: [name] },
          });
        await configure(NOTHING);
        expectFailure(await send('once'), 503);
        await configure({ ...ANDROID, ...IOS });
        const first = await expectStatus(send('once'), 200);
        await deliver();
        const again = await expectStatus(send('once'), 200);
        expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
        for (const answer of [await send('twice'), await send('once', `/${name}`)]) expectFailure(answer, 422);
        await deliver();
        expect(arrived(device)).toEqual(['once']);
      });

      it('passes on every field that a sender sets', async () => {
        const { name, device } = await phone(world);
        const custom = { b: [1, { '': null }], a: 'č' };
        const sent = { message: 'm', custom, badge: 3, sound: 'ping', collapse_key: 'news', time_to_live: 600 };
        const { data } = await expectStatus(asAdmin(sent, `/${name}`), 200);
        clock.advance(60_000);
        await deliver();
        expect(push.sent.find((one) => one.device === device)).toMatchObject({
          id: data.id,
          message: 'm',
          badge: 3,
          sound: 'ping',
          collapseKey: 'news',
          custom: JSON.stringify(custom),
          timeToLive: 540,
          config: { project: 'my-app' },
        });
      });

      it('succeeds when there is no device', async () => {
        const { name } = await world.user();
        const { data } = await expectStatus(asAdmin({ message: 'm', users: [name] }), 200);
        expect([data.devices, data.counts]).toEqual([[], { android: {}, ios: {} }]);
      });

      it.each<readonly [string, unknown, number, string | undefined]>([
        ['no body', undefined, 400, '40011'],
        ['an empty body', {}, 400, '40011'],
        ['no message', { users: ['admin'] }, 400, '40011'],
        ['an empty message', { message: '', users: ['admin'] }, 400, '40011'],
        ['a body that is not an object', [1], 400, undefined],
        ['a message that is not a string', { message: 1, users: ['admin'] }, 400, undefined],
        ['no users', { message: 'm' }, 400, '40010'],
        ['users that are not an array', { message: 'm', users: 'admin' }, 400, '40010'],
        ['an empty list of users', { message: 'm', users: [] }, 400, undefined],
        ['a user without a name', { message: 'm', users: [1] }, 400, undefined],
        ['too many users', { message: 'm', users: Array.from({ length: 1001 }, () => 'admin') }, 400, undefined],
        ['a user who does not exist', { message: 'm', users: ['admin', 'nobody at all'] }, 404, undefined],
        ['custom that is not an object', { message: 'm', users: ['admin'], custom: 'x' }, 400, undefined],
        ['a badge below 0', { message: 'm', users: ['admin'], badge: -1 }, 400, undefined],
        ['a fractional badge', { message: 'm', users: ['admin'], badge: 0.5 }, 400, undefined],
        ['a sound that is not a string', { message: 'm', users: ['admin'], sound: {} }, 400, undefined],
        ['a long collapse key', { message: 'm', users: ['admin'], collapse_key: 'č'.repeat(33) }, 400, undefined],
        [
          'a time to live that is too long',
          { message: 'm', users: ['admin'], time_to_live: 2_419_201 },
          400,
          undefined,
        ],
        ['a message that is too large', { message: 'č'.repeat(2_000), users: ['admin'] }, 413, undefined],
        [
          'more app data than fits',
          { message: 'm', users: ['admin'], custom: { a: 'x'.repeat(4_000) } },
          413,
          undefined,
        ],
      ])('rejects %s', async (_what, body, status, code) => {
        const refused = await asAdmin(body);
        expectFailure(refused, status);
        expect(refused.body.bb_code).toBe(code);
      });

      it('is for administrators, or for everybody with push.senders', async () => {
        const [ann, staff] = [await phone(world), await personWithRole(world, 'BackOffice')];
        const send = (options: object) =>
          call('POST', `/push/message/${ann.name}`, { body: { message: 'm' }, ...options });
        for (const token of [ann.token, staff.token]) expectFailure(await send({ token }), 403);
        expectFailure(await send({}), 401);
        expectFailure(await send({ token: 'stale' }), 401);
        expectFailure(await send({ appCode: null }), 400);
        await configure({ 'push.senders': 'registereduser' });
        const { data } = await expectStatus(send({ token: ann.token }), 200);
        expectFailure(await send({}), 401);
        // Only administrators may see the ids of devices.
        expect(JSON.stringify(data)).not.toContain(ann.device);
        const seen = await call('GET', `/push/message/${data.id}`, { token: ann.token });
        expect(seen.data.devices).toEqual([
          { user: ann.name, os: 'android', state: 'waiting', attempts: 0, reason: null },
        ]);
        expectFailure(await call('GET', `/push/message/${data.id}`, { token: staff.token }), 404);
        expectFailure(await call('GET', '/push/message/nothing', { token: ann.token }), 404);
        expect((await state(data.id)).devices[0].device).toBe(ann.device);
      });

      it('is for users who do not block the sender, unless an administrator sends', async () => {
        const [ann, bob] = [await phone(world), await phone(world)];
        await configure({ 'push.senders': 'registereduser' });
        const send = (name: string, path = '') =>
          call('POST', `/push/message${path}`, { token: bob.token, body: { message: 'm', users: [bob.name, name] } });
        await expectStatus(send(ann.name), 200);
        await expectStatus(call('POST', `/block/${bob.name}`, { token: ann.token }), 201);
        const unknown = await send('nobody');
        for (const refused of [await send(ann.name), await send('', `/${ann.name}`)]) {
          expectFailure(refused, 404);
          expect(refused.body.message).toBe(unknown.body.message.replace('nobody', ann.name));
        }
        await expectStatus(asAdmin({ message: 'm', users: [ann.name] }), 200);
        await expectStatus(
          call('POST', `/push/message/${bob.name}`, { token: ann.token, body: { message: 'm' } }),
          200,
        );
      });

      it('is 503 with 50301 when no push service is configured', async () => {
        const [android, ios] = [await phone(world), await phone(world, 'ios')];
        await configure({ ...NOTHING, ...IOS });
        const refused = await asAdmin({ message: 'm' }, `/${android.name}`);
        expectFailure(refused, 503);
        expect(refused.body.bb_code).toBe('50301');
        const { data } = await expectStatus(asAdmin({ message: 'm', users: [android.name, ios.name] }), 200);
        expect(data.counts).toEqual({ android: { unconfigured: 1 }, ios: { waiting: 1 } });
        await configure({ 'push.ios.key': '' });
        expect((await asAdmin({ message: 'm' }, `/${ios.name}`)).body.bb_code).toBe('50301');
      });

      it('is 503 with 50303 while the push services reject our credentials, and accepted messages are sent later', async () => {
        const { name, device } = await phone(world);
        await configure({ ...NOTHING, ...ANDROID });
        answer = () => ({ kind: 'refused', of: 'service', reason: 'PERMISSION_DENIED' });
        const { data } = await expectStatus(asAdmin({ message: 'first' }, `/${name}`), 200);
        await deliver();
        const refused = await asAdmin({ message: 'second' }, `/${name}`);
        expectFailure(refused, 503);
        expect([refused.body.bb_code, refused.body.message]).toEqual([
          '50303',
          expect.stringContaining('PERMISSION_DENIED'),
        ]);
        expect((await state(data.id)).devices[0]).toMatchObject({ state: 'waiting', reason: 'PERMISSION_DENIED' });
        answer = undefined;
        clock.advance(2 * MINUTE);
        await expectStatus(asAdmin({ message: 'third' }, `/${name}`), 200);
        await deliver();
        expect(arrived(device).sort()).toEqual(['first', 'third']);
      });
    });

    describe('GET /admin/push/messages', () => {
      const list = (query: string) => call('GET', `/admin/push/messages?${query}`, { basic: adminOf(world) });

      it('lists what administrators and users sent, newest first, page by page', async () => {
        const { name, token } = await phone(world);
        await configure({ 'push.senders': 'registereduser' });
        const first = await expectStatus(asAdmin({ message: 'first' }, `/${name}`), 200);
        clock.advance(1_000);
        const second = await call('POST', `/push/message/${name}`, { token, body: { message: '<b>second</b>' } });
        const { data, body } = await expectStatus(list('recordsPerPage=1'), 200);
        expect(data).toEqual([
          {
            id: second.data.id,
            sender: name,
            message: '<b>second</b>',
            created: second.data.created,
            expires: second.data.expires,
          },
        ]);
        const next = await expectStatus(list(`recordsPerPage=1&cursor=${body.next}`), 200);
        expect(next.data).toMatchObject([{ id: first.data.id, sender: 'admin', message: 'first' }]);
      });

      it('is for administrators, and refuses numbered pages and a cursor of something else', async () => {
        const { token } = await phone(world);
        expectFailure(await call('GET', '/admin/push/messages', { token }), 403);
        expectFailure(await list('cursor=x'), 400);
        expectFailure(await list('page=1'), 400);
      });
    });

    describe('an answer of the push service', () => {
      it('not now: retried with backoff, and not before Retry-After', async () => {
        const { name, device } = await phone(world);
        let attempts = 0;
        answer = () => ({ kind: 'retry', reason: 'busy', after: attempts++ === 0 ? 30_000 : null });
        await expectStatus(asAdmin({ message: 'm' }, `/${name}`), 200);
        await deliver();
        clock.advance(29_000);
        await deliver();
        expect(attempts).toBe(1);
        clock.advance(1_000);
        await deliver();
        expect(attempts).toBe(2);
        answer = undefined;
        await deliver();
        expect(arrived(device)).toEqual([]);
        clock.advance(2_000);
        await deliver();
        expect(arrived(device)).toEqual(['m']);
      });

      it('never: retries end when the message expires', async () => {
        const { name } = await phone(world);
        answer = () => ({ kind: 'retry', reason: 'busy', after: null });
        const { data } = await expectStatus(asAdmin({ message: 'm', time_to_live: 0 }, `/${name}`), 200);
        for (let i = 0; i < 30; i++) {
          await deliver();
          clock.advance(10_000);
        }
        expect((await state(data.id)).counts.android).toEqual({ expired: 1 });
      });

      it('unregistered: the device is removed', async () => {
        const { name, device, token } = await phone(world);
        answer = () => ({ kind: 'dead', reason: 'UNREGISTERED', since: null });
        const { data } = await expectStatus(asAdmin({ message: 'm' }, `/${name}`), 200);
        await deliver();
        expect((await state(data.id)).devices[0]).toMatchObject({ state: 'dead', reason: 'UNREGISTERED' });
        answer = undefined;
        expect((await asAdmin({ message: 'm' }, `/${name}`)).data.devices).toEqual([]);
        expect((await call('GET', '/me/sessions', { token })).status).toBe(200);
        expect(arrived(device)).toEqual([]);
      });

      it('rejected: not retried, and the device remains', async () => {
        const { name } = await phone(world);
        answer = () => ({ kind: 'refused', of: 'notification', reason: 'INVALID_ARGUMENT' });
        const { data } = await expectStatus(asAdmin({ message: 'm' }, `/${name}`), 200);
        await deliver();
        expect((await state(data.id)).counts.android).toEqual({ refused: 1 });
        expect((await asAdmin({ message: 'm' }, `/${name}`)).data.devices).toHaveLength(1);
      });

      it('lists devices page by page', async () => {
        const { name } = await phone(world);
        for (let i = 0; i < 4; i++) await phone(world, 'android', name);
        const { data, body } = await asAdmin({ message: 'm' }, `/${name}?recordsPerPage=2`);
        expect([data.devices.length, body.more, data.counts.android.waiting]).toEqual([2, true, 5]);
        const rest = await call('GET', `/push/message/${data.id}?recordsPerPage=2&page=2`, { basic: adminOf(world) });
        expect([rest.data.devices.length, rest.body.more]).toEqual([1, false]);
        expectFailure(await call('GET', `/push/message/${data.id}?page=-1`, { basic: adminOf(world) }), 400);
      });
    });
  },
  { clock, push },
);
