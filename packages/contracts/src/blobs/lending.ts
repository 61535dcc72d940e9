import { type Blobs, blobKey } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { collect, noise, textBytes } from './bytes.ts';
import { owner, sha256 } from './opened.ts';

const MIB = 1_048_576;

/**
 * Tests that chunks are valid until the next one is requested, for `put` and for readers. @param blobs an empty store,
 * opened again for each test
 */
export function lendingContract(blobs: () => Blobs): void {
  const read = async (key: string) => collect((await blobs().get(key))?.bytes ?? textBytes());

  describe('chunks', () => {
    it.each([1000, 65_536, 3 * MIB])(
      'are not used by put (%i bytes) once the next one is requested',
      async (length) => {
        const key = blobKey('files', owner());
        const values = Array.from({ length: 12 }, (_, at) => at + 1);
        const whole = Buffer.concat(values.map((value) => Buffer.alloc(length, value)));
        async function* lent() {
          const piece = Buffer.alloc(length);
          for (const value of values) yield piece.fill(value);
          piece.fill(0);
        }
        expect(await blobs().put(key, lent())).toEqual({ size: whole.length, sha256: sha256(whole) });
        async function* freed() {
          for (const value of values) {
            const piece = new Uint8Array(length).fill(value);
            yield piece;
            structuredClone(piece.buffer, { transfer: [piece.buffer] });
          }
        }
        const freedKey = blobKey('files', owner());
        expect(await blobs().put(freedKey, freed())).toEqual({ size: whole.length, sha256: sha256(whole) });
        for (const stored of [key, freedKey]) expect(whole.equals(await read(stored))).toBe(true);
      },
    );

    it('can be copied from one key to another', async () => {
      const [from, to] = [blobKey('files', owner()), blobKey('files', owner())];
      const { sha256: digest } = await blobs().put(from, noise(12 * MIB));
      const content = await blobs().get(from);
      expect(await blobs().put(to, content?.bytes ?? textBytes())).toEqual({ size: 12 * MIB, sha256: digest });
    });

    it('stay unchanged for each reader until the next one is requested', async () => {
      const keys = await Promise.all(
        [1, 2, 3, 4].map(async (seed) => {
          const key = blobKey('files', owner());
          await blobs().put(key, noise(MIB, { seed }));
          return { key, whole: await collect(noise(MIB, { seed })) };
        }),
      );
      async function check({ key, whole }: (typeof keys)[number], until: number): Promise<void> {
        const content = await blobs().get(key);
        let at = 0;
        for await (const piece of content?.bytes ?? textBytes()) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          expect(whole.subarray(at, at + piece.length).equals(piece)).toBe(true);
          at += piece.length;
          if (at >= until) break;
        }
        content?.dispose();
        expect(at).toBeGreaterThanOrEqual(until);
      }
      // Some readers stop early. The buffers of their unread chunks must not be lent to two other readers.
      const readers = (one: (typeof keys)[number], count: number) =>
        Array.from({ length: count }, (_, n) => check(one, n % 3 === 1 ? MIB / 4 : MIB));
      for (const count of [3, 3, 24]) await Promise.all(keys.flatMap((one) => readers(one, count)));
    });
  });
}
