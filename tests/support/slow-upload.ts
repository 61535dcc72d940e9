import type { Socket } from 'node:net';
import { FORM_END, FORM_TYPE, partHead } from './files.ts';
import { connected } from './sockets.ts';

/** An upload that is sent in pieces, over a separate socket. */
export interface SlowUpload {
  /** Sends this many more bytes of the file; resolves when the socket has accepted them. */
  send(bytes: number): Promise<void>;
  /** Ends the file part and begins another one, so that the server knows the file is complete. */
  endFile(): Promise<void>;
  /** Ends the form. Resolves to the first line of the response. */
  finish(): Promise<string>;
  /** Destroys the connection. */
  abort(): void;
  readonly socket: Socket;
}

interface SlowUploadOptions {
  readonly size: number;
  readonly token: string;
  readonly appCode: string;
  readonly path?: string;
}

const HEAD = partHead({ name: 'file', fileName: 'slow.bin', type: 'application/octet-stream' });
const NEXT = `\r\n${partHead({ name: 'attachedData' })}{"slow":true}`;

/** Begins an upload of `size` bytes. */
export async function startUpload(
  port: number,
  { size, token, appCode, path = '/file' }: SlowUploadOptions,
): Promise<SlowUpload> {
  const socket = await connected(port);
  const length = HEAD.length + size + NEXT.length + '\r\n'.length + FORM_END.length;
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });

  const write = (text: string | Buffer) =>
    new Promise<void>((resolve) => {
      if (!socket.writable) resolve();
      else socket.write(text, () => resolve());
    });

  await write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nx-service-appcode: ${appCode}\r\nx-bb-session: ${token}\r\n` +
      `content-type: ${FORM_TYPE}\r\ncontent-length: ${length}\r\n\r\n${HEAD}`,
  );
  let sent = 0;
  return {
    socket,
    async send(bytes) {
      const piece = Buffer.alloc(Math.min(bytes, size - sent), sent % 251);
      sent += piece.length;
      await write(piece);
    },
    endFile: () => write(NEXT),
    async finish() {
      await write(`\r\n${FORM_END}`);
      while (!answer.includes('\r\n') && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 5));
      const [line = ''] = answer.split('\r\n');
      socket.destroy();
      return line;
    },
    abort: () => {
      socket.destroy();
    },
  };
}
