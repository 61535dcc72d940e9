import type { AuditFilter, AuditLink, NewAuditRecord, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, uuid } from './fixtures.ts';

const EVERYTHING: AuditFilter = { act: null, by: null, to: null, from: null, until: null };
const START: AuditLink = { number: 0, hash: '' };

export function auditStoreContract(current: () => Storage): void {
  const audit = () => current().audit;

  const newEvent = (overrides: Partial<NewAuditRecord> = {}): NewAuditRecord => ({
    id: uuid(),
    at: NOW,
    act: 'user.role_changed',
    by: { kind: 'user', id: uuid(), name: 'root' },
    to: { kind: 'user', id: uuid(), name: 'Ann 😀' },
    network: '192.0.2.0/24',
    details: { before: 'a', after: 'b' },
    seals: { by: { salt: 'a', digest: 'b' }, to: { salt: 'c', digest: 'd' } },
    ...overrides,
  });
  const hashOf = ({ act, at }: NewAuditRecord, { number, hash }: AuditLink) => `${hash}|${number} ${act} ${at}`;
  const chain = (limit = 1000) => audit().chain(hashOf, limit);
  const list = (filter: Partial<AuditFilter> = {}, before: number | null = null, limit = 100) =>
    audit().list({ filter: { ...EVERYTHING, ...filter }, before, limit });
  /** Chains events in this order. */
  async function chained(...events: NewAuditRecord[]): Promise<NewAuditRecord[]> {
    for (const event of events) {
      await audit().add([event]);
      await chain();
    }
    return events;
  }

  it('chains events in the order of their ids, each with the hash of the one before', async () => {
    const events = [newEvent(), newEvent({ at: NOW + 1 }), newEvent({ at: NOW + 2 })];
    await audit().add(events.toReversed());
    expect(await list()).toEqual([]);
    expect(await chain(2)).toBe(2);
    expect(await chain(2)).toBe(1);
    expect(await chain(2)).toBe(0);
    let last = START;
    const expected = events.map((event) => {
      last = { number: last.number + 1, hash: hashOf(event, last) };
      return { ...event, ...last };
    });
    expect(await list()).toEqual(expected.toReversed());
    expect(await audit().part(0, 2)).toEqual({ anchor: START, head: last, records: expected.slice(0, 2) });
    expect(await audit().part(2, 2)).toEqual({ anchor: START, head: last, records: expected.slice(2) });
  });

  it('keeps what is not known, and every kind of detail', async () => {
    const event = newEvent({
      by: { kind: 'anonymous', id: null, name: null },
      to: null,
      network: null,
      details: { text: '"\\\n\u0000 é漢', number: 1.5, flag: false, nothing: null },
    });
    await chained(event);
    expect(await list()).toEqual([{ ...event, number: 1, hash: hashOf(event, START) }]);
    const named = newEvent({ to: { kind: 'setting', id: 'lockout.failures', name: null } });
    await chained(named);
    expect((await list({}, null, 1))[0]?.to).toEqual(named.to);
  });

  it('is empty at the beginning', async () => {
    expect(await chain()).toBe(0);
    expect(await audit().part(0, 10)).toEqual({ anchor: START, head: START, records: [] });
    expect(await audit().removeBefore(NOW, 10)).toBe(0);
    await audit().add([]);
  });

  it('stores events with their transaction, or not at all', async () => {
    const kept = newEvent();
    await current().transaction(async (stores) => stores.audit.add([kept]));
    const failed = current().transaction(async (stores) => {
      await stores.audit.add([newEvent(), newEvent()]);
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    await chain();
    expect((await list()).map(({ id }) => id)).toEqual([kept.id]);
  });

  it('numbers events without gaps when several chain at the same time', async () => {
    const add = Array.from({ length: 20 }, () => audit().add([newEvent()]));
    await Promise.all(add.flatMap((adding) => [adding, chain(3)]));
    await Promise.all(Array.from({ length: 4 }, () => chain()));
    const { records, head } = await audit().part(0, 100);
    let last = START;
    for (const record of records) {
      expect(record).toMatchObject({ number: last.number + 1, hash: hashOf(record, last) });
      last = record;
    }
    expect(head).toEqual({ number: 20, hash: last.hash });
  });

  it('finds events by act, actor, target and time', async () => {
    const user = await addUser(current(), 'Bob');
    const [role, password, later] = await chained(
      newEvent(),
      newEvent({ act: 'password.set', by: { kind: 'user', id: user.id, name: 'Bob' } }),
      newEvent({ at: NOW + 10, to: { kind: 'role', id: 'editors', name: 'Editors' } }),
    );
    // Events outlive the objects they name.
    await current().users.remove(user.id);
    const ids = async (filter: Partial<AuditFilter>) => (await list(filter)).map(({ id }) => id);
    expect(await ids({ act: 'password.set' })).toEqual([password?.id]);
    expect(await ids({ by: user.id })).toEqual([password?.id]);
    expect(await ids({ by: 'Bob' })).toEqual([password?.id]);
    expect(await ids({ to: 'editors' })).toEqual([later?.id]);
    expect(await ids({ to: 'Editors', act: 'password.set' })).toEqual([]);
    expect(await ids({ from: NOW + 10 })).toEqual([later?.id]);
    expect(await ids({ until: NOW + 10, act: 'user.role_changed' })).toEqual([role?.id]);
    expect(await ids({ by: 'nobody' })).toEqual([]);
  });

  it('lists in pages', async () => {
    const events = await chained(newEvent(), newEvent(), newEvent());
    expect((await list({}, null, 2)).map(({ number }) => number)).toEqual([3, 2]);
    expect((await list({}, 2, 2)).map(({ id }) => id)).toEqual([events[0]?.id]);
  });

  it('erases a user from events, in the chain and before it, and keeps what the chain covers', async () => {
    const ann = { kind: 'user', id: uuid(), name: 'Ann' } as const;
    const renamed = newEvent({ act: 'user.renamed', by: ann, to: ann, details: { before: 'Anna' } });
    const [, by, to] = await chained(newEvent(), newEvent({ by: ann }), newEvent({ to: ann }));
    await audit().add([renamed]);
    const before = await list();
    expect(await audit().forget(ann.id, 'erased-x', 2)).toBe(2);
    expect(await audit().forget(ann.id, 'erased-x', 2)).toBe(1);
    expect(await audit().forget(ann.id, 'erased-x', 2)).toBe(0);
    await chain();
    const erased = { kind: 'user', id: 'erased-x', name: null };
    const [last, second, first, untouched] = await list();
    expect(last).toMatchObject({
      by: erased,
      to: erased,
      details: {},
      seals: { by: { salt: null, digest: 'b' }, to: { salt: null, digest: 'd' } },
    });
    expect(last?.details).toEqual({});
    expect(second).toMatchObject({ id: to?.id, by: to?.by, to: erased, details: to?.details });
    expect(second?.seals).toEqual({ by: { salt: 'a', digest: 'b' }, to: { salt: null, digest: 'd' } });
    expect(first).toMatchObject({ id: by?.id, by: erased, to: by?.to });
    expect(untouched).toEqual(before.at(-1));
    expect((await list({ by: 'erased-x' })).map(({ id }) => id)).toEqual([renamed.id, by?.id]);
    expect(await list({ to: 'Ann' })).toEqual([]);
  });

  it('removes the oldest, and keeps the hash from which the rest goes on', async () => {
    await chained(newEvent(), newEvent({ at: NOW + 1 }), newEvent({ at: NOW + 20 }), newEvent({ at: NOW + 2 }));
    const whole = await audit().part(0, 10);
    expect(await audit().removeBefore(NOW + 10, 1)).toBe(1);
    // An event with an older time is kept if a preceding one is kept.
    expect(await audit().removeBefore(NOW + 10, 10)).toBe(1);
    expect(await audit().removeBefore(NOW + 10, 10)).toBe(0);
    const [, second, ...rest] = whole.records;
    const anchor = { number: second?.number, hash: second?.hash };
    expect(await audit().part(0, 10)).toEqual({ anchor, head: whole.head, records: rest });
    expect(await audit().removeBefore(NOW + 30, 10)).toBe(2);
    await chained(newEvent({ at: NOW + 40 }));
    const { anchor: emptied, records } = await audit().part(0, 10);
    expect(emptied).toEqual(whole.head);
    expect(records).toMatchObject([{ number: 5, hash: expect.stringContaining(`${whole.head.hash}|4 `) }]);
  });

  it('does not remove what waits to join the chain', async () => {
    await audit().add([newEvent()]);
    expect(await audit().removeBefore(NOW + 1, 10)).toBe(0);
    expect(await chain()).toBe(1);
  });
}
