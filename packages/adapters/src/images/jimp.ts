import type { ImageFormat } from '@baobab/core';
import { createJimp } from '@jimp/core';
import { type Picture, upright } from './picture.ts';
import { resample } from './resample.ts';

interface HasBitmap {
  bitmap: Picture;
}

/** Jimp plugin. Its `resize` replaces Jimp's, which lets colours of transparent pixels bleed when enlarging. */
const methods = {
  resize<Image extends HasBitmap>(image: Image, { w, h }: { readonly w: number; readonly h: number }): Image {
    image.bitmap = resample(image.bitmap, w, h);
    return image;
  },
  /** Rotates and mirrors the image until its EXIF orientation is 1. */
  upright<Image extends HasBitmap>(image: Image, orientation: number): Image {
    image.bitmap = upright(image.bitmap, orientation);
    return image;
  },
};

/** Loaded with the first image of each format, because few threads need every format. */
const FORMATS = {
  jpeg: async () => (await import('./formats/jpeg.ts')).createJpeg(),
  png: async () => (await import('./formats/png.ts')).createPng(),
  gif: async () => (await import('./formats/gif.ts')).createGif(),
  webp: async () => (await import('./formats/webp.ts')).createWebp(),
} as const satisfies Readonly<Record<ImageFormat, unknown>>;

async function load(name: ImageFormat) {
  const format = await FORMATS[name]();
  return { format, Jimp: createJimp({ formats: [() => format], plugins: [methods] }) };
}

/** Returns a function that returns an image format and a Jimp class that encodes it. */
export function createImageJimps() {
  const loaded = new Map<ImageFormat, ReturnType<typeof load>>();
  return (name: ImageFormat): ReturnType<typeof load> => {
    const jimp = loaded.get(name) ?? load(name);
    loaded.set(name, jimp);
    return jimp;
  };
}
