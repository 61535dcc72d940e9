import { fixture, HEIGHT, WIDTH } from '@baobab/contracts/images';
import { describe, expect, it } from 'vitest';
import { createImageMemory } from '../../packages/adapters/src/images/budget.ts';
import { readHeader } from '../../packages/adapters/src/images/header/index.ts';
import { sharpNeed, wasmNeed } from '../../packages/adapters/src/images/needs.ts';

const MEGABYTE = 1_000_000;
const THUMBNAIL = { width: 200, height: 150 };
const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/** Returns a fixture whose header declares another size. */
function declaring(name: string, frameMarker: number, width: number, height: number): Buffer {
  const bytes = Buffer.from(fixture(name));
  const frame = bytes.indexOf(Buffer.from([0xff, frameMarker]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

const headerOf = (bytes: Uint8Array) => readHeader(bytes, 100 * MEGABYTE);

describe('the memory that an image needs', () => {
  it('includes what its decoder keeps until the whole file is read', () => {
    const buffered = (name: string) => headerOf(fixture(name)).buffered;
    const pixels = WIDTH * HEIGHT;
    // Two bytes for each coefficient of three components.
    expect([buffered('progressive.jpg'), buffered('baseline.jpg'), buffered('grey.jpg')]).toEqual([pixels * 6, 0, 0]);
    expect([buffered('interlaced.png'), buffered('opaque.png')]).toEqual([pixels * 4, 0]);
  });

  it('includes the coefficients of a baseline JPEG whose components are in different scans', () => {
    const bytes = Buffer.from(fixture('baseline.jpg'));
    bytes[bytes.indexOf(START_OF_SCAN) + 4] = 1;
    expect(headerOf(bytes).buffered).toBe(WIDTH * HEIGHT * 3);
  });

  it.each([
    // Measured: 8 and 828 MB, and 607 and 1,429 MB.
    ['baseline.jpg', 0xc0, 8, 80, 828, 920],
    ['progressive.jpg', 0xc2, 607, 680, 1_429, 1_520],
  ] as const)('is known from its header: %s', (name, marker, least, most, leastWasm, mostWasm) => {
    const header = headerOf(declaring(name, marker, 9990, 9990));
    const needs = [sharpNeed(header, 1000, THUMBNAIL), wasmNeed(header, 1000, THUMBNAIL)];
    const [sharp, wasm] = needs.map((need) => Math.round(need / MEGABYTE));
    expect([sharp, wasm]).toEqual([
      expect.toSatisfy((need: number) => need >= least && need <= most, `${sharp}`),
      expect.toSatisfy((need: number) => need >= leastWasm && need <= mostWasm, `${wasm}`),
    ]);
  });
});

describe('the memory for images', () => {
  it('lets an image wait that fits only alone, and no later one overtake it', async () => {
    const memory = createImageMemory(100);
    const events: string[] = [];
    const finish: Array<() => void> = [];
    const start = (name: string, need: number) =>
      memory.run(need, async () => {
        events.push(`${name} begins`);
        await new Promise<void>((resolve) => finish.push(resolve));
        events.push(`${name} ends`);
      });
    const all = [start('a', 60), start('b', 70), start('c', 10)];
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['a begins']);
    finish[0]?.();
    await all[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'c begins']);
    for (const end of finish) end();
    await Promise.all(all);
  });

  it('rejects an image that needs more than all of it', async () => {
    const refused = createImageMemory(100 * MEGABYTE).run(2_500 * MEGABYTE, async () => undefined);
    await expect(refused).rejects.toMatchObject({
      code: 'image.too_large',
      detail: 'it takes 2,500 MB of memory, and the limit of this server is 100 MB',
    });
  });
});
