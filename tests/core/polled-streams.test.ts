import { type ChangeStore, userPrincipal } from '@baobab/core';
import { afterEach, describe, expect, it } from 'vitest';
import { addUser } from '../../packages/contracts/src/storage/fixtures.ts';
import { disposeStreams, prepareStreams } from '../support/change-streams.ts';
import { createLatch, pause, until } from '../support/patience.ts';

afterEach(disposeStreams);

/** A reader who follows so many users that the hub does not serve their streams. */
async function prepareReader() {
  const world = await prepareStreams();
  const { storage, reader, author } = world;
  for (let n = 0; n < 1_001; n++) {
    const followed = await addUser(storage, `followed${n}`);
    await storage.follows.add(reader.id, followed.id);
  }
  await storage.follows.add(reader.id, author.id);
  return { ...world, write: () => world.share(userPrincipal(author.id)) };
}

describe('a stream that reads the feed separately', () => {
  it('has what others write', async () => {
    const { reader, actorOf, open, write } = await prepareReader();
    const { has, lines } = await open(await actorOf(reader));
    await has('ready');
    await write();
    await has('put');
    expect(lines()).toEqual(['ready', 'put']);
  });

  it('misses nothing that is written while it reads, however long that takes', async () => {
    const { storage, reader, actorOf, open, write } = await prepareReader();
    const { read, readAll } = storage.changes;
    const [reading, released, passed] = [createLatch(), createLatch(), createLatch()];
    Object.assign(storage.changes, {
      async read(wanted: Parameters<ChangeStore['read']>[0]) {
        const page = await read(wanted);
        reading.open();
        await released.opened;
        return page;
      },
      readAll: (wanted: Parameters<ChangeStore['readAll']>[0]) => readAll(wanted).finally(passed.open),
    });
    const { ids } = await open(await actorOf(reader));
    await reading.opened;
    const written = [await write()];
    await passed.opened;
    await pause(0);
    released.open();
    await until(() => ids().length === 1);
    written.push(await write());
    await until(() => ids().length === 2);
    expect(ids()).toEqual(written);
  });
});
