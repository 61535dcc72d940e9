import { expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectStatus } from '../support/people.ts';

function scenarios(world: World): void {
  it('has cursors that show an anonymous caller neither whether nor how much others write', async () => {
    const { create, collection } = await createShelf(world);
    const poll = async (since: string) =>
      (await expectStatus(world.call('GET', `/changes?collection=${collection}&since=${since}`), 200)).body
        .next as string;
    const { next } = (await expectStatus(world.call('GET', `/changes?collection=${collection}`), 200)).body;
    const seen: string[] = [await poll(next)];
    for (let round = 0; round < 20; round++) {
      if (round % 2 === 0) await create({ round });
      seen.push(await poll(seen.at(-1) ?? ''));
    }
    const first = await Promise.all([poll(next), poll(next)]);
    const all = [next, ...seen, ...first];
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(all.map((cursor) => cursor.length)).size).toBe(1);
  });
}

onEveryStorage('cursors of the change feed', scenarios);
