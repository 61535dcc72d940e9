import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';

const clock = createHandDrivenClock();
const HOUR = 3_600_000;

onEveryStorage(
  'requests with an Idempotency-Key',
  (world) => {
    const call: typeof world.call = (...args) => world.call(...args);
    let keys = 0;
    const newKey = () => `key-${++keys}`;

    async function shelf() {
      const made = await createShelf(world);
      // Basic credentials do not expire when the test moves the clock.
      const basic = [made.owner.name, 'secret'] as const;
      const url = `/document/${made.collection}`;
      const post = (body: unknown, key: string, options: CallOptions = { basic }) =>
        call('POST', url, { ...options, body, headers: { 'idempotency-key': key } });
      const count = async () => (await call('GET', `${url}/count`, { basic })).data.count;
      return { ...made, basic, url, post, count };
    }

    const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';

    it('take effect once, and repeat the same answer', async () => {
      const { post, count, owner, path, basic } = await shelf();
      const key = newKey();
      const first = await post({ n: 1, a: 'é' }, key);
      expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
      await call('PUT', path(first.data.id), { basic, body: { n: 2 } });
      for (const options of [{ basic }, { token: owner.token }]) {
        const again = await post({ n: 1, a: 'é' }, key, options);
        expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
      }
      await call('DELETE', path(first.data.id), { basic });
      expect((await post({ n: 1, a: 'é' }, key)).text).toBe(first.text);
      expect(await count()).toBe(0);
    });

    it('run again without a key, or with another one', async () => {
      const { post, count, url, basic } = await shelf();
      const [a, b] = [await post({}, newKey()), await post({}, newKey())];
      const c = await call('POST', url, { basic, body: {} });
      expect(new Set([a.data.id, b.data.id, c.data.id]).size).toBe(3);
      expect([a, b, c].map(isReplay)).toEqual([false, false, false]);
      expect(await count()).toBe(3);
    });

    it('replace and remove a document once', async () => {
      const { create, path, basic, count } = await shelf();
      const { id } = await create({ n: 1 });
      const replace = (body: unknown, key: string) =>
        call('PUT', path(id), { basic, body, headers: { 'idempotency-key': key } });
      const key = newKey();
      const first = await replace({ n: 2, '@version': 1 }, key);
      expect([first.status, first.data['@version']]).toEqual([200, 2]);
      await replace({ n: 3 }, newKey());
      const again = await replace({ n: 2, '@version': 1 }, key);
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
      const stale = newKey();
      for (const replayed of [false, true]) {
        const answer = await replace({ n: 4, '@version': 1 }, stale);
        expect([answer.status, answer.body.code, isReplay(answer)]).toEqual([400, 'document.stale', replayed]);
      }
      expect((await call('GET', path(id), { basic })).data).toMatchObject({ n: 3, '@version': 3 });

      const last = newKey();
      for (const replayed of [false, true]) {
        const answer = await call('DELETE', path(id), { basic, headers: { 'idempotency-key': last } });
        expect([answer.status, answer.text, isReplay(answer)]).toEqual([204, '', replayed]);
      }
      const gone = newKey();
      for (const replayed of [false, true]) {
        const answer = await call('DELETE', path(id), { basic, headers: { 'idempotency-key': gone } });
        expect([answer.status, answer.body.code, isReplay(answer)]).toEqual([404, 'document.not_found', replayed]);
      }
      expect((await call('DELETE', path('no-uuid'), { basic, headers: { 'idempotency-key': newKey() } })).status).toBe(
        404,
      );
      expect(await count()).toBe(0);
    });

    it('treat a key with and without quotes as the same key', async () => {
      const { post, count } = await shelf();
      const key = newKey();
      const first = await post({}, key);
      expect((await post({}, `"${key}"`)).text).toBe(first.text);
      expect(await count()).toBe(1);
    });

    it('are 422 when the key was used with another body, path or method, and do nothing', async () => {
      const { post, count, collection, basic } = await shelf();
      const other = await shelf();
      const key = newKey();
      await post({ n: 1 }, key);
      const headers = { 'idempotency-key': key };
      const operations = [{ method: 'POST', path: `/document/${collection}`, body: { n: 1 } }];
      for (const answer of [
        await post({ n: 2 }, key),
        await post('{"n": 1}', key),
        await other.post({ n: 1 }, key, { basic }),
        await call('POST', '/batch', { basic, body: { operations }, headers }),
      ]) {
        expect([answer.status, isReplay(answer)]).toEqual([422, false]);
      }
      expect([await count(), await other.count()]).toEqual([1, 0]);
    });

    it('belong to one user each', async () => {
      const { post, count } = await shelf();
      const key = newKey();
      const [first, stranger] = [await post({}, key), await world.user()];
      const second = await post({}, key, { token: stranger.token });
      expect([second.status, second.data._author, isReplay(second)]).toEqual([200, stranger.name, false]);
      expect(second.data.id).not.toBe(first.data.id);
      expect(await count()).toBe(1);
    });

    it('replay the failure of the first request', async () => {
      const { post, path, basic, create, url } = await shelf();
      const [key, other] = [newKey(), newKey()];
      const body = { _allowRead: [{ name: 'comes-later' }] };
      const first = await post(body, key);
      expect([first.status, first.body.bb_code, isReplay(first)]).toEqual([400, '40005', false]);
      await world.user('comes-later').catch(() => undefined);
      const again = await post(body, key);
      expect([again.status, again.body.message, isReplay(again)]).toEqual([400, first.body.message, true]);
      expect((await post(body, newKey())).status).toBe(200);

      const { id } = await create({});
      const operations = [
        { method: 'POST', path: url, body: {} },
        { method: 'PUT', path: path(id), body: { '@version': 2 } },
      ];
      const send = () =>
        call('POST', '/batch', {
          basic,
          body: { atomic: true, operations },
          headers: { 'idempotency-key': other },
        });
      const refused = await send();
      expect([refused.status, refused.body.bb_code, refused.body.operation]).toEqual([400, '40001', 1]);
      await call('PUT', path(id), { basic, body: {} });
      const replayed = await send();
      expect([replayed.status, replayed.body, isReplay(replayed)]).toEqual([400, refused.body, true]);
    });

    it('repeat a failure as a whole, with the input that was wrong', async () => {
      const { post } = await shelf();
      const key = newKey();
      const first = await post({ '@version': 'x' }, key);
      expect([first.status, first.body.code, first.body.errors[0].path]).toEqual([
        400,
        'document.version_invalid',
        '/@version',
      ]);
      const again = await post({ '@version': 'x' }, key);
      expect([again.status, again.text, isReplay(again)]).toEqual([400, first.text, true]);
    });

    it('apply each operation of a batch once', async () => {
      const { url, create, path, basic, count } = await shelf();
      const { id } = await create({ list: [] });
      for (const atomic of [true, false]) {
        const before = await count();
        const { length } = (await call('GET', `${path(id)}/.list`, { basic })).data.result;
        const operations = [
          { method: 'POST', path: url, body: {} },
          { method: 'PUT', path: `${path(id)}/.list[${length}]`, body: { data: atomic } },
          ...(atomic ? [] : [{ method: 'GET', path: path(NOWHERE) }]),
        ];
        const headers = { 'idempotency-key': newKey() };
        const send = () => call('POST', '/batch', { basic, headers, body: { atomic, operations } });
        const [first, second] = [await send(), await send()];
        expect([first.status, second.text, isReplay(first), isReplay(second)]).toEqual([200, first.text, false, true]);
        expect(await count()).toBe(before + 1);
        expect((await call('GET', `${path(id)}/.list`, { basic })).data.result).toHaveLength(length + 1);
      }
    });

    it('run once when many arrive at the same time', async () => {
      const { post, count } = await shelf();
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 20 }, () => post({ n: 1 }, key)));
      const [done, refused] = [200, 409].map((status) => answers.filter((answer) => answer.status === status));
      expect((done?.length ?? 0) + (refused?.length ?? 0)).toBe(20);
      expect(new Set(done?.map(({ data }) => data.id)).size).toBe(1);
      expect(refused?.every(({ headers }) => headers['retry-after'] === '1')).toBe(true);
      expect(await count()).toBe(1);
      expect((await post({ n: 1 }, key)).text).toBe(done?.[0]?.text);
    });

    it.each([
      ['empty', ''],
      ['a space', 'a b'],
      ['one quote', '"abc'],
      ['quotes around nothing', '""'],
      ['a quote inside', 'a"b'],
      ['two keys', '"a", "b"'],
      ['parameters', '"a";b=1'],
      ['another script', 'schlüssel'],
      ['256 characters', 'x'.repeat(256)],
    ])('are 400 with an invalid key: %s', async (_what, key) => {
      const { post, count, basic } = await shelf();
      expect((await post({}, key)).status).toBe(400);
      const headers = { 'idempotency-key': key };
      expect((await call('POST', '/batch', { basic, headers, body: { operations: [] } })).status).toBe(400);
      expect(await count()).toBe(0);
    });

    it('accept a key of 255 characters, and a quoted one with spaces and escapes', async () => {
      const { post } = await shelf();
      for (const key of [`${newKey()}${'x'.repeat(240)}`.slice(0, 255), `"${newKey()} \\"b\\" \\\\"`]) {
        const first = await post({}, key);
        expect([first.status, (await post({}, key)).text]).toEqual([200, first.text]);
      }
    });

    it('store nothing about requests that were rejected before they ran', async () => {
      const { post, count, basic, url } = await shelf();
      const key = newKey();
      const headers = { 'idempotency-key': key };
      expect((await post('{"n":', key)).status).toBe(400);
      expect((await call('POST', url, { basic, headers })).body.bb_code).toBe('40011');
      expect((await post({ n: 1 }, key, {})).status).toBe(401);
      const answer = await post({ n: 1 }, key);
      expect([answer.status, isReplay(answer)]).toEqual([200, false]);
      expect(await count()).toBe(1);
    });

    it('have no effect on other routes, nor for anonymous callers', async () => {
      const { create, path, basic } = await shelf();
      const { id } = await create({ n: 1 });
      const headers = { 'idempotency-key': newKey() };
      for (const city of ['Turin', 'Oslo']) {
        const answer = await call('PUT', '/me', { basic, headers, body: { visibleByTheUser: { city } } });
        expect([answer.data.visibleByTheUser, isReplay(answer)]).toEqual([{ city }, false]);
      }
      const operations = [{ method: 'GET', path: path(id) }];
      for (const _ of [1, 2]) {
        const answer = await call('POST', '/batch', { headers, body: { operations } });
        expect([answer.data[0].http_code, isReplay(answer)]).toEqual([403, false]);
      }
    });

    it('repeat the call_id of the current request', async () => {
      const { url, basic } = await shelf();
      const headers = { 'idempotency-key': newKey() };
      const send = (id: string) => call('POST', `${url}?call_id=${id}`, { basic, headers, body: {} });
      const [first, second] = [await send('a'), await send('b')];
      expect([first.body.call_id, second.body.call_id]).toEqual(['a', 'b']);
      expect([second.data, isReplay(second)]).toEqual([first.data, true]);
    });

    it('expire after 24 hours, and are swept', async () => {
      const { post, count } = await shelf();
      const key = newKey();
      const first = await post({}, key);
      clock.advance(24 * HOUR - 1);
      expect((await post({}, key)).text).toBe(first.text);
      expect(await world.backend.sweep()).toBeGreaterThanOrEqual(0);
      expect((await post({}, key)).text).toBe(first.text);
      clock.advance(1);
      const later = await post({}, key);
      expect([later.status, isReplay(later)]).toEqual([200, false]);
      expect(await count()).toBe(2);
      clock.advance(24 * HOUR);
      expect(await world.backend.sweep()).toBeGreaterThan(0);
      expect(await world.backend.sweep()).toBe(0);
    });
  },
  { clock },
);
