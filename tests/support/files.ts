import type { Answer, CallOptions, World } from './backend.ts';

/** A part of a form, as sent. */
export interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  /** Sends the part as a file with this name, unchanged except that quotes and backslashes are escaped. */
  readonly fileName?: string;
  readonly type?: string;
}

const BOUNDARY = '----baobab-7f3c';

/** Returns the head of a part, preceded by the delimiter. */
export function partHead({ name, fileName, type }: Omit<Part, 'content'>): string {
  const named = fileName === undefined ? '' : `; filename="${fileName.replace(/["\\]/g, '\\$&')}"`;
  const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n${typed}\r\n`;
}

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
export const FORM_END = `--${BOUNDARY}--\r\n`;

/** Returns form parts as the body of a request, in order. */
export function multipart(...parts: readonly Part[]): NonNullable<CallOptions['bytes']> {
  const pieces = parts.flatMap((part) => [partHead(part), part.content, '\r\n']);
  return { type: FORM_TYPE, payload: Buffer.concat([...pieces, FORM_END].map((piece) => Buffer.from(piece))) };
}

export const filePart = (content: string | Buffer, more: Partial<Part> = {}): Part => ({
  name: 'file',
  fileName: 'notes.txt',
  type: 'text/plain',
  ...more,
  content,
});

/** Uploads a file. Resolves to the response with any status. */
export function upload(world: World, token: string | undefined, ...parts: readonly Part[]): Promise<Answer> {
  return world.call('POST', '/file', { token, bytes: multipart(...parts) });
}

/** Uploads a file. Resolves to its details. @throws Error for any status but 201 */
// biome-ignore lint/suspicious/noExplicitAny: details as returned
export async function stored(world: World, token: string, ...parts: readonly Part[]): Promise<any> {
  const { status, text, data } = await upload(world, token, ...parts);
  if (status !== 201) throw new Error(text);
  return data;
}

/** First bytes of real images and documents, enough to detect their type. */
export const SAMPLES = {
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
  gif: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  webm: Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806700', 'hex'),
  mp4: Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'),
  ogg: Buffer.concat([
    Buffer.from('4f67675300020000000000000000', 'hex'),
    Buffer.alloc(14, 1),
    Buffer.from('OpusHead\x01\x01'),
  ]),
  pdf: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  html: Buffer.from('<!doctype html><script>alert(1)</script>'),
} as const;
