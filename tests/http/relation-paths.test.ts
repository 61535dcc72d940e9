import { beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { filePart, multipart, type Part, SAMPLES } from '../support/files.ts';
import { expectStatus, follow, planted, SECTION_NAMES } from '../support/people.ts';

/** Relations of a caller to the user who is read. */
const CALLERS = [
  'owner',
  'follower',
  'requester',
  'removed',
  'declined',
  'blocked',
  'unblocked',
  'stranger',
  'anonymous',
  'admin',
] as const;
type Role = (typeof CALLERS)[number];

/** The answers of those callers for whom it is another than that of a stranger. */
type Expected = { readonly stranger: unknown } & Partial<Record<Role, unknown>>;

onEveryStorage('every way to read a user and what is theirs', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const callers = new Map<Role, CallOptions>();
  const place = { ann: '', friend: '', canary: '', tag: '', collection: '', own: '', open: '', file: '', openFile: '' };

  beforeAll(async () => {
    const ann = await planted(world);
    const shelf = await createShelf(world);
    const people = new Map<Role, Awaited<ReturnType<World['user']>>>();
    for (const role of CALLERS) {
      if (role === 'owner' || role === 'anonymous' || role === 'admin') continue;
      const person = await world.user();
      people.set(role, person);
      callers.set(role, { token: person.token });
    }
    callers
      .set('owner', { token: ann.token })
      .set('anonymous', {})
      .set('admin', { token: await world.admin() });
    const person = (role: Role) => people.get(role) ?? ann;
    const asAnn = (method: string, url: string, options: CallOptions = {}) =>
      call(method, url, { token: ann.token, ...options });

    for (const role of ['removed', 'blocked', 'unblocked'] as const) await follow(world, person(role), ann);
    await expectStatus(asAnn('PUT', '/me/following-policy', { body: { followers: 'approve' } }), 200);
    for (const role of ['follower', 'requester', 'declined'] as const) {
      await expectStatus(call('POST', `/follow/${ann.name}`, { token: person(role).token }), 202);
    }
    await expectStatus(asAnn('PUT', `/me/follow-requests/${person('follower').name}`), 200);
    await expectStatus(asAnn('DELETE', `/me/follow-requests/${person('declined').name}`), 200);
    await expectStatus(asAnn('DELETE', `/followers/${person('removed').name}`), 200);
    for (const role of ['blocked', 'unblocked'] as const) {
      await expectStatus(asAnn('POST', `/block/${person(role).name}`), 201);
    }
    await expectStatus(asAnn('DELETE', `/block/${person('unblocked').name}`), 200);
    // A third user, in whose lists Ann is.
    const friend = await world.user();
    await follow(world, ann, friend);
    await expectStatus(call('POST', `/admin/Fw/${friend.name}/to/${ann.name}`, { token: await world.admin() }), 200);

    const write = async (body: object) =>
      (await expectStatus(asAnn('POST', `/document/${shelf.collection}`, { body }), 200)).data.id;
    const everybody = [{ name: 'registereduser', isrole: true }];
    const upload = async (...acl: readonly Part[]) =>
      (await expectStatus(asAnn('POST', '/file', { bytes: multipart(...acl, filePart(SAMPLES.png)) }), 201)).data.id;
    Object.assign(place, {
      ann: ann.name,
      friend: friend.name,
      canary: ann.canaries.visibleByFriend,
      collection: shelf.collection,
      own: await write({ n: 1 }),
      open: await write({ n: 2, _allowRead: everybody }),
      file: await upload(),
      openFile: await upload({ name: 'acl', content: '{"read":{"roles":["registereduser"]}}' }),
    });
  });

  const get = (role: Role, url: string) => call('GET', url, callers.get(role) ?? {});
  const status = (url: () => string) => async (role: Role) => (await get(role, url())).status;
  /** The data of a 200, or another status. */
  const data = (url: () => string) => async (role: Role) => {
    const answer = await get(role, url());
    return answer.status === 200 ? answer.data : answer.status;
  };
  const length = (url: () => string) => async (role: Role) => {
    const found = await data(url)(role);
    return Array.isArray(found) ? found.length : found;
  };
  const where = (condition: string) => `where=${encodeURIComponent(condition)}`;
  const named = () => where(`user.name = '${place.ann}'`);
  const toFriends = () => where(`visibleByFriend.canary = '${place.canary}'`);
  const document = (id: 'own' | 'open') => `/document/${place.collection}/${place[id]}`;
  const list = () => `/document/${place.collection}`;

  /** For users, what only the owner, followers and administrators see. */
  const friendly = <T>(seen: T, unseen: T, others: Partial<Record<Role, unknown>> = {}): Expected => ({
    owner: seen,
    follower: seen,
    admin: seen,
    stranger: unseen,
    ...others,
  });

  const PATHS: ReadonlyArray<readonly [string, (role: Role) => Promise<unknown>, Expected]> = [
    [
      'the sections of the profile',
      async (role) => {
        const { status: found, data: profile } = await get(role, `/user/${place.ann}`);
        return found === 200 ? SECTION_NAMES.filter((name) => profile[name] !== null).length : found;
      },
      { owner: 4, admin: 4, follower: 3, stranger: 2, anonymous: 1, blocked: 404 },
    ],
    [
      'whether the name exists',
      async (role) => (await data(() => `/user/${place.ann}/exists`)(role)).exists,
      { stranger: true, blocked: false, anonymous: undefined },
    ],
    ['the list of all users', length(() => `/users?${named()}`), { stranger: 1, blocked: 0, anonymous: 401 }],
    [
      'the count of all users',
      data(() => `/users?${named()}&count=true`),
      { stranger: [{ count: 1 }], blocked: [{ count: 0 }], anonymous: 401 },
    ],
    [
      'an aggregate of all users',
      data(() => `/users?${named()}&fields=count(*)%20as%20n`),
      { stranger: [{ n: 1 }], blocked: [{ n: 0 }], anonymous: 401 },
    ],
    ['a condition on what followers see', length(() => `/users?${toFriends()}`), friendly(1, 0, { anonymous: 401 })],
    [
      'the count of such a condition',
      data(() => `/users?${toFriends()}&count=true`),
      friendly([{ count: 1 }], [{ count: 0 }], { anonymous: 401 }),
    ],
    ['the followers', length(() => `/followers/${place.ann}`), { stranger: 2, blocked: 0, anonymous: 401 }],
    [
      'the number of followers',
      data(() => `/followers/${place.ann}?count=true`),
      { stranger: [{ count: 2 }], blocked: [{ count: 0 }], anonymous: 401 },
    ],
    ['the followed users', length(() => `/following/${place.ann}`), { stranger: 1, blocked: 0, anonymous: 401 }],
    [
      'the followers of others',
      length(() => `/followers/${place.friend}`),
      { stranger: 1, blocked: 0, anonymous: 401 },
    ],
    ['whom others follow', length(() => `/following/${place.friend}`), { stranger: 1, blocked: 0, anonymous: 401 }],
    [
      'the number of those whom others follow',
      data(() => `/following/${place.friend}?count=true`),
      { stranger: [{ count: 1 }], blocked: [{ count: 0 }], anonymous: 401 },
    ],
    ['a document', status(() => document('own')), friendly(200, 403)],
    ['a document by its id alone', status(() => `/document/${place.own}`), friendly(200, 403)],
    ['a field of a document', status(() => `${document('own')}/.n`), friendly(200, 403)],
    ['the list of documents', length(list), friendly(2, 1, { anonymous: 0 })],
    ['a condition on documents', length(() => `${list()}?${where('n = 1')}`), friendly(1, 0)],
    [
      'an aggregate of documents',
      data(() => `${list()}?fields=sum(n)%20as%20n`),
      friendly([{ n: 3 }], [{ n: 2 }], { anonymous: [{ n: 0 }] }),
    ],
    [
      'the count of documents',
      data(() => `${list()}/count`),
      friendly({ count: 2 }, { count: 1 }, { anonymous: { count: 0 } }),
    ],
    [
      'documents in a batch',
      async (role) => {
        const operations = (['own', 'open'] as const).map((id) => ({ method: 'GET', path: document(id) }));
        const answer = await call('POST', '/batch', { ...callers.get(role), body: { operations } });
        return answer.data.map(({ http_code }: { http_code: number }) => http_code);
      },
      friendly([200, 200], [403, 200], { anonymous: [403, 403] }),
    ],
    [
      'the author of a document, expanded',
      async (role) => {
        const { data: found } = await get(role, `${document('open')}?expand=_author`);
        return found?._expanded?._author?.user.name === place.ann;
      },
      { stranger: true, blocked: false, anonymous: false },
    ],
    ['a document that was granted', status(() => document('open')), { stranger: 200, anonymous: 403 }],
    ['a file', status(() => `/file/details/${place.file}`), { owner: 200, admin: 200, stranger: 404, anonymous: 401 }],
    [
      'the bytes of a file',
      status(() => `/file/${place.file}`),
      { owner: 200, admin: 200, stranger: 404, anonymous: 401 },
    ],
    ['a file that was granted', status(() => `/file/details/${place.openFile}`), { stranger: 200, anonymous: 401 }],
    [
      'the list of files',
      length(() => `/file/details?${where(`_author = '${place.ann}'`)}`),
      { owner: 2, admin: 2, stranger: 1, anonymous: 401 },
    ],
  ];

  describe.each(PATHS)('%s', (_what, read, expected) => {
    it('is as it has to be for every caller', async () => {
      const found: Array<readonly [Role, unknown]> = [];
      for (const role of CALLERS) found.push([role, await read(role)]);
      expect(found).toEqual(CALLERS.map((role) => [role, role in expected ? expected[role] : expected.stranger]));
    });
  });
});
