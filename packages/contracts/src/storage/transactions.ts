import type { Signal, Storage } from '@baobab/core';
import { NOBODY } from '@baobab/core';
import { expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { addCollection, addUser, EVERYTHING, newDocument, newSession, newUser } from './fixtures.ts';

class Unrelated extends Error {}

export function transactionsContract(current: () => Storage): void {
  it('commits everything together and returns the result', async () => {
    const user = newUser('Ann');
    const session = newSession(user.id);
    const result = await current().transaction(async ({ users, sessions }) => {
      await users.add(user);
      await sessions.add(session);
      return (await sessions.find(session.id))?.user.name;
    });
    expect(result).toBe('Ann');
    expect(await current().sessions.find(session.id)).not.toBeNull();
  });

  it('rolls back everything when it rejects, with the error that was thrown', async () => {
    const collection = await addCollection(current(), 'books');
    const ann = await addUser(current(), 'Ann');
    const kept = newDocument(ann.id, collection);
    await current().documents.add(kept);
    const failure = new Unrelated();
    const attempt = current().transaction(async (stores) => {
      await addUser(stores, 'Bob');
      await stores.sessions.add(newSession(ann.id));
      await stores.documents.replace({ collection, id: kept.id }, EVERYTHING, {
        content: '{"x":1}',
        by: NOBODY,
        updated: 1,
        version: null,
      });
      await stores.documents.add(
        newDocument(ann.id, collection, { grants: [{ principal: 'r:anonymous', rights: 1 }] }),
      );
      await stores.collections.remove(collection);
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await current().users.findByKey('bob')).toBeNull();
    expect(await current().sessions.list(ann.id, 100)).toEqual([]);
    expect(await current().documents.find({ collection, id: kept.id }, EVERYTHING)).toMatchObject({
      version: 1,
      content: '{"a":1}',
    });
    expect(await current().documents.count(collection, EVERYTHING, null)).toBe(1);
  });

  it('is invisible to others before it commits', async () => {
    const user = newUser('Ann');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transaction = current().transaction(async ({ users }) => {
      await users.add(user);
      await held;
    });
    const seen = current().users.find(user.id);
    setTimeout(release, 50);
    const before = await seen;
    await transaction;
    // A reader that waits for the transaction sees all of it; one that does not wait sees nothing of it.
    expect([null, 'Ann']).toContain(before?.name ?? null);
    expect(await current().users.find(user.id)).not.toBeNull();
  });

  it('does not commit when `work` swallowed the failure of a store', async () => {
    const attempt = current().transaction(async (stores) => {
      await addUser(stores, 'Ann');
      await stores.sessions.add(newSession(newUser('ghost').id)).catch(() => undefined);
      await stores.users.findByKey('ann').catch(() => undefined);
    });
    await expect(attempt).rejects.toBeDefined();
    expect(await current().users.findByKey('ann')).toBeNull();
  });

  it('does not affect other transactions when it fails', async () => {
    const attempts = Array.from({ length: 20 }, (_, i) =>
      current().transaction(async (stores) => {
        await addUser(stores, `user${i}`);
        if (i % 2 === 0) throw new Unrelated();
      }),
    );
    const results = await Promise.allSettled(attempts);
    for (const [i, { status }] of results.entries()) {
      expect(status).toBe(i % 2 === 0 ? 'rejected' : 'fulfilled');
      expect((await current().users.findByKey(`user${i}`)) === null).toBe(i % 2 === 0);
    }
  });

  it('does not starve a single call, however many transactions follow each other', async () => {
    const ann = await addUser(current(), 'Ann');
    let isOver = false;
    const busy = Array.from({ length: 4 }, async () => {
      while (!isOver) await current().transaction(({ users }) => users.find(ann.id));
    });
    for (let i = 0; i < 20; i++) expect(await current().users.find(ann.id)).not.toBeNull();
    isOver = true;
    await Promise.all(busy);
  });

  it('serves many transactions and single calls at once', async () => {
    const ann = await addUser(current(), 'Ann');
    const collection = await addCollection(current(), 'books');
    const calls = Array.from({ length: 60 }, async (_, i) => {
      if (i % 3 === 0) return current().documents.add(newDocument(ann.id, collection));
      if (i % 3 === 1) return current().documents.count(collection, EVERYTHING, null);
      return current().transaction(({ sessions }) => sessions.add(newSession(ann.id)));
    });
    await Promise.all(calls);
    expect(await current().documents.count(collection, EVERYTHING, null)).toBe(20);
    expect(await current().sessions.list(ann.id, 100)).toHaveLength(20);
  });
}

export function signalsContract(current: () => Storage): void {
  /** Subscribes; resolves to the list of received signals once the subscription is live. */
  async function listen(storage: Storage) {
    const heard: Array<Signal | null> = [];
    const stop = storage.signals.subscribe((signal) => heard.push(signal));
    await until(() => storage.signals.live);
    heard.length = 0;
    return { heard, stop };
  }

  it('reach every listener', async () => {
    const [one, two] = [await listen(current()), await listen(current())];
    const signal: Signal = { topic: 'session', key: 'a:b' };
    await current().announcer.announce(signal);
    expect(one.heard).toEqual([signal]);
    expect(two.heard).toEqual([signal]);
    one.stop();
    two.stop();
  });

  it('reach a listener to topics only if they are of these', async () => {
    const { heard: all, stop } = await listen(current());
    const heard: Array<Signal | null> = [];
    const stopTopics = current().signals.subscribe({ topics: ['roles', 'user'], hear: (signal) => heard.push(signal) });
    for (const topic of ['session', 'user', 'group', 'roles'] as const) {
      await current().announcer.announce({ topic, key: topic });
    }
    expect(heard.map((signal) => signal?.topic)).toEqual(['user', 'roles']);
    expect(all).toHaveLength(4);
    stop();
    stopTopics();
  });

  it('are sent at the commit, and never after a rollback', async () => {
    const { heard, stop } = await listen(current());
    const failing = current().transaction(async ({ announcer }) => {
      await announcer.announce({ topic: 'user', key: 'never' });
      throw new Unrelated();
    });
    await expect(failing).rejects.toBeInstanceOf(Unrelated);
    const visible: unknown[] = [];
    const stopChecking = current().signals.subscribe(() => visible.push(current().users.findByKey('ann')));
    await current().transaction(async (stores) => {
      await addUser(stores, 'Ann');
      await stores.announcer.announce({ topic: 'user', key: 'committed' });
    });
    expect(heard).toEqual([{ topic: 'user', key: 'committed' }]);
    expect(await visible[0]).not.toBeNull();
    stop();
    stopChecking();
  });

  it('do not reach listeners that have unsubscribed', async () => {
    const { heard, stop } = await listen(current());
    const other = await listen(current());
    stop();
    await current().announcer.announce({ topic: 'roles', key: '' });
    expect(other.heard).toHaveLength(1);
    expect(heard).toEqual([]);
    other.stop();
  });
}

/** Waits until `condition` is true, at most for the timeout of a test. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not become true in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
