import { randomKey } from '../transport/random.ts';
import type { RawBody } from '../transport/transport.ts';

interface StreamedFile {
  readonly name: string;
  readonly type: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called with the number of bytes that were read so far. */
  onChunk(sent: number): void;
}

interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: StreamedFile;
}

/** As browsers write a name into a form. */
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

/** A form whose file is read while it is sent: no more than a chunk of it is in memory. */
export function multipartStream(form: Form): RawBody {
  const boundary = `baobab-${randomKey()}`;
  const source = parts(form, boundary);
  const close = () => {
    source.return().catch(() => undefined); // the failure of the upload says more
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
