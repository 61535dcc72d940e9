import type { SessionEvent } from '@baobab/client';
import { expect, it } from 'vitest';
import { codeOf } from '../support/client-failures.ts';
import { nameOf, onEveryService, PASSWORD } from '../support/client-service.ts';

onEveryService('guests of an app', (service) => {
  const allow = async (value: boolean) =>
    (await service.admin()).admin.settings.set('Application', 'guests.allowed', value);

  it('stay with a name and a password, and keep what is theirs', async () => {
    const client = service.client();
    expect(await codeOf(client.auth.signUpGuest())).toBe('guest.disabled');
    await allow(true);
    const guest = await client.auth.signUpGuest();
    expect([guest.guest, nameOf(client)]).toEqual([true, guest.user.name]);
    const notes = client.collection(await service.collection());
    const { id } = await notes.create({ text: 'mine' });

    const events: [SessionEvent, string | undefined][] = [];
    client.auth.onChange((session, event) => events.push([event, session?.user.username]));
    const username = service.unique('gina');
    const profile = await client.auth.makePermanent({ username, password: PASSWORD });
    expect([profile.id, profile.user.name, 'guest' in profile]).toEqual([guest.id, username, false]);
    expect([nameOf(client), events]).toEqual([username, [['login', username]]]);
    expect(await codeOf(client.auth.makePermanent({ username, password: PASSWORD }))).toBe('guest.required');

    const other = service.client();
    await other.auth.login({ username, password: PASSWORD });
    expect(await other.collection(notes.name).get(id)).toMatchObject({ text: 'mine', _author: username });
    await allow(false);
  });

  it('are told when a name is taken, and go on as guests', async () => {
    await allow(true);
    const [client, ann] = [service.client(), await service.user()];
    await client.auth.signUpGuest();
    const name = nameOf(client);
    expect(await codeOf(client.auth.makePermanent({ username: nameOf(ann), password: PASSWORD }))).toBe('user.exists');
    expect([nameOf(client), (await client.users.me()).guest]).toEqual([name, true]);
    await allow(false);
  });

  it('are permanent after a lost answer too', async () => {
    await allow(true);
    let isLost = false;
    const lossy: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (isLost || init?.method !== 'PUT') return answer;
      isLost = true;
      throw new TypeError('the connection was lost');
    };
    const client = service.client({ fetch: lossy });
    await client.auth.signUpGuest();
    const username = service.unique('gus');
    expect((await client.auth.makePermanent({ username, password: PASSWORD })).user.name).toBe(username);
    expect([isLost, nameOf(client)]).toEqual([true, username]);
    await allow(false);
  });
});
