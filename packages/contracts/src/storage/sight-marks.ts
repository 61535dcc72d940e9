import { rolePrincipal, type SightMark, type SightWanted, type Storage, userPrincipal } from '@baobab/core';
import { expect, it } from 'vitest';
import { now } from './feed-reading.ts';
import { NOW } from './fixtures.ts';

/** Marks of changed sight. */
export function sightMarksContract(current: () => Storage): void {
  const ann: SightMark = { audience: userPrincipal('a'), collection: null, reason: 'follow' };
  const editors: SightMark = { audience: rolePrincipal('editors'), collection: 'books', reason: 'rules' };
  const everybody: SightMark = { audience: '*', collection: 'books', reason: 'collection' };

  const mark = (wanted: SightMark, at = NOW) => current().changes.markSight(wanted, at);
  const horizon = async () => (await now(current())).position;
  const find = (wanted: Partial<SightWanted>) =>
    current().changes.sightChange({ since: 0, audiences: [], collections: null, ...wanted });

  it('concern their audiences', async () => {
    await mark(ann);
    await mark(everybody);
    expect(await find({ audiences: [ann.audience] })).toMatchObject(ann);
    expect(await find({ audiences: ['u:b', '*'] })).toMatchObject(everybody);
    expect(await find({ audiences: ['u:b'] })).toBeNull();
    expect(await find({ audiences: [] })).toBeNull();
  });

  it('concern readers of their collection, or of all', async () => {
    await mark(editors);
    const audiences = [editors.audience];
    expect(await find({ audiences })).toMatchObject(editors);
    expect(await find({ audiences, collections: ['films', 'books'] })).toMatchObject(editors);
    expect(await find({ audiences, collections: ['films'] })).toBeNull();
    await mark(ann);
    expect(await find({ audiences: [ann.audience], collections: ['films'] })).toMatchObject(ann);
  });

  it('count from their last time on, and the first one is found', async () => {
    await mark(ann);
    const later = await horizon();
    const audiences = [ann.audience, everybody.audience];
    expect(await find({ audiences, since: later })).toBeNull();
    await mark(everybody);
    const [first, last] = [await find({ audiences }), await find({ audiences, since: later })];
    expect(first).toMatchObject(ann);
    expect(last).toMatchObject(everybody);
    expect(last?.position).toBeGreaterThan(first?.position ?? Number.POSITIVE_INFINITY);
    await mark(ann);
    expect(await find({ audiences })).toEqual(last);
    expect(await find({ audiences: [ann.audience], since: later })).toMatchObject(ann);
  });

  it('disappear with their transaction', async () => {
    const failing = current().transaction(async ({ changes }) => {
      await changes.markSight(ann, NOW);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await find({ audiences: [ann.audience] })).toBeNull();
    await current().transaction(({ changes }) => changes.markSight(ann, NOW));
    expect(await find({ audiences: [ann.audience] })).toMatchObject(ann);
  });

  it('are forgotten with the time', async () => {
    await mark(ann, NOW);
    await mark(everybody, NOW + 1_000);
    const { position = 0 } = (await find({ audiences: [ann.audience] })) ?? {};
    expect(await current().changes.removeBefore(NOW + 1_000, 10)).toBe(1);
    expect(await find({ audiences: [ann.audience] })).toBeNull();
    expect(await find({ audiences: ['*'] })).toMatchObject(everybody);
    expect((await current().changes.state()).oldest).toBe(position + 1);
  });

  it('follow a role to its new name', async () => {
    await current().roles.add({ name: 'Editors', description: '' });
    await mark(editors);
    await current().roles.update('editors', { name: 'Authors', description: '' });
    expect(await find({ audiences: [editors.audience] })).toBeNull();
    expect(await find({ audiences: [rolePrincipal('Authors')] })).toMatchObject({ reason: 'rules' });
  });
}
