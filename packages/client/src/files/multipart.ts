import { randomKey } from '../transport/random.ts';
import type { RawBody } from '../transport/transport.ts';

interface StreamedFile {
  readonly name: string;
  readonly type: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called with the number of bytes read so far. */
  onChunk(sent: number): void;
}

interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: StreamedFile;
}

/** Escapes a name like browsers do in forms. */
const quoted = (text: string) => `"${text.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`;

async function* parts({ fields, file }: Form, boundary: string): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  const part = (name: string, rest: string) =>
    encoder.encode(`--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${rest}`);
  for (const [name, value] of Object.entries(fields)) yield part(name, `\r\n\r\n${value}\r\n`);
  const type = file.type.replace(/[\r\n]/g, '');
  yield part('file', `; filename=${quoted(file.name)}\r\nContent-Type: ${type}\r\n\r\n`);
  let sent = 0;
  for await (const chunk of file.chunks) {
    yield chunk;
    sent += chunk.byteLength;
    file.onChunk(sent);
  }
  yield encoder.encode(`\r\n--${boundary}--\r\n`);
}

/** Creates a form that is streamed: only one chunk of the file is in memory at a time. */
export function multipartStream(form: Form): RawBody {
  const boundary = `baobab-${randomKey()}`;
  const source = parts(form, boundary);
  const close = () => {
    source.return().catch(() => undefined); // the error of the upload is more useful
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: close,
  });
  return { body, close, duplex: 'half', headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` } };
}
