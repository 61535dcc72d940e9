import { fixture } from './pictures.ts';

const insert = (bytes: Buffer, at: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

function withScreen(gif: Uint8Array, side: number): Uint8Array {
  gif.set([side, 0, side, 0], 6);
  return gif;
}

/** Returns the same image with the orientation in its EXIF data as another TIFF type. */
export function withOrientationType(bytes: Uint8Array, type: number, order: 'II' | 'MM'): Uint8Array {
  const little = order === 'II';
  const at = Buffer.from(bytes).indexOf(little ? '12010300' : '01120003', 'hex');
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  const orientation = view.getUint16(8, little);
  view.setUint16(2, type, little);
  view.setUint32(8, 0);
  if (type === 1 || type === 6) view.setUint8(8, orientation);
  else if (type === 4 || type === 9) view.setUint32(8, orientation, little);
  else view.setUint16(8, orientation, little);
  return bytes;
}

/** Complete pictures that violate the letter of their format. */
export const FLAWED: ReadonlyArray<readonly [flaw: string, bytes: Uint8Array]> = [
  ...['baseline.jpg', 'progressive.jpg'].flatMap((file) => {
    const whole = Buffer.from(fixture(file));
    const second = 4 + whole.readUInt16BE(4);
    return [
      [`${file} without its end marker`, whole.subarray(0, -2)],
      [`${file} with half of its end marker`, whole.subarray(0, -1)],
      [`${file} with 10 kB behind its end`, Buffer.concat([whole, Buffer.alloc(10_000, 7)])],
      [`${file} with garbage between segments`, insert(whole, second, Buffer.from([1, 2, 3]))],
      [`${file} with fill bytes`, insert(whole, second, Buffer.from([0xff, 0xff]))],
    ] as const;
  }),
  ['opaque.png without its last chunk', fixture('opaque.png').slice(0, -12)],
  ['opaque.png with a part of its last chunk', fixture('opaque.png').slice(0, -4)],
  ['opaque.gif without its trailer', fixture('opaque.gif').slice(0, -1)],
  ['opaque.gif with a screen that is smaller than its frame', withScreen(fixture('opaque.gif'), 10)],
];
