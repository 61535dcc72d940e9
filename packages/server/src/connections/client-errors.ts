import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failureJson, type HttpErrorCode, httpFailure, isAnswering, SERVED_METHODS } from '@baobab/http';

/** Error codes of Node's HTTP parser with a more specific failure than "malformed". */
const CODES: Readonly<Record<string, HttpErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
  HPE_HEADER_OVERFLOW: 'headers.too_large',
};

/** Delay before closing, in milliseconds. Closing a connection with unread bytes would discard the response. */
const LINGER_MS = 500;

/** Writes a failure envelope directly to a socket without a response object. */
function answerAndClose(socket: Duplex, code: HttpErrorCode, header = ''): void {
  const failure = httpFailure(code);
  const { status } = failure;
  const body = failureJson({ ...failure, resource: '', method: '', header: {}, id: null });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n${header}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nCache-Control: private, no-store\r\n` +
      `Access-Control-Allow-Origin: *\r\nX-Content-Type-Options: nosniff\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Answers `CONNECT`, which never becomes a request: without a listener, Node closes the connection unanswered. */
export function refuseConnect(server: Server): void {
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    answerAndClose(socket, 'method.not_allowed', `Allow: ${SERVED_METHODS}\r\n`);
  });
}

/**
 * Handles failures that occur before there is a request (not HTTP, headers too large, or a partial request that timed
 * out). The response has the same envelope as every other failure.
 *
 * @param isLong true if a request on this socket may take longer to arrive
 */
export function createClientErrorHandler(isLong: (socket: Socket) => boolean) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (socket.writableEnded) return; // more bytes of a request that is already answered
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isLong(socket)) return; // uploads have their own limits
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    answerAndClose(socket, CODES[error.code ?? ''] ?? 'request.malformed');
  };
}
