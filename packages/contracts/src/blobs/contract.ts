import { type Blobs, blobGroup, blobKey } from '@baobab/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { collect, noise, textBytes } from './bytes.ts';
import { lendingContract } from './lending.ts';
import { heldBytes } from './memory.ts';
import { type OpenedBlobs, owner, sha256 } from './opened.ts';

async function first(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array | null> {
  for await (const chunk of bytes) return chunk;
  return null;
}
const HOUR = 3_600_000;
const MIB = 1_048_576;

/** Contract of every blob store, without exceptions. */
export function blobsContract(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`blobs contract: ${name}`, PATIENT, () => {
    let opened: OpenedBlobs;
    let blobs: Blobs;
    beforeEach(async () => {
      opened = await open();
      blobs = opened.blobs;
      await blobs.health();
    });
    afterEach(() => opened.dispose());

    async function read(key: string, range?: { offset: number; length: number }): Promise<Buffer | null> {
      const content = await blobs.get(key, range);
      return content === null ? null : collect(content.bytes);
    }

    async function reportedSize(key: string, range?: { offset: number; length: number }): Promise<number | undefined> {
      const content = await blobs.get(key, range);
      content?.dispose();
      return content?.size;
    }

    async function everyKey(olderThan: number, limit: number): Promise<string[]> {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await blobs.list({ olderThan, cursor, limit });
        expect(page.keys.length).toBeLessThanOrEqual(limit);
        found.push(...page.keys);
        cursor = page.cursor;
      } while (cursor !== null);
      return found;
    }

    describe('put and get', () => {
      it('return the stored bytes, with size, digest and time', async () => {
        const key = blobKey('files', owner());
        const before = Math.floor(Date.now() / 1000) * 1000;
        expect(await blobs.put(key, textBytes('Hello, ', 'wörld'))).toEqual({
          size: 13,
          sha256: sha256('Hello, wörld'),
        });
        expect((await read(key))?.toString()).toBe('Hello, wörld');
        const info = await blobs.stat(key);
        expect(info?.size).toBe(13);
        expect(info?.created).toBeGreaterThanOrEqual(before);
        expect(info?.created).toBeLessThanOrEqual(Date.now() + 1000);
        expect(await reportedSize(key)).toBe(13);
      });

      it('resolve to null for an unknown key', async () => {
        const key = blobKey('files', owner());
        expect([await blobs.get(key), await blobs.stat(key), await read(key, { offset: 0, length: 1 })]).toEqual([
          null,
          null,
          null,
        ]);
      });

      it('store an empty blob', async () => {
        const key = blobKey('files', owner());
        expect(await blobs.put(key, textBytes())).toEqual({ size: 0, sha256: sha256('') });
        expect(await blobs.stat(key)).toMatchObject({ size: 0 });
        expect(await read(key)).toEqual(Buffer.alloc(0));
        expect(await read(key, { offset: 0, length: 10 })).toEqual(Buffer.alloc(0));
      });

      it('keep chunks of every size in order', async () => {
        for (const chunkSize of [1, 1000, 65_536, 3 * MIB]) {
          const size = chunkSize === 1 ? 3000 : 7 * MIB + 5;
          const key = blobKey('files', owner());
          const whole = await collect(noise(size, { seed: chunkSize, piece: chunkSize }));
          expect(await blobs.put(key, noise(size, { seed: chunkSize, piece: chunkSize }))).toEqual({
            size,
            sha256: sha256(whole),
          });
          expect(whole.equals((await read(key)) ?? Buffer.alloc(0))).toBe(true);
        }
      });

      it('return any range', async () => {
        const key = blobKey('files', owner());
        const whole = await collect(noise(300_000));
        await blobs.put(key, noise(300_000));
        await fc.assert(
          fc.asyncProperty(fc.nat(310_000), fc.nat(310_000), async (offset, length) => {
            const part = await read(key, { offset, length });
            expect(whole.subarray(offset, offset + length).equals(part ?? Buffer.alloc(1))).toBe(true);
          }),
          {
            numRuns: 30,
            examples: [
              [0, 1],
              [299_999, 1],
              [299_999, 5],
              [300_000, 1],
              [5, 0],
            ],
          },
        );
        expect(await reportedSize(key, { offset: 10, length: 1 })).toBe(300_000);
      });

      it('replace a blob atomically', async () => {
        const key = blobKey('files', owner());
        const texts = Array.from({ length: 8 }, (_, at) => String(at).repeat(10_000));
        await blobs.put(key, textBytes(texts[0] ?? ''));
        let done = false;
        const writing = Promise.all(texts.map((text) => blobs.put(key, textBytes(text)))).then(() => {
          done = true;
        });
        while (!done) {
          const seen = await read(key).catch(() => null); // replaced while it was read
          if (seen !== null) expect(texts).toContain(seen.toString());
        }
        await writing;
        expect(texts).toContain((await read(key))?.toString());
        expect(await everyKey(Date.now() + HOUR, 10)).toEqual([key]);
      });

      it('release what a reader does not read to the end', async () => {
        const key = blobKey('files', owner());
        await blobs.put(key, noise(2 * MIB));
        for (let turn = 0; turn < 100; turn++) {
          const content = await blobs.get(key);
          if (turn % 2 === 0) await first(content?.bytes ?? textBytes());
          content?.dispose();
        }
        expect((await read(key))?.length).toBe(2 * MIB);
      });
    });

    lendingContract(() => blobs);

    describe('a put that fails', () => {
      const failure = new Error('the client went away');
      async function* broken(size: number) {
        yield* noise(size);
        throw failure;
      }

      it.each([0, 10, 100_000, 6 * MIB, 20 * MIB])(
        'leaves nothing behind after %i bytes, and throws the error of the source',
        async (size) => {
          const key = blobKey('files', owner());
          await expect(blobs.put(key, broken(size))).rejects.toBe(failure);
          expect(await blobs.stat(key)).toBeNull();
          expect(await everyKey(Date.now() + HOUR, 100)).toEqual([]);
          expect(await blobs.removeUnfinished(Date.now() + HOUR)).toBe(0);
        },
      );

      it('keeps the earlier blob', async () => {
        const key = blobKey('files', owner());
        await blobs.put(key, textBytes('before'));
        await expect(blobs.put(key, broken(100_000))).rejects.toBe(failure);
        expect((await read(key))?.toString()).toBe('before');
      });

      it('is invisible until it is complete', async () => {
        const key = blobKey('files', owner());
        let release: () => void = () => undefined;
        const gate = new Promise<void>((resolve) => {
          release = resolve;
        });
        async function* slow() {
          yield* noise(8 * MIB);
          await gate;
          yield* textBytes('end');
        }
        const putting = blobs.put(key, slow());
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect([await blobs.stat(key), await everyKey(Date.now() + HOUR, 100)]).toEqual([null, []]);
        release();
        expect((await putting).size).toBe(8 * MIB + 3);
        expect(await blobs.stat(key)).toMatchObject({ size: 8 * MIB + 3 });
      });
    });

    it('reads no faster than it writes, with bounded memory', async () => {
      const size = 96 * MIB;
      const before = heldBytes();
      let most = 0;
      async function* watched() {
        let read = 0;
        for await (const chunk of noise(size, { piece: MIB / 2 })) {
          yield chunk;
          read += chunk.length;
          if (read % (8 * MIB) > 0) continue;
          const kept = opened.inMemory === true ? read : 0;
          most = Math.max(most, heldBytes() - before - kept);
        }
      }
      expect((await blobs.put(blobKey('files', owner()), watched())).size).toBe(size);
      expect(most).toBeLessThan(48 * MIB);
    });

    describe('remove', () => {
      it('tells whether there was a blob', async () => {
        const key = blobKey('files', owner());
        await blobs.put(key, textBytes('x'));
        expect([await blobs.remove(key), await blobs.remove(key), await blobs.stat(key)]).toEqual([true, false, null]);
      });

      it('removes one blob of a group, or the whole group, and nothing else', async () => {
        const [mine, other] = [owner(), owner()];
        const keys = ['original', 'w100-h100', 'p50'].map((variant) => blobKey('files', mine, variant));
        const kept = [blobKey('files', other), blobKey('assets', mine)];
        for (const key of [...keys, ...kept]) await blobs.put(key, textBytes(key));
        expect(await blobs.remove(keys[1] ?? '')).toBe(true);
        expect(await blobs.removeGroup(blobGroup('files', mine))).toBe(2);
        expect(await blobs.removeGroup(blobGroup('files', mine))).toBe(0);
        expect((await everyKey(Date.now() + HOUR, 100)).sort()).toEqual(kept.sort());
        expect((await read(kept[0] ?? ''))?.toString()).toBe(kept[0]);
      });

      it('does not remove a group whose name merely has the same prefix', async () => {
        const keys = [blobKey('files', 'a'), blobKey('files', 'ab'), blobKey('files', 'a.b')];
        for (const key of keys) await blobs.put(key, textBytes('x'));
        expect(await blobs.removeGroup('files/a')).toBe(1);
        expect((await everyKey(Date.now() + HOUR, 100)).sort()).toEqual(['files/a.b/original', 'files/ab/original']);
      });

      it('can run concurrently with put', async () => {
        const mine = owner();
        const work = Array.from({ length: 40 }, (_, at) =>
          at % 4 === 3
            ? blobs.removeGroup(blobGroup('files', mine))
            : blobs.put(blobKey('files', mine, `v${at}`), textBytes('x')),
        );
        await Promise.all(work);
        await blobs.removeGroup(blobGroup('files', mine));
        expect(await everyKey(Date.now() + HOUR, 100)).toEqual([]);
      });
    });

    describe('list', () => {
      it.each([1, 2, 7, 1000])('returns every blob once in pages of %i', async (limit) => {
        const keys = Array.from({ length: 12 }, () => owner()).flatMap((one, at) => [
          blobKey('files', one),
          ...(at % 3 === 0 ? [blobKey('files', one, 'p50'), blobKey('assets', one)] : []),
        ]);
        await Promise.all(keys.map((key) => blobs.put(key, textBytes('x'))));
        expect((await everyKey(Date.now() + HOUR, limit)).sort()).toEqual(keys.sort());
      });

      it('does not return blobs that are too recent', async () => {
        await blobs.put(blobKey('files', owner()), textBytes('x'));
        expect(await everyKey(Date.now() - HOUR, 10)).toEqual([]);
        expect(await everyKey(Date.now() + HOUR, 10)).toHaveLength(1);
      });

      it('continues after a cursor whose blob was removed', async () => {
        const keys = Array.from({ length: 10 }, () => blobKey('files', owner()));
        for (const key of keys) await blobs.put(key, textBytes('x'));
        const found: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await blobs.list({ olderThan: Date.now() + HOUR, cursor, limit: 3 });
          for (const key of page.keys) await blobs.remove(key);
          found.push(...page.keys);
          cursor = page.cursor;
        } while (cursor !== null);
        expect(found.sort()).toEqual(keys.sort());
      });
    });

    it('is unavailable once it has been closed', async () => {
      const key = blobKey('files', owner());
      await blobs.put(key, textBytes('x'));
      await blobs.close();
      const calls = [
        () => blobs.put(key, textBytes('y')),
        () => blobs.get(key),
        () => blobs.stat(key),
        () => blobs.remove(key),
        () => blobs.removeGroup('files/a'),
        () => blobs.list({ olderThan: 1, cursor: null, limit: 1 }),
        () => blobs.removeUnfinished(1),
        () => blobs.health(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'blobs.unavailable' });
    });
  });
}
