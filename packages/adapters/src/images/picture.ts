/** Jimp's bitmap: red, green, blue and alpha of each pixel, row by row from the top; alpha is not premultiplied. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

/** Bytes per pixel. */
export const CHANNELS = 4;

export function createPicture(width: number, height: number): Picture {
  return { width, height, data: Buffer.alloc(width * height * CHANNELS) };
}

/** Maps a pixel of the upright image to its position in the stored image. */
type Source = (x: number, y: number) => number;

function sourceOf(orientation: number, width: number, height: number): Source {
  const at = (x: number, y: number) => y * width + x;
  const [right, bottom] = [width - 1, height - 1];
  const sources: Readonly<Record<number, Source>> = {
    2: (x, y) => at(right - x, y),
    3: (x, y) => at(right - x, bottom - y),
    4: (x, y) => at(x, bottom - y),
    5: (x, y) => at(y, x),
    6: (x, y) => at(y, bottom - x),
    7: (x, y) => at(right - y, bottom - x),
    8: (x, y) => at(right - y, x),
  };
  return sources[orientation] ?? at;
}

/** Rotates and mirrors an image to the upright position by its EXIF orientation. */
export function upright(picture: Picture, orientation: number): Picture {
  if (orientation < 2 || orientation > 8) return picture;
  const { width, height } = picture;
  const turned = orientation >= 5 ? createPicture(height, width) : createPicture(width, height);
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset, width * height);
  const to = new Uint32Array(turned.data.buffer, turned.data.byteOffset, width * height);
  const source = sourceOf(orientation, width, height);
  for (let y = 0, i = 0; y < turned.height; y++) {
    for (let x = 0; x < turned.width; x++, i++) to[i] = from[source(x, y)] ?? 0;
  }
  return turned;
}
