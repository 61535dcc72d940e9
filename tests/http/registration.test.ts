import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs, setSettings } from '../support/people.ts';

onEveryStorage('closed registration', (world) => {
  const call: World['call'] = (...args) => world.call(...args);

  async function closed(work: () => Promise<void>): Promise<void> {
    await setSettings(world, 'Application', { 'registration.open': false });
    try {
      await work();
    } finally {
      await setSettings(world, 'Application', { 'registration.open': true });
    }
  }

  describe('POST /user', () => {
    it('is 403, whatever the name and the credentials, and stores nothing', async () => {
      const ann = await world.user();
      const name = world.unique('late');
      await closed(async () => {
        for (const [username, options] of [
          [name, {}],
          [ann.name, {}],
          ['admin', {}],
          ['', {}],
          [name, { token: ann.token }],
          [name, { basic: adminOf(world) }],
        ] as const) {
          const refused = await call('POST', '/user', { ...options, body: { username, password: 'secret' } });
          expectFailure(refused, 403);
          expect(refused.body.code).toBe('registration.closed');
        }
        await loginAs(world, ann.name);
      });
      expectFailure(await call('GET', `/user/${name}`), 404);
      await world.user(name);
    });

    it('lets administrators create users, who log in', async () => {
      await closed(async () => {
        const username = world.unique('invited');
        const body = { username, password: 'secret' };
        await expectStatus(call('POST', '/admin/user', { basic: adminOf(world), body }), 201);
        await loginAs(world, username);
      });
    });
  });

  describe('POST /social/:network', () => {
    it('is 403 for persons without a user, and logs in the others', async () => {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'client-id' });
      const proofOf = (id: string) => {
        const oauth_token = world.backend.networks.google.issue({ person: { id }, clientId: 'client-id' });
        return { oauth_token, oauth_secret: oauth_token };
      };
      const login = (id: string) => call('POST', '/social/google', { body: proofOf(id) });
      const [known, linked, unknown] = ['a', 'b', 'c'].map((tag) => world.unique(`person-${tag}`)) as [
        string,
        string,
        string,
      ];
      const first = await expectStatus(login(known), 200);
      const ann = await world.user();
      await closed(async () => {
        const refused = await login(unknown);
        expectFailure(refused, 403);
        expect(refused.body.code).toBe('registration.closed');
        expect((await expectStatus(login(known), 200)).data.id).toBe(first.data.id);
        await expectStatus(call('PUT', '/social/google', { token: ann.token, body: proofOf(linked) }), 200);
        expect((await expectStatus(login(linked), 200)).data.id).toBe(ann.id);
      });
      const opened = await expectStatus(login(unknown), 200);
      expect([first.data.id, ann.id]).not.toContain(opened.data.id);
    });
  });
});
