import { isBaobabError } from '@baobab/client';
import { expect, it } from 'vitest';
import { nameOf, onEveryService } from '../support/client-service.ts';

const codeOf = async (call: Promise<unknown>) => {
  try {
    return await call;
  } catch (error) {
    return isBaobabError(error) ? error.code : error;
  }
};

async function namesIn(rows: AsyncIterable<{ readonly user: { readonly name: string } }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { user } of rows) names.push(user.name);
  return names;
}

onEveryService('people through the client', (service) => {
  it('have profiles, which others see in part and find', async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    const city = service.unique('Turin');
    const profile = await ann.users.updateMe({ visibleByRegisteredUsers: { city }, visibleByTheUser: { diary: 'x' } });
    expect(await ann.users.me()).toEqual(profile);
    expect(await bob.users.get(nameOf(ann))).toMatchObject({
      visibleByTheUser: null,
      visibleByRegisteredUsers: { city },
    });
    const found = bob.users.query().where('visibleByRegisteredUsers.city = ?', city);
    expect(await namesIn(found)).toEqual([nameOf(ann)]);
    expect([await found.count(), await found.select('user.name').list()]).toEqual([1, [{ 'user.name': nameOf(ann) }]]);
    expect([await bob.users.exists(nameOf(ann)), await bob.users.exists(service.unique('nobody'))]).toEqual([
      true,
      false,
    ]);
  });

  it('follow each other, with consent', async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    const [a, b] = [nameOf(ann), nameOf(bob)];
    expect(await bob.following.follow(a)).toBe('following');
    expect(await codeOf(bob.following.follow(a))).toBe('follow.exists');
    expect([await namesIn(bob.following.following()), await namesIn(ann.following.followers())]).toEqual([[a], [b]]);
    expect([await namesIn(ann.following.following(b)), await namesIn(bob.following.followers(a))]).toEqual([[a], [b]]);
    await ann.following.removeFollower(b);
    expect(await ann.following.policy()).toBeNull();
    await ann.following.setPolicy('approve');
    expect(await ann.following.policy()).toBe('approve');
    expect(await bob.following.follow(a)).toBe('requested');
    expect(await namesIn(ann.following.requests())).toEqual([b]);
    await ann.following.decline(b);
    await bob.following.follow(a);
    await ann.following.accept(b);
    expect(await namesIn(ann.following.followers())).toEqual([b]);
    await bob.following.unfollow(a);
    expect(await codeOf(bob.following.unfollow(a))).toBe('follow.not_found');
  });

  it('block each other', async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    await ann.following.block(nameOf(bob));
    await ann.following.block(nameOf(bob));
    expect(await codeOf(bob.users.get(nameOf(ann)))).toBe('user.not_found');
    expect(await namesIn(ann.following.blocked())).toEqual([nameOf(bob)]);
    await ann.following.unblock(nameOf(bob));
    expect((await bob.users.get(nameOf(ann))).user.name).toBe(nameOf(ann));
  });

  it('form groups', async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    const group = await ann.groups.create('family');
    expect(group).toEqual({ id: group.id, name: 'family', role: 'owner' });
    expect(await ann.groups.setMember(group.id, nameOf(bob))).toEqual({ status: 'invited' });
    const invited = { role: 'member', invited_by: nameOf(ann) };
    expect((await ann.groups.invited(group.id).page()).rows).toEqual([{ name: nameOf(bob), ...invited }]);
    const shown = { id: group.id, name: 'family' };
    expect((await bob.groups.invitations().page()).rows).toEqual([{ group: shown, ...invited }]);
    await bob.groups.decline(group.id);
    expect(await codeOf(bob.groups.accept(group.id))).toBe('group.invitation_not_found');
    expect(await bob.groups.policy()).toBeNull();
    await bob.groups.setPolicy('nobody');
    expect(await codeOf(ann.groups.setMember(group.id, nameOf(bob)))).toBe('group.add_refused');
    await bob.groups.setPolicy('approve');
    await ann.groups.setMember(group.id, nameOf(bob));
    expect(await bob.groups.accept(group.id)).toEqual({ ...group, role: 'member' });
    expect(await ann.groups.setMember(group.id, nameOf(bob), 'manager')).toEqual({
      name: nameOf(bob),
      role: 'manager',
    });
    const members = [];
    for await (const member of ann.groups.members(group.id)) members.push(member);
    expect(members).toEqual([
      { name: nameOf(ann), role: 'owner' },
      { name: nameOf(bob), role: 'manager' },
    ]);
    expect(await bob.groups.list()).toEqual([{ ...group, role: 'manager' }]);
    expect(await bob.groups.rename(group.id, 'friends')).toMatchObject({ name: 'friends' });
    expect(await ann.groups.get(group.id)).toEqual({ ...group, name: 'friends' });
    await bob.groups.removeMember(group.id, nameOf(bob));
    const { id: invitation, code } = await ann.groups.invite(group.id, { uses: 2 });
    expect(await bob.groups.invitation(code)).toMatchObject({ group: { name: 'friends' }, invited_by: nameOf(ann) });
    expect(await bob.groups.join(code)).toMatchObject({ id: group.id, role: 'member' });
    expect((await ann.groups.codes(group.id).page()).rows).toMatchObject([{ id: invitation, uses: 1 }]);
    await ann.groups.endCode(group.id, invitation);
    await bob.groups.removeMember(group.id, nameOf(bob));
    expect(await codeOf(bob.groups.join(code))).toBe('invitation.invalid');
    expect(await codeOf(bob.groups.get(group.id))).toBe('group.not_found');
    await ann.groups.remove(group.id);
    expect(await ann.groups.list()).toEqual([]);
  });

  it('log in with a social network, and are linked to it', async () => {
    const { admin } = await service.admin();
    await admin.settings.set('Social', 'social.google.enabled', true);
    await admin.settings.set('Social', 'social.google.token', 'app');
    // Tokens are issued by the network of the first node.
    const { google } = service.backend.networks;
    const issued = (id: string) => ({ oauth_token: google.issue({ person: { id, name: 'Ann' }, clientId: 'app' }) });
    const id = service.unique('person');
    const client = service.client(service.onFirstNode);
    const profile = await client.auth.loginWith('google', issued(id));
    expect([profile.generated_username, nameOf(client)]).toEqual([true, profile.user.name]);
    expect((await client.auth.connections()).map(({ from, id: known }) => [from, known])).toEqual([['google', id]]);
    expect(await codeOf(client.auth.unlink('google'))).toBe('social.last_link');
    expect(await codeOf(client.auth.loginWith('google', { oauth_token: 'forged' }))).toBe('social.refused');
    expect(await codeOf(client.auth.loginWith('nowhere', { oauth_token: 'x' }))).toBe('social.network_unknown');

    const other = await service.user(service.onFirstNode);
    expect(await other.auth.connections()).toEqual([]);
    await other.auth.link('google', issued(service.unique('person')));
    expect((await other.auth.connections()).length).toBe(1);
    expect(await codeOf(other.auth.link('google', issued(id)))).toBe('social.taken');
    await other.auth.unlink('google');
    expect(await codeOf(other.auth.unlink('google'))).toMatch(/^social\.(?:none|not_linked)$/);
  });
});
