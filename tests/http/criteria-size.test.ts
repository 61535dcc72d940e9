import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectStatus } from '../support/people.ts';

/** The largest conditions that the language allows, one for each way in which a condition can grow. */
onEveryStorage('criteria of the maximum size', (world) => {
  it.each([
    ['indexes', `a${'[0]'.repeat(200)} is null`, 1],
    ['names', `a${'.b'.repeat(200)} is null`, 1],
    ['names and indexes', `a${'.b[0]'.repeat(100)} is null`, 1],
    ['methods', `a${'.toLowerCase()'.repeat(32)} is null`, 1],
    ['lengths', `t[0]${'.toUpperCase()'.repeat(20)}.length() is null`, 1],
    ['sizes', `t${'.size()'.repeat(32)} is null`, 1],
    ['objects in arrays', `${'t contains ('.repeat(16)}a = 1${')'.repeat(16)}`, 0],
    ['not', `${'not '.repeat(32)}a = 1`, 1],
    ['parentheses', `${'('.repeat(32)}a = 1${')'.repeat(32)}`, 1],
    ['or', Array.from({ length: 25 }, (_, n) => `t[${n}].x.y = ${n}`).join(' or '), 0],
    ['distances', Array.from({ length: 12 }, () => 'distance(a, a, a, a) < 1').join(' and '), 1],
    ['a list', `a in [${Array.from({ length: 97 }, (_, n) => n).join()}]`, 1],
  ])('%s are answered', async (_what, where, count) => {
    const { collection, owner, create } = await createShelf(world);
    await create({ a: 1, t: [{ a: 1 }] });
    const query = new URLSearchParams({ where, orderBy: 'a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]' });
    const url = `/document/${collection}?${query}`;
    const { data } = await expectStatus(world.call('GET', url, { token: owner.token }), 200);
    expect(data).toHaveLength(count);
  });

  it('find fields below several indexes, and do not treat an object as an array', async () => {
    const { collection, owner, create } = await createShelf(world);
    await create({ x: [5, { y: [{ 'a"b': [0, 0, 'deep'] }] }] });
    const holds = [
      "x[1].y[0].`a\"b`[2] = 'deep'",
      'x[0][0] is null',
      'x[1][0] is null',
      'x[1].y[5][0] is null',
      'x.y[0][0] is null',
      'x[1].y[0][0] is null',
      'x[1].y[0].z[0] is null',
    ].join(' and ');
    const url = `/document/${collection}?${new URLSearchParams({ where: holds, count: 'true' })}`;
    expect((await world.call('GET', url, { token: owner.token })).data).toEqual([{ count: 1 }]);
  });
});
