import { describe, expect, it } from 'vitest';
import { publishedImage } from '../support/assets.ts';
import { onEveryStorage } from '../support/backend.ts';
import { filePart, stored } from '../support/files.ts';
import { adminOf } from '../support/people.ts';

onEveryStorage('machine-readable failures', (world) => {
  const failed = async (...args: Parameters<typeof world.call>) => {
    const { status, body } = await world.call(...args);
    const { code, errors } = body as { code?: string; errors?: ReadonlyArray<{ path: string; message: string }> };
    return [status, code, errors?.map(({ path }) => path).sort()];
  };

  it.each<readonly [string, Parameters<typeof world.call>, readonly [number, string, readonly string[] | undefined]]>([
    ['no route', ['GET', '/nowhere'], [404, 'route.not_found', undefined]],
    ['another method', ['PATCH', '/me'], [405, 'method.not_allowed', undefined]],
    ['an unknown path', ['GET', '/asset/%ff'], [400, 'path.invalid', undefined]],
    ['no user', ['GET', '/me'], [401, 'auth.required', undefined]],
    ['an expired session', ['GET', '/me', { token: 'x' }], [401, 'session.invalid', undefined]],
    ['a wrong application code', ['GET', '/me', { appCode: 'wrong' }], [400, 'app_code.invalid', undefined]],
    ['a missing member', ['POST', '/user', { body: {} }], [400, 'input.invalid', ['/username']]],
    [
      'an invalid section',
      ['POST', '/user', { body: { username: 'ann', password: 'x', visibleByFriend: [] } }],
      [400, 'input.invalid', ['/visibleByFriend']],
    ],
    [
      'an invalid address',
      ['POST', '/user', { body: { username: 'ann', password: 'x', visibleByTheUser: { email: 'x' } } }],
      [400, 'user.email_invalid', ['/visibleByTheUser/email']],
    ],
    [
      'an invalid query',
      ['GET', '/users?where=a%20%3D%3D%3D%201', { basic: ['admin', 'admin'] }],
      [400, 'criteria.invalid', ['query.where']],
    ],
    [
      'an invalid page',
      ['GET', '/users?page=-1', { basic: ['admin', 'admin'] }],
      [400, 'input.invalid', ['query.page']],
    ],
    [
      'an unknown parameter',
      ['GET', '/users?filter=x', { basic: ['admin', 'admin'] }],
      [400, 'query.unknown', ['query.filter']],
    ],
  ])('name %s', async (_what, [method, path, options], expected) => {
    const basic = options?.basic === undefined ? {} : { basic: adminOf(world) };
    expect(await failed(method, path, { ...options, ...basic })).toEqual(expected);
  });

  it('name an unknown version by the path of its field', async () => {
    const { token } = await world.user();
    const collection = await world.collection();
    const body = { '@version': 'x' };
    expect(await failed('POST', `/document/${collection}`, { token, body })).toEqual([
      400,
      'document.version_invalid',
      ['/@version'],
    ]);
  });

  describe('unknown query parameters', () => {
    const messageOf = async (path: string) =>
      (await world.call('GET', path, { basic: adminOf(world) })).body.message as string;

    it.each([
      ['filter', 'where'],
      ['wher', 'where'],
      ['wehre', 'where'],
      ['orderby', 'orderBy'],
      ['limit', 'recordsPerPage'],
      ['cursr', 'cursor'],
    ])('are rejected with a suggestion: %s', async (name, meant) => {
      expect(await messageOf(`/users?${name}=1`)).toContain(`did you mean "${meant}"?`);
    });

    it('are rejected without a suggestion when no known name is similar', async () => {
      expect(await messageOf('/users?colour=1')).toContain('"colour"');
      expect(await messageOf('/users?colour=1')).not.toContain('did you mean');
    });

    it.each(['call_id', '_', 'page', 'skip', 'recordsPerPage', 'recordPerPage', 'depth', 'X-BB-SESSION'])(
      'are allowed when clients send them to every route: %s',
      async (name) => {
        const { token } = await world.user();
        expect((await world.call('GET', `/me?${name}=${token}`, { token })).status).toBe(200);
      },
    );

    it('are ignored on addresses that others append parameters to', async () => {
      const { token } = await world.user();
      const file = await stored(world, token, filePart('x'));
      const image = await publishedImage(world, 'opaque.png');
      const added = [
        'v=2',
        'fbclid=Iw',
        'utm_source=x',
        'gclid=1',
        'ngsw-cache-bust=0.1',
        'ngsw-bypass',
        'cb=1',
        't=17',
      ];
      for (const query of [...added, '__WB_REVISION__=abc', 'where=x', '__proto__=1']) {
        for (const path of ['', '/download', '/data', '/resize/50', '/download/resizeId/1']) {
          expect([query, path, (await world.call('GET', `/asset/${image}${path}?${query}`)).status]).toEqual([
            query,
            path,
            200,
          ]);
        }
        const byUrl = `/file/${file.id}?X-BB-SESSION=${token}&X-SERVICE-APPCODE=${world.backend.appCode}&${query}`;
        expect([query, (await world.call('GET', byUrl, { appCode: null })).status]).toEqual([query, 200]);
      }
    });

    it('are rejected with the name that cache busters may use', async () => {
      expect(await messageOf('/users?t=17')).toContain('use "_"');
    });

    it('have no effect: the rejected call changes nothing', async () => {
      const { token } = await world.user();
      const collection = await world.collection();
      const url = `/document/${collection}`;
      expect((await world.call('POST', `${url}?odd=1`, { token, body: { a: 1 } })).status).toBe(400);
      expect((await world.call('GET', `${url}/count`, { token })).data).toEqual({ count: 0 });
    });
  });
});
