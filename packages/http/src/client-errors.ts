import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SERVED_METHODS } from './cors.ts';
import { failureJson, httpFailure } from './errors.ts';
import type { HttpErrorCode } from './http-errors.ts';

/** What the parser calls failures of which a client should know more than that the request is malformed. */
const CODES: Readonly<Record<string, HttpErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
  HPE_HEADER_OVERFLOW: 'headers.too_large',
};

/** Closing at once, with unread bytes, would take the answer back. Milliseconds. */
const LINGER_MS = 500;

/** Node's own note, on a socket, of the answer that is under way; its own handler looks at the same. */
interface AnsweringSocket extends Socket {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/** Answers where there is no response to write to, in the envelope. */
function answerAndClose(socket: Duplex, code: HttpErrorCode, requestId: string, header = ''): void {
  const failure = httpFailure(code);
  const { status } = failure;
  const body = failureJson({ ...failure, resource: '', method: '', header: {}, id: null });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n${header}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nCache-Control: private, no-store\r\n` +
      `Access-Control-Allow-Origin: *\r\nX-Content-Type-Options: nosniff\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** `CONNECT` never becomes a request: unless somebody listens, Node closes the connection without an answer. */
export function refuseConnect(server: Server, nextId: () => string): void {
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    answerAndClose(socket, 'method.not_allowed', nextId(), `Allow: ${SERVED_METHODS}\r\n`);
  });
}

/**
 * Answers what is refused before there is a request (no HTTP, too large headers, half a request for too long) in the
 * envelope, as every other failure.
 */
export function createClientErrorHandler(nextId: () => string, isLong: (socket: Socket) => boolean) {
  return (error: Error & { readonly code?: string }, socket: AnsweringSocket): void => {
    if (socket.writableEnded) return; // more bytes of what has been answered
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isLong(socket)) return; // it has limits of its own
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    answerAndClose(socket, CODES[error.code ?? ''] ?? 'request.malformed', nextId());
  };
}
