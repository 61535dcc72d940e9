import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { fences } from '../support/fences.ts';
import { readDocument } from '../support/markdown.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const INHERITED = { create: null, read: null, update: null, delete: null };

/** The members of rules that depend on documents: conditions, the parent, checks and their messages. */
onEveryStorage('the body of rules', (world) => {
  const asAdmin = (method: string, collection: string, body?: unknown) =>
    world.call(method, `/admin/collection/${collection}/rules`, {
      basic: adminOf(world),
      ...(body === undefined ? {} : { body }),
    });
  const set = (collection: string, rules: unknown) => asAdmin('PUT', collection, rules);
  const rulesOf = async (collection: string) => (await expectStatus(asAdmin('GET', collection), 200)).data;

  it('answers what was set, and keeps the members that are absent', async () => {
    const [boards, tasks] = [await world.collection(), await world.collection()];
    const read = [{ role: 'anonymous', if: 'public = true' }, 'BackOffice'];
    const check = { create: "new.state = 'new'", update: 'not changed(owner)' };
    const messages = { update: 'The owner cannot change' };
    const parent = { field: 'on.board', collection: boards, read: 'read' };
    const first = await expectStatus(set(tasks, { read, parent, check, messages }), 200);
    expect(first.data).toEqual({
      create: ['registereduser'],
      read,
      update: [],
      delete: [],
      parent: { ...INHERITED, ...parent, onDelete: 'detach' },
      check,
      messages,
    });
    await expectStatus(set(tasks, { update: [{ role: 'registereduser', if: 'editors contains caller.name' }] }), 200);
    expect(await rulesOf(tasks)).toEqual({
      ...first.data,
      update: [{ role: 'registereduser', if: 'editors contains caller.name' }],
    });
  });

  it('takes "parent":"board" for the usual inheritance, and null for none', async () => {
    const tasks = await world.collection();
    const { data } = await expectStatus(set(tasks, { parent: 'board' }), 200);
    expect(data.parent).toEqual({
      field: 'board',
      collection: null,
      create: 'update',
      read: 'read',
      update: 'update',
      delete: 'update',
      onDelete: 'cascade',
    });
    expect((await expectStatus(set(tasks, { parent: null }), 200)).data.parent).toBeNull();
  });

  it('accepts the rules in the reference', async () => {
    const [tasks, boards, editors] = [await world.collection(), await world.collection(), world.unique('editors')];
    await expectStatus(world.call('POST', `/admin/role/${editors}`, { basic: adminOf(world) }), 201);
    const { text = '' } =
      fences(readDocument('docs/api-collections.md')).find(({ info }) => info === 'json rules') ?? {};
    const rules = JSON.parse(text.replaceAll('editors', editors).replaceAll('"boards"', `"${boards}"`));
    const { data } = await expectStatus(set(tasks, rules), 200);
    const sorted = ({ read, ...others }: { read: unknown[] }) => ({ ...others, read: new Set(read) });
    expect(sorted(data)).toEqual(sorted(rules));
  });

  it('replaces all checks together; messages of the remaining ones stay', async () => {
    const tasks = await world.collection();
    const messages = { create: 'No', update: 'Never' };
    await expectStatus(set(tasks, { check: { create: 'new.a = 1', update: 'new.a = 2' }, messages }), 200);
    await expectStatus(set(tasks, { check: { update: 'new.a = 3' } }), 200);
    expect(await rulesOf(tasks)).toMatchObject({ check: { update: 'new.a = 3' }, messages: { update: 'Never' } });
    expect((await rulesOf(tasks)).messages).toEqual({ update: 'Never' });
    await expectStatus(set(tasks, { messages: {} }), 200);
    expect((await rulesOf(tasks)).messages).toEqual({});
    await expectStatus(set(tasks, { check: {} }), 200);
    expect((await rulesOf(tasks)).check).toEqual({});
  });

  it('keeps a role with two conditions, and the same condition once', async () => {
    const posts = await world.collection();
    const by = (condition: string, role = 'registereduser') => ({ role, if: condition });
    await expectStatus(set(posts, { read: [by('a = 1'), by('b = 1'), by('a = 1', 'RegisteredUser')] }), 200);
    expect((await rulesOf(posts)).read).toEqual([by('a = 1'), by('b = 1')]);
  });

  describe('expressions that do not compile', () => {
    it.each([
      [{ read: ['anonymous', { role: 'anonymous', if: 'public = ' }] }, '/read/1/if', 10, 'a name or a value'],
      [{ create: [{ role: 'registereduser', if: 'caller.nam = 1' }] }, '/create/0/if', 8, 'id, name, roles, groups'],
      [
        { update: [{ role: 'registereduser', if: 'a = ?' }] },
        '/update/0/if',
        5,
        'a value, because rules have no parameters',
      ],
      [{ delete: [{ role: 'registereduser', if: 'changed(a)' }] }, '/delete/0/if', 1, 'date(…)'],
      [{ read: [{ role: 'registereduser', if: 'a > sysdate()' }] }, '/read/0/if', 5, 'no sysdate()'],
      [{ check: { update: 'new.a = 1 and sysdate() > new.b' } }, '/check/update', 15, 'now instead of sysdate()'],
      [
        { check: { update: 'new.a = 1 or title = 2' } },
        '/check/update',
        14,
        'old, new, parent, caller, now or changed(…)',
      ],
      [{ check: { create: 'new.title' } }, '/check/create', 10, 'an operator such as ='],
      [{ check: { delete: '' } }, '/check/delete', 1, 'a name or a value'],
      [{ check: { update: 'changed(a.size())' } }, '/check/update', 11, 'methods are not allowed here'],
      [{ check: { update: 'not changed()' } }, '/check/update', 13, 'a name'],
    ])('%j: at %s, character %i', async (body, path, position, expected) => {
      const tasks = await world.collection();
      const before = await rulesOf(tasks);
      const answer = await set(tasks, body);
      expectFailure(answer, 400);
      expect(answer.body).toMatchObject({ code: 'criteria.invalid', errors: [{ path }] });
      expect(answer.body.errors[0].message).toContain(`character ${position}: expected `);
      expect(answer.body.errors[0].message).toContain(expected);
      expect(await rulesOf(tasks)).toEqual(before);
    });
  });

  describe('members that are not valid', () => {
    const alone = { field: 'board' };
    it.each([
      [{ read: [{ role: 'anonymous', when: 'a = 1' }] }, '/read/0/when'],
      [{ read: [{ if: 'a = 1' }] }, '/read/0'],
      [{ read: [{ role: 'anonymous', if: 1 }] }, '/read/0/if'],
      [{ create: [{ role: 'anonymous', if: 'a = 1' }] }, '/create/0'],
      [{ 'a/b~c': 1 }, '/a~1b~0c'],
      [{ parent: 5 }, '/parent'],
      [{ parent: {} }, '/parent/field'],
      [{ parent: 'a b' }, '/parent'],
      [{ parent: { field: 'boards[0]' } }, '/parent/field'],
      [{ parent: { field: '' } }, '/parent/field'],
      [{ parent: { ...alone, reads: 'read' } }, '/parent/reads'],
      [{ parent: { ...alone, read: 'create' } }, '/parent/read'],
      [{ parent: { ...alone, onDelete: 'drop' } }, '/parent/onDelete'],
      [{ parent: { ...alone, collection: 7 } }, '/parent/collection'],
      [{ check: 'new.a = 1' }, '/check'],
      [{ check: { read: 'new.a = 1' } }, '/check/read'],
      [{ check: { update: 1 } }, '/check/update'],
      [{ messages: { update: 'No' } }, '/messages/update'],
      [{ check: { update: 'new.a = 1' }, messages: { create: 'No' } }, '/messages/create'],
      [{ check: { update: 'new.a = 1' }, messages: { update: '' } }, '/messages/update'],
      [{ check: { update: 'new.a = 1' }, messages: { update: 'x'.repeat(501) } }, '/messages/update'],
      [{ check: { update: 'new.a = 1' }, messages: { updates: 'No' } }, '/messages/updates'],
    ])('%j', async (body, path) => {
      const tasks = await world.collection();
      const before = await rulesOf(tasks);
      const answer = await set(tasks, body);
      expectFailure(answer, 400);
      expect(answer.body).toMatchObject({ code: 'input.invalid', errors: [{ path }] });
      expect(await rulesOf(tasks)).toEqual(before);
    });
  });

  it('refuses a parent collection that does not exist, or in a cycle, or too far down', async () => {
    const names: string[] = [];
    for (let n = 0; n < 5; n++) names.push(await world.collection());
    const [a = '', b = '', c = '', d = '', e = ''] = names;
    const inherit = (from: string, to: string) => set(from, { parent: { field: 'on', collection: to, read: 'read' } });
    const unknown = await inherit(a, 'nothing');
    expectFailure(unknown, 404);
    expect(unknown.body).toMatchObject({ code: 'collection.not_found', errors: [{ path: '/parent/collection' }] });
    const refused = async (from: string, to: string) => {
      const answer = await inherit(from, to);
      expectFailure(answer, 400);
      expect(answer.body).toMatchObject({ code: 'input.invalid', errors: [{ path: '/parent/collection' }] });
    };
    await refused(a, a);
    await expectStatus(inherit(b, a), 200);
    await expectStatus(inherit(c, b.toUpperCase()), 200);
    await refused(a, b);
    await refused(a, c);
    await expectStatus(inherit(d, c), 200);
    await refused(e, d);
    // From above: the ancestors of d would be too many.
    await refused(a, e);
  });

  it('records in the audit log what changed, as stored', async () => {
    const tasks = await world.collection();
    const check = { update: 'not changed(owner)' };
    const read = [{ role: 'ANONYMOUS', if: 'public = true' }];
    await expectStatus(set(tasks, { read, check, parent: 'board', messages: { update: 'No' } }), 200);
    const { data } = await expectStatus(
      world.call('GET', '/admin/audit?recordsPerPage=1&act=rules.changed', { basic: adminOf(world) }),
      200,
    );
    const [event] = data;
    expect(event.details).toEqual({
      read: '{"role":"anonymous","if":"public = true"}',
      parent: JSON.stringify((await rulesOf(tasks)).parent),
      check: JSON.stringify(check),
      messages: '{"update":"No"}',
    });
  });
});
