import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { webhookScenarios } from '../support/webhooks.ts';

const UNKNOWN = '01980000-0000-7000-8000-000000000000';
const URL = 'https://example.org/hook';

onEveryStorage('webhooks', (world) => {
  const { admin, hook } = webhookScenarios(world);

  it('are created, read, listed, changed and removed', async () => {
    const [one, two] = [await world.collection(), await world.collection()];
    const first = await admin('POST', '/admin/webhook', { url: URL, collections: [one.toUpperCase(), two, one] });
    expect(first.status).toBe(201);
    const { secret, ...shown } = first.data;
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(shown).toMatchObject({ url: URL, collections: [one, two], types: ['put', 'gone'], where: null });
    expect(shown).toMatchObject({ description: '', enabled: true });
    expect((await admin('GET', `/admin/webhook/${shown.id}`)).data).toEqual(shown);
    const more = { types: ['gone', 'gone'], where: 'title = "x"', description: 'Übersicht', enabled: false };
    const second = await hook(URL, [one], more);
    const listed = (await admin('GET', '/admin/webhook')).data;
    expect(listed).toMatchObject([shown, { id: second.id, ...more, types: ['gone'] }]);
    expect(JSON.stringify(listed)).not.toContain('whsec_');

    const changed = await admin('PUT', `/admin/webhook/${second.id}`, { enabled: true, where: null });
    expect(changed.data).toMatchObject({ url: URL, types: ['gone'], where: null, enabled: true });
    const moved = await admin('PUT', `/admin/webhook/${second.id}`, { collections: [two, one], url: `${URL}2` });
    expect(moved.data).toMatchObject({ collections: [two, one], url: `${URL}2`, description: 'Übersicht' });

    expect((await admin('DELETE', `/admin/webhook/${shown.id}`)).status).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${UNKNOWN}/replay`],
    ] as const) {
      const body = method === 'PUT' ? {} : undefined;
      for (const id of [shown.id, 'nothing']) {
        const { status, body: answer } = await admin(method, `/admin/webhook/${id}${path}`, body);
        expect([status, answer.code]).toEqual([404, 'webhook.not_found']);
      }
    }
    const { status, body } = await admin('POST', `/admin/webhook/${second.id}/deliveries/${UNKNOWN}/replay`);
    expect([status, body.code]).toEqual([404, 'webhook.delivery_not_found']);
  });

  it('show the URL that is called, however it was written', async () => {
    const written = ' HTTPS://ZOË.org:443/a/../hook?x=1#part';
    const { id } = await hook(written, [await world.collection()]);
    expect((await admin('GET', `/admin/webhook/${id}`)).data.url).toBe('https://xn--zo-ija.org/hook?x=1');
    const changed = await admin('PUT', `/admin/webhook/${id}`, { url: 'http://16843009#' });
    expect(changed.data.url).toBe('http://1.1.1.1/');
    expect((await admin('GET', `/admin/webhook/${id}`)).data.url).toBe('http://1.1.1.1/');
  });

  it('are for administrators', async () => {
    const { token } = await world.user();
    const calls = [
      ['GET', '/admin/webhook'],
      ['POST', '/admin/webhook'],
      ['GET', `/admin/webhook/${UNKNOWN}`],
      ['PUT', `/admin/webhook/${UNKNOWN}`],
      ['DELETE', `/admin/webhook/${UNKNOWN}`],
      ['POST', `/admin/webhook/${UNKNOWN}/secret`],
      ['POST', `/admin/webhook/${UNKNOWN}/test`],
      ['GET', `/admin/webhook/${UNKNOWN}/deliveries`],
      ['POST', `/admin/webhook/${UNKNOWN}/deliveries/${UNKNOWN}/replay`],
    ] as const;
    for (const [method, path] of calls) {
      const body = path.endsWith('webhook') && method === 'POST' ? { url: URL, collections: ['books'] } : {};
      const sent = method === 'GET' || method === 'DELETE' ? {} : { body };
      expect((await world.call(method, path, sent)).status).toBe(401);
      const { status, body: answer } = await world.call(method, path, { token, ...sent });
      expect([status, answer.code]).toEqual([403, 'admin.required']);
    }
  });

  describe('are refused', () => {
    const REFUSED: readonly (readonly [string, object, string, string])[] = [
      ['without a URL', { url: undefined }, 'input.invalid', '/url'],
      ['with a relative URL', { url: '/hook' }, 'webhook.url_refused', '/url'],
      ['to a loopback address', { url: 'http://127.0.0.1/' }, 'webhook.url_refused', '/url'],
      ['to metadata', { url: 'http://169.254.169.254/latest' }, 'webhook.url_refused', '/url'],
      ['to a loopback address in decimal', { url: 'http://2130706433/' }, 'webhook.url_refused', '/url'],
      ['to a mapped address', { url: 'http://[::ffff:10.0.0.1]/' }, 'webhook.url_refused', '/url'],
      ['with credentials in the URL', { url: 'https://a:b@example.org/' }, 'webhook.url_refused', '/url'],
      ['without collections', { collections: [] }, 'input.invalid', '/collections'],
      ['with an unknown collection', { collections: ['nothing'] }, 'collection.not_found', '/collections/0'],
      ['with no type', { types: [] }, 'input.invalid', '/types'],
      ['with an unknown type', { types: ['post'] }, 'input.invalid', '/types/0'],
      ['with a wrong condition', { where: 'title =' }, 'criteria.invalid', '/where'],
      ['with parameters in the condition', { where: 'title = ?' }, 'criteria.invalid', '/where'],
      ['with an unknown member', { secret: 'whsec_x' }, 'input.invalid', '/secret'],
    ];

    it.each(REFUSED)('%s', async (_title, change, code, path) => {
      const collections = [await world.collection()];
      const { status, body } = await admin('POST', '/admin/webhook', { url: URL, collections, ...change });
      expect([status, body.code]).toEqual([code === 'collection.not_found' ? 404 : 400, code]);
      expect(body.errors.map((error: { path: string }) => error.path)).toContain(path);
      if (path === '/secret') expect(body.message).toBe('Invalid input: unknown member "secret"');
      const { id } = await hook(URL, collections);
      if (Object.values(change).includes(undefined)) return;
      const changed = await admin('PUT', `/admin/webhook/${id}`, change);
      expect([changed.status, changed.body.code]).toEqual([status, code]);
    });

    it('with a condition and several collections', async () => {
      const [one, two] = [await world.collection(), await world.collection()];
      const { id } = await hook(URL, [one], { where: 'a = 1' });
      for (const [method, path, body] of [
        ['POST', '', { url: URL, collections: [one, two], where: 'a = 1' }],
        ['PUT', `/${id}`, { collections: [one, two] }],
      ] as const) {
        const answer = await admin(method, `/admin/webhook${path}`, body);
        expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/where']);
      }
      const both = await admin('PUT', `/admin/webhook/${id}`, { collections: [one, two], where: null });
      expect(both.status).toBe(200);
    });

    it('beyond a hundred', async () => {
      const collections = [await world.collection()];
      let refused: string | null = null;
      for (let i = 0; i <= 100 && refused === null; i++) {
        const token = await world.admin();
        const { status, data, body } = await world.call('POST', '/admin/webhook', {
          token,
          body: { url: URL, collections, enabled: false },
        });
        if (status === 201) created.push(data.id);
        else refused = body.code;
      }
      expect(refused).toBe('webhook.limit');
      expect((await admin('GET', '/admin/webhook')).data).toHaveLength(100);
      for (const id of created) await admin('DELETE', `/admin/webhook/${id}`);
    });
    const created: string[] = [];
  });
});
