import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, newUser, uuid } from './fixtures.ts';

export function usersContract(current: () => Storage): void {
  it('gives back every field as it was stored', async () => {
    const {
      key: _key,
      passwordHash: _hash,
      ...record
    } = newUser('Zoë', {
      status: 'SUSPENDED',
      generated: true,
      role: 'administrator',
      sections: {
        visibleByTheUser: '{"email":"z@example.com"}',
        visibleByFriend: '{"b":1,"a":[null,1.5]}',
        visibleByRegisteredUsers: '{"":"😀"}',
        visibleByAnonymousUsers: '{"10":1,"2":2}',
      },
    });
    expect(await current().users.add({ ...record, key: 'zoë', passwordHash: null })).toBe(true);
    expect(await current().users.find(record.id)).toEqual(record);
    expect(await current().users.findByKey('zoë')).toEqual(record);
  });

  it('knows nobody by an unknown id or key', async () => {
    expect(await current().users.find(uuid())).toBeNull();
    expect(await current().users.findByKey('nobody')).toBeNull();
    expect(await current().users.credentials('nobody')).toBeNull();
  });

  it('keeps what a sign-in needs', async () => {
    const user = await addUser(current(), 'Ann', { passwordHash: '$argon2id$…' });
    expect(await current().users.credentials('ann')).toEqual({
      id: user.id,
      name: 'Ann',
      role: 'registereduser',
      status: 'ACTIVE',
      passwordHash: '$argon2id$…',
    });
  });

  it('never gives the password hash with the record', async () => {
    const user = await addUser(current(), 'Ann', { passwordHash: 'canary-hash' });
    expect(JSON.stringify(await current().users.find(user.id))).not.toContain('canary-hash');
  });

  it('refuses a second user of one key and leaves the first alone', async () => {
    const first = await addUser(current(), 'Ann');
    expect(await current().users.add(newUser('ANN', { key: 'ann', created: NOW + 1 }))).toBe(false);
    expect((await current().users.findByKey('ann'))?.id).toBe(first.id);
  });

  it('lets exactly one of many concurrent users of one key in', async () => {
    const attempts = Array.from({ length: 50 }, (_, i) => current().users.add(newUser(`ann${i}`, { key: 'ann' })));
    const results = await Promise.all(attempts);
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('tells keys apart by code point', async () => {
    for (const key of ['a', 'á', 'a\u0301', 'ａ', '😀']) {
      expect(await current().users.add(newUser(key, { key }))).toBe(true);
    }
    expect((await current().users.findByKey('á'))?.name).toBe('á');
  });

  it('copies what it is given', async () => {
    const sections = { ...newUser('x').sections };
    const user = newUser('Ann', { sections });
    await current().users.add(user);
    Object.assign(sections, { visibleByFriend: '{"changed":true}' });
    expect((await current().users.find(user.id))?.sections.visibleByFriend).toBe('{}');
  });
}
