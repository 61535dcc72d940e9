import { blobKey } from '@baobab/core';
import { beforeAll, expect, it } from 'vitest';
import type { World } from '../support/backend.ts';
import { onEveryStore } from '../support/blobs.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, stored, upload } from '../support/files.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus } from '../support/people.ts';
import { startUpload } from '../support/slow-upload.ts';
import { openSocket } from '../support/sockets.ts';

const clock = createHandDrivenClock(Date.now());
const HOUR = 60 * MINUTE;
const MAX = 8_000_000;
const SMALL = 100_000;
/** For each pair of stores. `UPLOAD_ABORTS=1000` is a long run. */
const ABORTS = Number(process.env.UPLOAD_ABORTS ?? 340);

async function blobsOf({ blobs }: World): Promise<string[]> {
  return [...(await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 1000 })).keys];
}

async function filesOf(world: World): Promise<number> {
  const { data } = await expectStatus(world.call('GET', '/file/details?count=true', { basic: adminOf(world) }), 200);
  return data[0].count;
}

/** Runs the sweep with a later clock. */
async function sweepLater({ backend }: World, milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await backend.sweep();
  clock.advance(-milliseconds);
}

/** A seeded random sequence: the same in every run. */
function createChance(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

onEveryStore(
  'uploads',
  (world) => {
    let port: number;
    beforeAll(async () => {
      port = await openSocket(world.backend.app);
    });

    /** Sends a random part of an upload, and then nothing more. */
    async function attempt(token: string, chance: (below: number) => number): Promise<void> {
      const size = chance(20) === 0 ? MAX : chance(SMALL);
      const slow = await startUpload(port, { size, token, appCode: world.backend.appCode });
      const cut = chance(size + 1);
      for (let sent = 0; sent < cut; sent += 65_536) await slow.send(Math.min(65_536, cut - sent));
      if (cut === size && chance(2) === 0) await slow.endFile();
      if (chance(3) === 0) await new Promise((resolve) => setTimeout(resolve, chance(10)));
      slow.abort();
    }

    it(`that are aborted (${ABORTS} of them) leave no row, and no blob after one sweep`, async () => {
      const { token } = await world.user();
      const [rows, before] = [await filesOf(world), await blobsOf(world)];
      const chance = createChance(ABORTS);
      for (let done = 0; done < ABORTS; done += 10) {
        await Promise.all(Array.from({ length: 10 }, () => attempt(token, chance)));
      }
      await until(async () => (await blobsOf(world)).length === before.length);
      expect(await filesOf(world)).toBe(rows);
      await sweepLater(world, 49 * HOUR);
      expect(await blobsOf(world)).toEqual(before);
      // An upload may begin after its client has gone: what it leaves is swept, too.
      await expect.poll(() => world.blobs.removeUnfinished(Date.now() + HOUR)).toBe(0);
    });

    it('that are too large are rejected, and leave nothing', async () => {
      const { token } = await world.user();
      const before = await blobsOf(world);
      const large = await upload(world, token, filePart(Buffer.alloc(MAX + 1)));
      expectFailure(large, 413);
      expectFailure(
        await upload(world, token, filePart('x'), { name: 'attachedData', content: `"${'x'.repeat(MAX)}"` }),
        413,
      );
      expectFailure(await upload(world, token, { name: 'junk', content: Buffer.alloc(2_000_000) }, filePart('x')), 413);
      expect(await stored(world, token, filePart(Buffer.alloc(MAX)))).toMatchObject({ contentLength: MAX });
      expect(await blobsOf(world)).toHaveLength(before.length + 1);
      expect(await world.blobs.removeUnfinished(Date.now() + HOUR)).toBe(0);
    });

    it('that are rejected midway are answered on the same connection', async () => {
      const { token } = await world.user();
      const slow = await startUpload(port, { size: 3 * MAX, token, appCode: world.backend.appCode });
      for (let sent = 0; sent < 2 * MAX; sent += 1_000_000) await slow.send(1_000_000);
      expect(await slow.finish()).toBe('HTTP/1.1 413 Payload Too Large');
    });

    it('that are in progress are not swept', async () => {
      const { token } = await world.user();
      const slow = await startUpload(port, { size: SMALL, token, appCode: world.backend.appCode });
      const before = await blobsOf(world);
      await slow.send(SMALL);
      await slow.endFile();
      await until(async () => (await blobsOf(world)).length > before.length);
      await sweepLater(world, 23 * HOUR);
      expect(await slow.finish()).toBe('HTTP/1.1 201 Created');
      const { data } = await world.call('GET', '/file/details', { token });
      expect(data).toEqual([expect.objectContaining({ contentLength: SMALL, attachedData: { slow: true } })]);
      const { bytes } = await world.call('GET', `/file/${data[0].id}`, { token });
      expect(bytes.equals(Buffer.alloc(SMALL))).toBe(true);
    });

    it('are swept once their file or their user is removed', async () => {
      const [owner, other] = [await world.user(), await world.user()];
      const kept = await stored(world, other.token, filePart('kept'));
      const [first, second] = [
        await stored(world, owner.token, filePart('1')),
        await stored(world, owner.token, filePart('2')),
      ];
      async function* variant() {
        yield Buffer.from('smaller');
      }
      for (const { id } of [first, second, kept]) await world.blobs.put(blobKey('files', id, 'w10-h10'), variant());
      const own = async () =>
        (await blobsOf(world)).filter((key) => [first, second].some(({ id }) => key.includes(id)));
      expect(await own()).toHaveLength(4);
      await expectStatus(world.call('DELETE', `/file/${first.id}`, { token: owner.token }), 200);
      expect((await own()).sort()).toEqual([`files/${second.id}/original`, `files/${second.id}/w10-h10`]);
      await expectStatus(world.call('DELETE', `/admin/user/${owner.name}`, { basic: adminOf(world) }), 200);
      await sweepLater(world, 25 * HOUR);
      expect(await own()).toEqual([]);
      expect((await blobsOf(world)).filter((key) => key.includes(kept.id))).toHaveLength(2);
    });

    it('that are older than the database are left alone, as it may be the wrong database', async () => {
      const before = blobKey('files', '01437f5c-0000-7000-8000-000000000000');
      const after = blobKey('files', 'ffffffff-0000-7000-8000-000000000000');
      async function* bytes() {
        yield Buffer.from('x');
      }
      for (const key of [before, after]) await world.blobs.put(key, bytes());
      await sweepLater(world, 25 * HOUR);
      expect([await world.blobs.stat(before), await world.blobs.stat(after)]).toEqual([expect.anything(), null]);
      await world.blobs.remove(before);
    });

    it('whose bytes are lost are logged as an error', async () => {
      const { token } = await world.user();
      const { id } = await stored(world, token, filePart('x'));
      await world.blobs.removeGroup(`files/${id}`);
      expectFailure(await world.call('GET', `/file/${id}`, { token }), 500);
    });
  },
  { clock, maxFileBytes: MAX, maxJsonBytes: 100_000 },
);
