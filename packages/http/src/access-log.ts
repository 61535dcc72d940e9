import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './shown.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the head of the request arrived, in milliseconds since the process started. */
    startedAt: number;
  }
}

/** A sink of finished log lines, such as pino's destination. */
export interface LineWriter {
  write(lines: string): unknown;
}

const INFO = 30;
const NEEDS_ESCAPE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

/** The output of JSON.stringify, faster for text that needs no escaping. */
const quoted = (text: string) => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);

/**
 * Writes one line per request in pino's format, when the response is ready to be sent; `ms` is the time that it took.
 *
 * The line is assembled here because pino's general serializer costs as much as the rest of the request. This is safe:
 * every part is a number or goes through JSON, and only the method and the path come from the client.
 */
export function createAccessLog(writer: LineWriter, now: () => number) {
  return (request: FastifyRequest, reply: FastifyReply, ms: number): void => {
    const { user = null, key = null } = request.actor ?? {};
    const caller = user === null ? (key === null ? '' : `,"key":"${key.id}"`) : `,"user":"${user.id}"`;
    writer.write(
      `{"level":${INFO},"time":${now()},"reqId":"${request.id}","method":"${request.method}",` +
        `"path":${quoted(pathOf(request.raw.url ?? ''))},"status":${reply.statusCode},` +
        `"ms":${Math.round(ms * 10) / 10}${caller},"msg":"request"}\n`,
    );
  };
}
