/** Ways to display a stored file without executing any of its content. */
export type PreviewKind = 'image' | 'audio' | 'video' | 'text';

/** Raster images. SVG can contain scripts, so it is shown as text. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
/** Images that the server can resize. */
const RESIZABLE: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const AUDIO: ReadonlySet<string> = new Set([
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'audio/x-wav',
]);
const VIDEO: ReadonlySet<string> = new Set(['video/mp4', 'video/ogg', 'video/webm']);
const TEXT = /^(?:text\/.+|image\/svg\+xml|application\/(?:.+\+)?(?:json|xml|javascript|x-ndjson|yaml|toml|sql))$/;

/** Returns a media type without its parameters. */
export const essenceOf = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? '';

export function previewKind(contentType: string): PreviewKind | null {
  const type = essenceOf(contentType);
  if (IMAGES.has(type)) return 'image';
  if (AUDIO.has(type)) return 'audio';
  if (VIDEO.has(type)) return 'video';
  return TEXT.test(type) ? 'text' : null;
}

export const isResizable = (contentType: string): boolean => RESIZABLE.has(essenceOf(contentType));

/** Splits the setting of sizes at spaces. */
export const sizesIn = (setting: string | undefined): readonly string[] =>
  (setting ?? '').split(/\s+/).filter((size) => size !== '');
