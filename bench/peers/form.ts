import type { Request } from '../measure/load.ts';

const BOUNDARY = 'a-boundary-between-parts-7d1f3c5b';

/** Returns a request that uploads `text` as the part `file`, after parts with these values. */
export function uploadRequest(
  path: string,
  headers: Request['headers'],
  text: string,
  fields: Readonly<Record<string, string>> = {},
): Request {
  const part = (disposition: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
  const values = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value));
  const file = part('name="file"; filename="upload.txt"\r\nContent-Type: text/plain', text);
  const body = `${values.join('')}${file}--${BOUNDARY}--\r\n`;
  return {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body,
  };
}
