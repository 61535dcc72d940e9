import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { fences } from '../support/fences.ts';
import { readDocument } from '../support/markdown.ts';
import { adminOf, expectStatus, follow, type Person, personWithRole } from '../support/people.ts';

/** POST /admin/collection/:name/rules/test */
onEveryStorage('a test of rules', (world) => {
  const asAdmin = (method: string, url: string, body?: unknown) =>
    world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
  const setRules = (name: string, body: unknown) =>
    expectStatus(asAdmin('PUT', `/admin/collection/${name}/rules`, body), 200);
  const call = ({ token }: { token: string }, method: string, url: string, body?: unknown) =>
    world.call(method, url, { token, ...(body === undefined ? {} : { body }) });
  const add = async (person: { token: string }, collection: string, body: unknown): Promise<string> =>
    (await expectStatus(call(person, 'POST', `/document/${collection}`, body), 200)).data.id;
  const test = async (collection: string, body: object) =>
    (await expectStatus(asAdmin('POST', `/admin/collection/${collection}/rules/test`, body), 200)).data;
  // biome-ignore lint/suspicious/noExplicitAny: members depend on the kind
  const kinds = ({ because }: { because: any[] }) => because.map(({ kind }) => kind);

  async function scene() {
    const [tasks, ann, bob] = [await world.collection(), await world.user(), await world.user()];
    const id = await add(ann, tasks, { n: 1 });
    const ask = (person: Person | null, action: string, more: object = {}) =>
      test(tasks, { user: person?.name ?? null, action, document: id, ...more });
    return { tasks, ann, bob, id, ask };
  }

  it('names the author, or that nothing gives the right', async () => {
    const { tasks, ann, bob, id, ask } = await scene();
    const about = { right: 'delete', document: id, collection: tasks };
    expect(await ask(ann, 'delete')).toEqual({
      allowed: true,
      because: [{ ...about, kind: 'author', text: `${ann.name} is the author of the document.` }],
    });
    expect((await call(ann, 'GET', `/document/${tasks}/${id}`)).status).toBe(200);
    const text = `No grant, rule or parent gives ${bob.name} the right "delete" on the document.`;
    expect(await ask(bob, 'delete')).toEqual({
      allowed: false,
      because: [{ ...about, kind: 'missing', code: 'access.denied', text }],
    });
    expect(await ask(null, 'read')).toMatchObject({ allowed: false, because: [{ kind: 'missing' }] });
    expect(await ask(null, 'update')).toMatchObject({ allowed: false, because: [{ code: 'auth.required' }] });
  });

  it('says that a suspended user can do nothing', async () => {
    const { ann, ask } = await scene();
    await expectStatus(asAdmin('PUT', `/admin/user/suspend/${ann.name}`), 200);
    for (const action of ['read', 'update']) {
      const because = [{ kind: 'error', code: 'session.invalid', text: expect.stringContaining('is suspended') }];
      expect(await ask(ann, action)).toMatchObject({ allowed: false, because });
    }
  });

  it('names administrators and BackOffice users, grants and followers', async () => {
    const { tasks, ann, bob, id, ask } = await scene();
    const office = await personWithRole(world, 'BackOffice');
    expect(await ask(office, 'update')).toMatchObject({ allowed: true, because: [{ kind: 'privileged' }] });
    const group = (await expectStatus(call(ann, 'POST', '/group', { name: 'Team' }), 201)).data.id;
    for (const to of [`user/${bob.name}`, 'role/registereduser', `group/${group}`]) {
      await expectStatus(call(ann, 'PUT', `/document/${tasks}/${id}/read/${to}`), 200);
    }
    expect(await ask(bob, 'read')).toMatchObject({
      allowed: true,
      because: [
        {
          kind: 'grant',
          to: { kind: 'user', name: bob.name },
          text: `The right "read" was granted to the user ${bob.name}.`,
        },
        { kind: 'grant', to: { kind: 'role', name: 'registereduser' } },
      ],
    });
    const own = await add(bob, tasks, {});
    await follow(world, ann, bob);
    expect(await test(tasks, { user: ann.name, action: 'read', document: own })).toMatchObject({
      allowed: true,
      because: [{ kind: 'follower', text: `${ann.name} follows the author, ${bob.name}.` }],
    });
    expect(kinds(await ask(bob, 'update'))).toEqual(['missing']);
  });

  it('names the rules that apply to the document, with their conditions', async () => {
    const { tasks, bob, ask } = await scene();
    const rule = (condition: string) => ({ role: 'registereduser', if: condition });
    await setRules(tasks, { read: [rule('n = 1'), rule('n = 2'), rule('caller.name in editors'), 'BackOffice'] });
    expect(await ask(bob, 'read')).toMatchObject({
      allowed: true,
      because: [
        {
          kind: 'rule',
          role: 'registereduser',
          expression: 'n = 1',
          text: `The rule "read" of ${tasks} allows it to "registereduser" if n = 1.`,
        },
      ],
    });
    await setRules(tasks, { read: ['anonymous'] });
    expect((await ask(null, 'read')).because).toMatchObject([{ kind: 'rule', role: 'anonymous' }]);
    expect(kinds(await ask(bob, 'update'))).toEqual(['missing']);
  });

  it('names the rule for creating, or its absence', async () => {
    const { tasks, ann } = await scene();
    const ask = (content: object, user: string | null = ann.name) => test(tasks, { user, action: 'create', content });
    expect(await ask({})).toMatchObject({
      allowed: true,
      because: [{ kind: 'rule', role: 'registereduser', document: null }],
    });
    expect(await ask({}, null)).toMatchObject({ allowed: false, because: [{ kind: 'error', code: 'auth.required' }] });
    await setRules(tasks, { create: [{ role: 'registereduser', if: "state = 'open'" }] });
    expect(await ask({ state: 'open' })).toMatchObject({ allowed: true, because: [{ expression: "state = 'open'" }] });
    expect(await ask({ state: 'done' })).toMatchObject({
      allowed: false,
      because: [{ kind: 'missing', text: `No rule of ${tasks} allows ${ann.name} to create this document.` }],
    });
    await expectStatus(asAdmin('PUT', `/admin/collection/${tasks}/schema`, { required: ['title'] }), 200);
    expect((await ask({ state: 'open' })).because).toMatchObject([{ kind: 'error', code: 'document.invalid' }]);
    expect((await call(ann, 'GET', `/document/${tasks}`)).data).toHaveLength(1);
  });

  it('names the check that refuses a write, and changes nothing', async () => {
    const { tasks, ann, id, ask } = await scene();
    const check = { create: 'new.n > 5', update: 'new.n > old.n', delete: 'old.n = 9' };
    await setRules(tasks, { check, messages: { update: 'Only more' } });
    const refused = (right: 'create' | 'update' | 'delete') => ({
      allowed: false,
      because: [{ kind: 'check', right, expression: check[right], code: 'rule.refused' }],
    });
    expect(await ask(ann, 'update')).toMatchObject(refused('update'));
    expect(await ask(ann, 'update', { content: { n: 0 } })).toMatchObject(refused('update'));
    expect(await ask(ann, 'update', { content: { n: 2 } })).toMatchObject({
      allowed: true,
      because: [{ kind: 'author' }],
    });
    expect(await ask(ann, 'delete')).toMatchObject(refused('delete'));
    expect(await test(tasks, { user: ann.name, action: 'create', content: { n: 5 } })).toMatchObject(refused('create'));
    expect((await call(ann, 'GET', `/document/${tasks}/${id}`)).data).toMatchObject({ n: 1, '@version': 1 });
    await setRules(tasks, { check: { delete: 'old.n = 1' } });
    expect(await ask(ann, 'delete')).toMatchObject({ allowed: true });
    expect((await call(ann, 'GET', `/document/${tasks}/${id}`)).data).toMatchObject({ n: 1, '@version': 1 });
  });

  describe('with parents', () => {
    async function board() {
      const [boards, tasks, notes] = [await world.collection(), await world.collection(), await world.collection()];
      await setRules(tasks, {
        parent: {
          field: 'board',
          collection: boards,
          create: 'update',
          read: 'read',
          update: 'update',
          onDelete: 'cascade',
        },
      });
      await setRules(notes, { parent: { field: 'task', collection: tasks, create: 'read', read: 'read' } });
      const [ann, bob, eve] = [await world.user(), await world.user(), await world.user()];
      const id = await add(ann, boards, {});
      const task = await add(ann, tasks, { board: id });
      const note = await add(ann, notes, { task });
      const share = (right: string) =>
        expectStatus(call(ann, 'PUT', `/document/${boards}/${id}/${right}/user/${bob.name}`), 200);
      return { boards, tasks, notes, ann, bob, eve, id, task, note, share };
    }

    it('names them, and the grant on the first of them, as the reference shows', async () => {
      const { boards, tasks, bob, id, task, share } = await board();
      await share('update');
      const found = await test(tasks, { user: bob.name, action: 'update', document: task });
      const { text = '' } =
        fences(readDocument('docs/api-collections.md')).find(({ info }) => info === 'json test') ?? {};
      const named = { ann: bob.name, boards, tasks, '<board>': id, '<task>': task };
      const expected = Object.entries(named).reduce((all, [name, value]) => {
        return name.startsWith('<')
          ? all.replaceAll(name, value)
          : all.replace(new RegExp(`\\b${name}\\b`, 'g'), value);
      }, text);
      expect(found).toEqual(JSON.parse(expected));
    });

    it('names each of several, and who lacks the right', async () => {
      const { notes, tasks, boards, bob, eve, id, task, note, share } = await board();
      await share('read');
      const read = await test(notes, { user: bob.name, action: 'read', document: note });
      expect(read.because).toMatchObject([
        { kind: 'parent', document: note, collection: notes },
        { kind: 'parent', document: task, collection: tasks },
        { kind: 'grant', document: id, collection: boards },
      ]);
      expect(kinds(await test(notes, { user: eve.name, action: 'read', document: note }))).toEqual(['missing']);
      const create = (person: Person, content: object) => test(tasks, { user: person.name, action: 'create', content });
      expect(await create(bob, { board: id })).toMatchObject({
        allowed: false,
        because: [{ kind: 'parent', code: 'access.denied' }],
      });
      expect(await create(eve, { board: id })).toMatchObject({
        allowed: false,
        because: [{ kind: 'parent', code: 'document.parent_invalid' }],
      });
      await share('update');
      expect(await create(bob, { board: id })).toMatchObject({
        allowed: true,
        because: [
          { kind: 'rule' },
          { kind: 'parent', right: 'create' },
          { kind: 'grant', document: id, right: 'update' },
        ],
      });
    });

    it('undoes a deletion with everything below', async () => {
      const { boards, tasks, ann, id } = await board();
      expect(await test(boards, { user: ann.name, action: 'delete', document: id })).toMatchObject({ allowed: true });
      expect((await call(ann, 'GET', `/document/${tasks}`)).data).toHaveLength(1);
      expect((await call(ann, 'GET', `/document/${boards}`)).data).toHaveLength(1);
    });
  });

  it('refuses what is not a test, and unknown names', async () => {
    const { tasks, ann, id } = await scene();
    const url = `/admin/collection/${tasks}/rules/test`;
    for (const [body, path] of [
      [[], ''],
      [{ action: 'grant', document: id }, '/action'],
      [{ action: 'read' }, '/document'],
      [{ action: 'create', document: id }, '/document'],
      [{ action: 'read', document: id, user: 7 }, '/user'],
      [{ action: 'read', document: id, content: {} }, '/content'],
      [{ action: 'create', content: [] }, '/content'],
      [{ action: 'create', as: 'ann' }, '/as'],
    ] as const) {
      const answer = await asAdmin('POST', url, body);
      expectFailure(answer, 400);
      expect(answer.body).toMatchObject({ code: 'input.invalid', errors: [{ path }] });
    }
    const missing = async (where: string, body: object) => (await asAdmin('POST', where, body)).body.code;
    expect(await missing(url, { user: 'nobody', action: 'create' })).toBe('user.not_found');
    expect(await missing(url, { action: 'read', document: 'x' })).toBe('document.not_found');
    expect(await missing(url, { action: 'read', document: '01a1fd58-41c7-732d-bb2d-e08aaf5ea15c' })).toBe(
      'document.not_found',
    );
    expect(await missing('/admin/collection/nothing/rules/test', { action: 'create' })).toBe('collection.not_found');
    expectFailure(await world.call('POST', url, { token: ann.token, body: { action: 'create' } }), 403);
    expectFailure(await world.call('POST', url, { body: { action: 'create' } }), 401);
  });
});
