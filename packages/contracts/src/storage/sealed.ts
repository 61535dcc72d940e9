import { SEALED_KINDS, type SealedKind, type SealedValue, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addFactor, addUser, NOW, uuid } from './fixtures.ts';
import { newWebhook } from './webhook-fixtures.ts';

const MANY = 100;

/** Stores values of every kind for two users. Resolves to the sealed texts by kind. */
async function addValues(storage: Storage): Promise<Record<SealedKind, string[]>> {
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  await addFactor(storage, ann.id, ['code 1', 'code 2']);
  await storage.factors.prepare(bob.id, 'not confirmed');
  const first = newWebhook({ secret: 'secret 1' });
  await storage.webhooks.add(first, MANY);
  await storage.webhooks.add(newWebhook({ secret: 'secret 2' }), MANY);
  await storage.webhooks.rotate(first.id, 'secret 3', NOW + 1_000);
  await storage.settings.set({ key: 'a.secret', value: 'hidden' });
  await storage.settings.set({ key: 'b.plain', value: 'seen' });
  await storage.settings.set({ key: 'c.unset', value: '' });
  for (const [network, user] of [
    ['google', ann],
    ['facebook', ann],
    ['google', bob],
  ] as const) {
    const personId = `${user.name} at "${network}"`;
    const link = {
      network,
      personId,
      userId: user.id,
      sealed: `token of ${personId}`,
      details: '{}',
    };
    await storage.socialLinks.put(link);
  }
  await storage.mails.add({
    id: uuid(),
    userId: ann.id,
    topic: 't',
    sealed: 'mail',
    created: NOW,
    expires: NOW + 1_000,
  });
  return {
    'TOTP secrets': ['not confirmed', 'sealed'],
    'recovery codes': ['code 1', 'code 2'],
    'secrets of webhooks': ['secret 2', 'secret 3'],
    'former secrets of webhooks': ['secret 1'],
    settings: ['hidden', 'seen'],
    'tokens of social networks': ['token of Ann at "facebook"', 'token of Ann at "google"', 'token of Bob at "google"'],
    mails: ['mail'],
  };
}

export function sealedContract(current: () => Storage): void {
  async function all(kind: SealedKind, limit = MANY): Promise<SealedValue[]> {
    const found: SealedValue[] = [];
    for (let after: string | null = null; ; ) {
      const page: SealedValue[] = await current().sealed.page(kind, after, limit);
      found.push(...page);
      if (page.length < limit) return found;
      after = page.at(-1)?.place ?? null;
    }
  }
  const textsOf = (values: readonly SealedValue[]) => values.map(({ sealed }) => sealed).toSorted();

  it.each(SEALED_KINDS)('%s are found page by page, each once', async (kind) => {
    expect(await all(kind)).toEqual([]);
    const stored = await addValues(current());
    for (const limit of [1, 2, MANY]) expect(textsOf(await all(kind, limit))).toEqual(stored[kind]);
    const places = (await all(kind)).map(({ place }) => place);
    expect(new Set(places).size).toBe(places.length);
  });

  it.each(SEALED_KINDS)('%s are replaced one by one, and nothing else changes', async (kind) => {
    const stored = await addValues(current());
    const [value] = await all(kind);
    if (value === undefined) throw new Error('nothing stored');
    expect(await current().sealed.replace(kind, value, 'new')).toBe(true);
    const others = stored[kind].filter((text) => text !== value.sealed);
    expect(textsOf(await all(kind))).toEqual([...others, 'new'].toSorted());
    for (const other of SEALED_KINDS) if (other !== kind) expect(textsOf(await all(other))).toEqual(stored[other]);
  });

  it.each(SEALED_KINDS)('%s are not replaced when another value is there now', async (kind) => {
    await addValues(current());
    const [value] = await all(kind);
    if (value === undefined) throw new Error('nothing stored');
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => current().sealed.replace(kind, value, `new ${i}`)),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await current().sealed.replace(kind, value, 'late')).toBe(false);
    expect(textsOf(await all(kind))).not.toContain('late');
  });

  it('the place of a setting is its key', async () => {
    await addValues(current());
    expect((await all('settings')).map(({ place }) => place)).toEqual(['a.secret', 'b.plain']);
  });

  it('values that were replaced are those that the other stores read', async () => {
    await addValues(current());
    for (const kind of SEALED_KINDS) {
      for (const value of await all(kind)) await current().sealed.replace(kind, value, `new ${value.sealed}`);
    }
    const ann = await current().users.findByKey('ann');
    const id = ann?.id ?? '';
    expect(await current().factors.find(id)).toEqual({ sealed: 'new sealed', confirmed: NOW });
    expect((await current().factors.recoveryCodes(id)).toSorted()).toEqual(['new code 1', 'new code 2']);
    expect(await current().factors.useRecoveryCode(id, 'new code 1')).toBe(true);
    expect(await current().factors.useStep({ userId: id, sealed: 'new sealed', step: 101 })).toBe(true);
    expect((await current().socialLinks.list(id)).map(({ sealed }) => sealed)).toEqual([
      'new token of Ann at "facebook"',
      'new token of Ann at "google"',
    ]);
    expect((await current().webhooks.list()).map(({ secret, previous }) => [secret, previous]).toSorted()).toEqual([
      ['new secret 2', null],
      ['new secret 3', 'new secret 1'],
    ]);
    const [mail] = await current().mails.claim({ now: NOW, until: NOW + 1, limit: 1 });
    expect(mail?.sealed).toBe('new mail');
  });

  it('are replaced together with the rest of a transaction, or not at all', async () => {
    await addValues(current());
    const [value] = await all('mails');
    if (value === undefined) throw new Error('nothing stored');
    const failed = current().transaction(async (stores) => {
      expect(await stores.sealed.replace('mails', value, 'new')).toBe(true);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await all('mails')).toEqual([value]);
  });
}
