import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, type Person, personWithRole } from '../support/people.ts';

/** PUT /admin/collection/:name/rules?dry=true */
onEveryStorage('a dry run of rules', (world) => {
  const asAdmin = (method: string, url: string, body?: unknown) =>
    world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
  const dryRun = async (collection: string, rules: unknown) =>
    (await expectStatus(asAdmin('PUT', `/admin/collection/${collection}/rules?dry=true`, rules), 200)).data;
  const rulesOf = async (collection: string) =>
    (await expectStatus(asAdmin('GET', `/admin/collection/${collection}/rules`), 200)).data;
  async function add({ token }: { token: string }, collection: string, body: unknown): Promise<string> {
    return (await expectStatus(world.call('POST', `/document/${collection}`, { token, body }), 200)).data.id;
  }

  it('names the documents that violate the checks, and changes nothing', async () => {
    const [tasks, ann] = [await world.collection(), await world.user()];
    const good = await add(ann, tasks, { state: 'open' });
    const bad = await add(ann, tasks, { state: 'gone' });
    const none = await add(ann, tasks, {});
    const before = await rulesOf(tasks);
    const check = {
      create: "new.state = 'open' and old is null",
      update: 'new.state = old.state',
      delete: 'old.x = 1',
    };
    const rules = { check, messages: { create: 'Tasks begin open' }, read: ['anonymous'] };
    expect(await dryRun(tasks, rules)).toEqual({
      violations: 2,
      first: [
        { id: bad, errors: [{ path: '/check/create', message: 'Tasks begin open' }] },
        {
          id: none,
          errors: [
            { path: '/check/create', message: 'Tasks begin open' },
            { path: '/check/update', message: 'A rule of the collection does not allow this change' },
          ],
        },
      ],
    });
    expect(await rulesOf(tasks)).toEqual(before);
    expect((await world.call('GET', `/document/${tasks}`)).data).toEqual([]);
    expect((await world.call('PUT', `/document/${tasks}/${good}`, { token: ann.token, body: {} })).status).toBe(200);
    expect(await dryRun(tasks, {})).toEqual({ violations: 0, first: [] });
  });

  it('evaluates them for the author, with the parent in the new rules, and the stored checks', async () => {
    const [boards, tasks] = [await world.collection(), await world.collection()];
    const role = world.unique('Editors');
    await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
    const [ann, editor] = [await world.user(), await personWithRole(world, role)];
    const admin = { token: await world.admin() };
    const board = await add(ann, boards, { open: true });
    const idsOf = async (rules: unknown) => (await dryRun(tasks, rules)).first.map(({ id }: { id: string }) => id);
    const [a, b, c] = [
      await add(ann, tasks, { board }),
      await add(editor, tasks, { board }),
      await add(admin, tasks, {}),
    ];
    expect(await idsOf({ check: { update: `caller.roles contains '${role}'` } })).toEqual([a, c]);
    expect(await idsOf({ check: { update: 'new._author = caller.name' } })).toEqual([]);
    const check = { update: 'parent._author = caller.name' };
    expect(await idsOf({ check })).toEqual([a, b, c]);
    expect(await idsOf({ check, parent: { field: 'board', collection: boards } })).toEqual([b, c]);
    const set = (rules: unknown) => expectStatus(asAdmin('PUT', `/admin/collection/${tasks}/rules`, rules), 200);
    await set({ check });
    expect(await idsOf({ parent: { field: 'board', collection: boards } })).toEqual([b, c]);
  });

  it('counts all and names the first 20', async () => {
    const [tasks, ann] = [await world.collection(), await world.user()];
    const operations = Array.from({ length: 30 }, (_, n) => ({
      method: 'POST',
      path: `/document/${tasks}`,
      body: { n },
    }));
    await expectStatus(world.call('POST', '/batch', { token: ann.token, body: { operations } }), 200);
    const { violations, first } = await dryRun(tasks, { check: { update: 'new.n < 5' } });
    expect([violations, first.length]).toEqual([25, 20]);
  });

  it('refuses what the change would refuse', async () => {
    const [tasks, ann]: [string, Person] = [await world.collection(), await world.user()];
    const url = `/admin/collection/${tasks}/rules?dry=true`;
    for (const [body, code] of [
      [{ check: { update: 'x = 1' } }, 'criteria.invalid'],
      [{ read: ['nobody'] }, 'grant.role_unknown'],
      [{ messages: { update: 'No' } }, 'input.invalid'],
      [{ parent: { field: 'on', collection: tasks } }, 'input.invalid'],
    ] as const) {
      const answer = await asAdmin('PUT', url, body);
      expectFailure(answer, 400);
      expect(answer.body.code).toBe(code);
    }
    expectFailure(await asAdmin('PUT', '/admin/collection/nothing/rules?dry=true', {}), 404);
    expectFailure(await world.call('PUT', url, { token: ann.token, body: {} }), 403);
    expectFailure(await world.call('PUT', url, { body: {} }), 401);
  });
});
