import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus } from '../support/people.ts';

function expectRefused(answer: Answer, code: string): void {
  expectFailure(answer, 400);
  expect(answer.body.code).toBe(code);
}

onEveryStorage('references', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  /** A shelf with documents that refer to each other: book → list → owner. */
  async function prepare() {
    const shelf = await createShelf(world);
    const as = { token: shelf.owner.token };
    const owner = await shelf.create({ name: 'owner' });
    const list = await shelf.create({ name: 'list', owner: owner.id });
    const book = await shelf.create({ title: 'Zeno', list: list.id, deep: { at: [list.id] } });
    const get = (id: string, expand: string, options: CallOptions = as) =>
      call('GET', `${shelf.path(id)}?expand=${encodeURIComponent(expand)}`, options);
    const expanded = async (id: string, expand: string, options: CallOptions = as) =>
      (await expectStatus(get(id, expand, options), 200)).data._expanded;
    return { ...shelf, as, book, list, named: owner, get, expanded };
  }

  it('are answered beside the document, as single reads answer them', async () => {
    const { book, list, named, as, get, owner } = await prepare();
    const { data } = await get(book.id, 'list,_author,list.owner,deep.at,missing');
    const profile = (await call('GET', `/user/${owner.name}`, as)).data;
    expect(data).toEqual({
      ...book,
      _expanded: { list: { ...list, _expanded: { owner: named } }, _author: profile, 'deep.at': [list] },
    });
    const byIdAlone = await call('GET', `/document/${book.id}?expand=list`, as);
    expect(byIdAlone.data).toEqual({ ...book, _expanded: { list } });
  });

  it('are answered in lists, in searches and in batches', async () => {
    const { collection, book, list, named, as } = await prepare();
    const all = [
      { ...named, _expanded: {} },
      { ...list, _expanded: { owner: named } },
      { ...book, _expanded: { list } },
    ];
    const listed = await call('GET', `/document/${collection}?expand=list,owner`, as);
    expect(listed.data).toEqual(all);
    const found = await call('GET', `/document/${collection}?expand=list,owner&orderBy=id%20desc`, as);
    expect(found.data).toEqual(all.toReversed());
    const one = await call('GET', `/document/${collection}?expand=list,list.owner&where=title%3D'Zeno'`, as);
    expect(one.data).toEqual([{ ...book, _expanded: { list: { ...list, _expanded: { owner: named } } } }]);
    const operations = [
      { method: 'GET', path: `/document/${collection}/${book.id}?expand=list` },
      { method: 'GET', path: `/document/${book.id}?expand=list&expand=x` },
      { method: 'GET', path: `/document/${collection}/${book.id}?expand=id` },
    ];
    const batch = await call('POST', '/batch', { ...as, body: { operations } });
    expect(batch.data[0].data).toEqual({ ...book, _expanded: { list } });
    expect([batch.data[1].http_code, batch.data[1].code]).toEqual([400, 'input.invalid']);
    expect([batch.data[2].http_code, batch.data[2].code]).toEqual([400, 'criteria.invalid']);
  });

  it('are answered with the grants as well', async () => {
    const { book, list, path, as, share } = await prepare();
    await share(book.id, 'read/role/anonymous');
    const { data } = await call('GET', `${path(book.id)}?withAcl=true&expand=list`, as);
    expect([data._allowRead, data._expanded]).toEqual([[{ name: 'anonymous', isrole: true }], { list }]);
  });

  it('show nobody more than single reads do', async () => {
    const { book, list, share, expanded } = await prepare();
    const [reader, follower] = [await world.user(), await world.user()];
    const asReader = { token: reader.token };
    await share(book.id, 'read/role/anonymous');
    const expand = 'list,deep.at,list.owner';
    expect(await expanded(book.id, expand, {})).toEqual({ 'deep.at': [] });
    expect(await expanded(book.id, expand, asReader)).toEqual({ 'deep.at': [] });
    await share(list.id, `read/user/${reader.name}`);
    expect(await expanded(book.id, expand, asReader)).toEqual({
      list: { ...list, _expanded: {} },
      'deep.at': [list],
    });
    await share(list.id, `read/user/${reader.name}`, 'DELETE');
    expect(await expanded(book.id, expand, asReader)).toEqual({ 'deep.at': [] });
    await call('POST', `/follow/${list._author}`, { token: follower.token });
    expect(await expanded(book.id, 'list', { token: follower.token })).toEqual({ list });
    await call('DELETE', `/follow/${list._author}`, { token: follower.token });
    expect(await expanded(book.id, 'list', { token: follower.token })).toEqual({});
    expect(await expanded(book.id, 'list', { token: await world.admin() })).toEqual({ list });
  });

  it('to an author show the profile by the rights of the caller', async () => {
    const { book, owner, share, expanded, as } = await prepare();
    const sections = { visibleByTheUser: { a: 1 }, visibleByFriend: { b: 2 }, visibleByRegisteredUsers: { c: 3 } };
    await call('PUT', '/me', { ...as, body: { ...sections, visibleByAnonymousUsers: { d: 4 } } });
    await share(book.id, 'read/role/anonymous');
    const { token } = await world.user();
    for (const options of [as, { token }, {}, { token: await world.admin() }]) {
      const profile = await call('GET', `/user/${owner.name}`, options);
      expect(await expanded(book.id, '_author', options)).toEqual({ _author: profile.data });
    }
    await call('POST', `/follow/${owner.name}`, { token });
    const asFriend = await expanded(book.id, '_author', { token });
    expect(asFriend._author.visibleByFriend).toEqual({ b: 2 });
  });

  it('stop after two hops, also in circles', async () => {
    const { create, path, as, expanded } = await prepare();
    const a = await create({ name: 'a' });
    const b = await create({ name: 'b', next: a.id });
    await call('PUT', `${path(a.id)}/.next`, { ...as, body: { data: b.id } });
    const { data: circle } = await call('GET', path(a.id), as);
    expect(await expanded(a.id, 'next,next.next')).toEqual({ next: { ...b, _expanded: { next: circle } } });
    const self = await create({ name: 'self' });
    await call('PUT', `${path(self.id)}/.next`, { ...as, body: { data: self.id } });
    const { data: alone } = await call('GET', path(self.id), as);
    expect(await expanded(self.id, 'next,next.next')).toEqual({ next: { ...alone, _expanded: { next: alone } } });
    const refused = await call('GET', `${path(a.id)}?expand=next,next.next,next.next.next`, as);
    expectRefused(refused, 'criteria.invalid');
  });

  it('that lead nowhere are absent', async () => {
    const { create, path, as, expanded, list, owner } = await prepare();
    const elsewhere = await createShelf(world);
    const other = await elsewhere.create({ name: 'other' });
    await elsewhere.share(other.id, 'read/role/registereduser');
    const values: ReadonlyArray<readonly [unknown, unknown]> = [
      [list.id, list],
      [list.id.toUpperCase(), list],
      [other.id, other],
      [
        [list.id, other.id, list.id.toUpperCase()],
        [list, other, list],
      ],
      [
        [NOWHERE, list.id, 'x', null, 5, [list.id], { id: list.id }, other.id],
        [list, other],
      ],
      [[], []],
      [['x'], []],
      [[[list.id]], []],
      [NOWHERE, undefined],
      [owner.id, undefined],
      [`#${list.id}`, undefined],
      [` ${list.id}`, undefined],
      ['x', undefined],
      ['', undefined],
      [5, undefined],
      [true, undefined],
      [null, undefined],
      [{ id: list.id }, undefined],
    ];
    for (const [value, expected] of values) {
      const { id } = await create({ at: value, box: { a: { b: value } } });
      const found = await expanded(id, 'at,box.a.b,absent,box.x.y');
      expect([value, found]).toEqual([value, expected === undefined ? {} : { at: expected, 'box.a.b': expected }]);
      expect((await call('GET', path(id), as)).data._expanded).toBeUndefined();
    }
  });

  it('follow names and indexes, but no name through an array', async () => {
    const { create, expanded, list } = await prepare();
    const content = `{"items":[{"of":"${list.id}"}],"a b":{"c.d":"${list.id}"},"__proto__":{"x":"${list.id}"},"constructor":"${list.id}"}`;
    const { id } = await create(content);
    expect(await expanded(id, 'items.of,items[0].of,items[1].of')).toEqual({ 'items[0].of': list });
    expect(await expanded(id, '`a b`.`c.d`,constructor,toString')).toEqual({
      '`a b`.`c.d`': list,
      constructor: list,
    });
    const found = await expanded(id, '__proto__.x,__proto__');
    expect(Object.entries(found)).toEqual([]);
    expect(await expanded(id, '__proto__.x')).toEqual({ '__proto__.x': list });
    const deep = `a${'.b'.repeat(200)}`;
    expect(await expanded(id, deep)).toEqual({});
  });

  it('that are no paths, and combinations without sense, are refused', async () => {
    const { collection, path, book, as } = await prepare();
    const refused = async (url: string, message: string, code = 'criteria.invalid') => {
      const answer = await call('GET', url, as);
      expectRefused(answer, code);
      expect(answer.body.message).toContain(message);
      expect(answer.body.errors[0].path).toBe('query.expand');
    };
    for (const url of [path(book.id), `/document/${book.id}`, `/document/${collection}`]) {
      await refused(`${url}?expand=list,`, 'expand, character 6: expected a name');
      await refused(`${url}?expand=id`, 'expected a field of the content, or _author or _updated_by alone, found "id"');
      await refused(`${url}?expand=list&expand=x`, 'expand must be ', 'input.invalid');
    }
    await refused(`/document/${collection}?expand=list&fields=title`, 'no fields and no groupBy');
    await refused(`/document/${collection}?expand=list&fields=count(*)`, 'no fields and no groupBy');
    await refused(`/document/${collection}?expand=list&groupBy=title`, 'no fields and no groupBy');
    await refused(`/document/${collection}?expand=%3B&count=true`, 'expand, character 1');
    const empty = await call('GET', `${path(book.id)}?expand=`, as);
    expect(empty.data).toEqual(book);
    const counted = await call('GET', `/document/${collection}?expand=list&count=true`, as);
    expect(counted.data).toEqual([{ count: 3 }]);
    expect((await call('GET', `/document/${collection}/count?expand=list`, as)).status).toBe(400);
    const meant = await call('GET', `${path(book.id)}?populate=list`, as);
    expect(meant.body.message).toContain('did you mean "expand"?');
  });

  it('belong to the service: `_expanded` in content is ignored', async () => {
    const { create, path, as, book, get } = await prepare();
    const { data: sent } = await get(book.id, 'list');
    const replaced = await call('PUT', path(book.id), { ...as, body: { ...sent, '@version': 1 } });
    expect([replaced.status, '_expanded' in replaced.data]).toEqual([200, false]);
    expect(await create({ a: 1, _expanded: { b: 2 } })).not.toHaveProperty('_expanded');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: { data: 1 } } : {};
      expectRefused(await call(method, `${path(book.id)}/._expanded`, { ...as, ...body }), 'field.owned');
    }
    const nested = await create({ a: { _expanded: 1 } });
    expect(nested.a).toEqual({ _expanded: 1 });
  });

  it('of 1,000 different documents are read at once; one more is refused', async () => {
    const { create, expanded, get, list } = await prepare();
    const strangers = Array.from({ length: 999 }, (_, at) => NOWHERE.replace('018f', (4096 + at).toString(16)));
    const full = await create({ at: [...strangers, list.id, list.id.toUpperCase(), strangers[0]] });
    expect(await expanded(full.id, 'at')).toEqual({ at: [list, list] });
    const refused = await get(full.id, 'at,_author');
    expectRefused(refused, 'expand.limit');
    expect(refused.body.errors[0].path).toBe('query.expand');
    // `list` refers to one more document on the second hop.
    expectRefused(await get(full.id, 'at,at.owner'), 'expand.limit');
  });
});
