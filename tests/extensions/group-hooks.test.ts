import { defineExtension, refuse } from '@baobab/server/extensions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { type ExtendedBackend, extended } from '../support/extensions.ts';

const seen: string[] = [];
let refuses = false;

const gate = defineExtension((app) => {
  app.before('group.join', {}, ({ username, caller }) => {
    seen.push(`${caller?.username} ${username}`);
    if (refuses) throw refuse('The group is full', { code: 'group.full', status: 409 });
  });
});
const REFUSED = { code: 'group.full', status: 409 };

describe.each(Object.entries(STORAGES))('hooks before memberships, on %s', (_name, open) => {
  let storage: TestStorage;
  let on: ExtendedBackend;
  let host: Awaited<ReturnType<ExtendedBackend['user']>>['client'];
  let guest: typeof host;
  let group: string;

  beforeAll(async () => {
    storage = await open();
    on = await extended([gate], { databaseUrl: storage.url });
    host = (await on.user('Host')).client;
    guest = (await on.user('Ivo')).client;
  });
  afterAll(async () => {
    await on.close();
    await storage.dispose();
  });
  beforeEach(async () => {
    refuses = false;
    group = (await host.groups.create('a group')).id;
    seen.length = 0;
  });

  const membersOf = async () => (await host.groups.members(group).page()).rows.map(({ name }) => name);

  it('do not run for strangers, unknown users or groups, and changes of a role', async () => {
    await expect(guest.groups.setMember(group, 'Host', 'member')).rejects.toMatchObject({ code: 'group.not_found' });
    await expect(guest.groups.setMember(group, 'Ivo', 'member')).rejects.toMatchObject({ code: 'group.not_found' });
    await expect(host.groups.setMember(group, 'nobody', 'member')).rejects.toMatchObject({ code: 'user.not_found' });
    await expect(guest.groups.accept(group)).rejects.toMatchObject({ code: 'group.invitation_not_found' });
    await expect(guest.groups.join('no such code')).rejects.toMatchObject({ code: 'invitation.invalid' });
    expect(seen).toEqual([]);
    await on.admin.groups.setMember(group, 'ivo', 'member');
    await on.admin.groups.setMember(group, 'ivo', 'manager');
    expect(seen).toEqual(['admin Ivo']);
  });

  it('see the stored name, not the one that the caller typed, and keep a refused user out', async () => {
    refuses = true;
    await expect(on.admin.groups.setMember(group, 'IVO', 'member')).rejects.toMatchObject(REFUSED);
    expect(seen).toEqual(['admin Ivo']);
    expect(await membersOf()).toEqual(['Host']);
  });

  it('precede an invitation and its acceptance, and leave both as they were', async () => {
    refuses = true;
    await expect(host.groups.setMember(group, 'Ivo', 'member')).rejects.toMatchObject(REFUSED);
    expect((await guest.groups.invitations().page()).rows).toEqual([]);
    refuses = false;
    expect(await host.groups.setMember(group, 'Ivo', 'member')).toMatchObject({ status: 'invited' });
    refuses = true;
    await expect(guest.groups.accept(group)).rejects.toMatchObject(REFUSED);
    refuses = false;
    await guest.groups.accept(group);
    expect(await membersOf()).toEqual(['Host', 'Ivo']);
    expect(seen).toEqual(['Host Ivo', 'Host Ivo', 'Ivo Ivo', 'Ivo Ivo']);
  });

  it('leave an invitation code unused', async () => {
    const { code } = await host.groups.invite(group);
    refuses = true;
    await expect(guest.groups.join(code)).rejects.toMatchObject(REFUSED);
    refuses = false;
    await guest.groups.join(code);
    expect(seen).toEqual(['Ivo Ivo', 'Ivo Ivo']);
    expect(await membersOf()).toEqual(['Host', 'Ivo']);
  });
});
