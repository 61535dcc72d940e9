import { defineExtension, refuse } from '@baobab/server/extensions';
import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExtendedBackend, extended } from '../support/extensions.ts';

const guarded = defineExtension((app) => {
  app.before('user.create', {}, (event) => {
    if (event.username?.startsWith('bad')) throw refuse('This name is taken', { code: 'name.bad', status: 409 });
    event.content.visibleByTheUser = { plan: 'free' };
  });
  app.before('user.login', {}, async ({ username, data, caller }) => {
    const found = await data.admin.users.get(username);
    if (found.user.name !== caller?.username) throw new Error('the caller is who logs in');
    if (username.startsWith('late')) throw refuse('Your subscription has ended', { status: 402 });
  });
  app.before('file.create', {}, ({ contentType, size }) => {
    if (contentType !== 'text/plain' || size > 5) throw refuse('Short texts only', { status: 415 });
  });
  app.before('group.join', {}, ({ username, group }) => {
    if (username === 'loner') throw refuse(`Not into ${group}`);
  });
  app.before('document.create', { collection: 'slow', timeout: 20 }, () => new Promise(() => undefined));
});

describe('hooks before other writes', () => {
  let on: ExtendedBackend;
  beforeAll(async () => {
    on = await extended([guarded]);
  });
  afterAll(() => on.close());

  it('precede sign-ups, and may change the profile', async () => {
    await expect(on.user('bad1')).rejects.toMatchObject({ code: 'name.bad', status: 409 });
    const { client } = await on.user('ann');
    expect(await client.users.me()).toMatchObject({ visibleByTheUser: { plan: 'free' } });
    await expect(on.admin.admin.users.create({ username: 'bad2', password: 'a password' })).rejects.toMatchObject({
      code: 'name.bad',
    });
  });

  it('precede logins, with any method', async () => {
    await on.user('late1');
    const { client } = await on.user('bob');
    await client.auth.logout();
    await client.auth.login({ username: 'bob', password: 'a password' });
    const { status, body } = await on.call('POST', '/login', {
      body: { username: 'late1', password: 'a password' },
    });
    expect([status, body.code, body.message]).toEqual([402, 'extension.refused', 'Your subscription has ended']);
  });

  it('precede files, with what is known about them', async () => {
    const { token } = await on.user('files');
    const upload = async (text: string, type: string) => {
      const form = new FormData();
      form.set('file', new Blob([text], { type }), 'a.txt');
      const request = new Request('http://test.invalid', { method: 'POST', body: form });
      const answer = await on.backend.app.inject({
        method: 'POST',
        url: '/file',
        headers: { 'x-bb-session': token, 'content-type': request.headers.get('content-type') ?? '' },
        payload: Buffer.from(await request.arrayBuffer()),
      });
      return answer.statusCode;
    };
    expect([await upload('short', 'text/plain'), await upload('too long', 'text/plain')]).toEqual([201, 415]);
  });

  it('precede memberships, of whoever joins', async () => {
    const { client } = await on.user('host');
    await on.user('loner');
    const { id } = await client.groups.create('a group');
    await on.admin.groups.setMember(id, 'ann', 'member');
    await expect(on.admin.groups.setMember(id, 'loner', 'member')).rejects.toMatchObject({
      message: `Not into ${id}`,
    });
    // A member already.
    await on.admin.groups.setMember(id, 'ann', 'manager');
  });

  it('end with 503 if they take longer than they may', async () => {
    await on.admin.admin.collections.create('slow');
    const { token } = await on.user('waiting');
    const { status, body } = await on.call('POST', '/document/slow', { token, body: {} });
    expect([status, body.code]).toEqual([503, 'extension.timeout']);
    expect(on.log.some(({ level, values }) => level === 'error' && values.part === 'before document.create')).toBe(
      true,
    );
  });
});

describe('a declaration of a hook that is invalid', () => {
  it.each([
    ['document.write', {}, 'the events are document.create, '],
    ['document.create', { collections: 'a' }, 'there is no option "collections"'],
    ['user.create', { collection: 'a' }, 'only documents have a collection'],
    ['user.create', { timeout: 0 }, 'the timeout is between 1 and 30000 ms'],
  ])('stops the start: %s with %j', async (event, options, problem) => {
    const extension = defineExtension((app) => app.before(event as 'user.create', options as object, () => undefined));
    await expect(createTestBackend({ extensions: [extension] })).rejects.toThrow(`before "${event}": ${problem}`);
  });
});
