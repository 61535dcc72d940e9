import { fixture } from '@baobab/contracts/images';
import type { Answer, World } from './backend.ts';
import { filePart, multipart, type Part } from './files.ts';

/** Publishes a file. Resolves to the response with any status. */
export async function publish(world: World, name: string, ...parts: readonly Part[]): Promise<Answer> {
  const bytes = multipart({ name: 'name', content: name }, ...parts);
  return world.call('POST', '/admin/asset', { token: await world.admin(), bytes });
}

/** Publishes bytes under a unique name. @throws Error for any status but 201 */
export async function published(world: World, content: Buffer | string, more: Partial<Part> = {}): Promise<string> {
  const name = world.unique('asset');
  const { status, text } = await publish(world, name, filePart(content, more));
  if (status !== 201) throw new Error(text);
  return name;
}

const TYPES: Readonly<Record<string, string>> = { jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif' };

/** Returns a form part with an image of `packages/contracts/fixtures/images`. */
export function imagePart(file: string): Part {
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'image/webp';
  return filePart(Buffer.from(fixture(file)), { fileName: file, type });
}

/** Publishes an image of `packages/contracts/fixtures/images`. */
export function publishedImage(world: World, file: string): Promise<string> {
  const { content, ...part } = imagePart(file);
  return published(world, content, part);
}
