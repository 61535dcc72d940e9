import type { SocialLink, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, uuid } from './fixtures.ts';

export function socialLinksContract(current: () => Storage): void {
  const linkTo = (userId: string, more: Partial<SocialLink> = {}): SocialLink => ({
    network: 'google',
    personId: '1',
    userId,
    sealed: 'sealed',
    details: '{"name":"Zoë 😀"}',
    ...more,
  });
  const links = () => current().socialLinks;

  it('are found by person, and listed by user in the order of networks', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const google = linkTo(ann.id);
    const facebook = linkTo(ann.id, { network: 'facebook' });
    expect(await links().put(google)).toBe(true);
    expect(await links().put(facebook)).toBe(true);
    expect(await links().put(linkTo(bob.id, { personId: '2' }))).toBe(true);
    expect(await links().find('google', '1')).toEqual(google);
    expect(await links().find('facebook', '1')).toEqual(facebook);
    expect(await links().find('google', '3')).toBeNull();
    expect(await links().find('Google', '1')).toBeNull();
    expect(await links().list(ann.id)).toEqual([facebook, google]);
    expect(await links().list(uuid())).toEqual([]);
  });

  it('compare ids of persons by code point', async () => {
    const ann = await addUser(current(), 'Ann');
    await links().put(linkTo(ann.id, { personId: 'Ab' }));
    for (const personId of ['ab', 'AB', 'Ab ', 'A_', '%']) expect(await links().find('google', personId)).toBeNull();
  });

  it('are updated', async () => {
    const ann = await addUser(current(), 'Ann');
    await links().put(linkTo(ann.id));
    const newer = linkTo(ann.id, { sealed: 'newer', details: '{}' });
    expect(await links().put(newer)).toBe(true);
    expect(await links().list(ann.id)).toEqual([newer]);
  });

  it('are replaced by a link to another person of the same network', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await links().put(linkTo(ann.id));
    const other = linkTo(ann.id, { personId: '2', sealed: 'other' });
    expect(await links().put(other)).toBe(true);
    expect(await links().list(ann.id)).toEqual([other]);
    expect(await links().find('google', '1')).toBeNull();
    expect(await links().put(linkTo(bob.id))).toBe(true);
  });

  it('are refused for a person who is linked to another user, and then change nothing', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const [first, second] = [linkTo(ann.id), linkTo(bob.id, { personId: '2' })];
    await links().put(first);
    await links().put(second);
    expect(await links().put(linkTo(bob.id, { sealed: 'stolen' }))).toBe(false);
    expect(await links().find('google', '1')).toEqual(first);
    expect(await links().list(bob.id)).toEqual([second]);
    // The transaction can continue, because no statement has failed.
    const after = await current().transaction(async (stores) => {
      expect(await stores.socialLinks.put(linkTo(bob.id, { sealed: 'stolen' }))).toBe(false);
      return stores.socialLinks.list(bob.id);
    });
    expect(after).toEqual([second]);
  });

  it('are given to exactly one of many users who link a person concurrently', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, (_, i) => addUser(current(), `User ${i}`)));
    const taken = await Promise.all(users.map(({ id }) => links().put(linkTo(id))));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const holder = users[taken.indexOf(true)];
    expect((await links().find('google', '1'))?.userId).toBe(holder?.id);
    const all = await Promise.all(users.map(({ id }) => links().list(id)));
    expect(all.flat()).toHaveLength(1);
  });

  it('are given to one of many users also when each replaces another link', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, (_, i) => addUser(current(), `User ${i}`)));
    await Promise.all(users.map(({ id }, i) => links().put(linkTo(id, { personId: `own ${i}` }))));
    const taken = await Promise.all(users.map(({ id }) => links().put(linkTo(id))));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const lists = await Promise.all(users.map(({ id }) => links().list(id)));
    expect(lists.map((list) => list.length)).toEqual(users.map(() => 1));
  });

  it('need an existing user', async () => {
    await expect(links().put(linkTo(uuid()))).rejects.toMatchObject({ code: 'user.not_found' });
    expect(await links().find('google', '1')).toBeNull();
  });

  it('are removed once', async () => {
    const ann = await addUser(current(), 'Ann');
    await links().put(linkTo(ann.id));
    await links().put(linkTo(ann.id, { network: 'facebook' }));
    expect(await links().remove(ann.id, 'openid')).toBe(false);
    const removed = await Promise.all(Array.from({ length: 5 }, () => links().remove(ann.id, 'google')));
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect((await links().list(ann.id)).map(({ network }) => network)).toEqual(['facebook']);
  });

  it('are removed with their user, and no others are', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await links().put(linkTo(ann.id));
    await links().put(linkTo(bob.id, { personId: '2' }));
    await current().users.remove(ann.id);
    expect(await links().find('google', '1')).toBeNull();
    expect(await links().find('google', '2')).not.toBeNull();
  });

  it('are rolled back with their transaction', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await links().put(linkTo(ann.id));
    const work = current().transaction(async (stores) => {
      await stores.socialLinks.put(linkTo(ann.id, { personId: '2' }));
      await stores.socialLinks.put(linkTo(bob.id));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await links().list(ann.id)).toEqual([linkTo(ann.id)]);
    expect(await links().list(bob.id)).toEqual([]);
  });
}
