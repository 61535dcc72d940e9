import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './shown.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its head had arrived, milliseconds since the process began. */
    startedAt: number;
  }
}

/** Takes finished lines; pino's own destination does. */
export interface LineWriter {
  write(lines: string): unknown;
}

const INFO = 30;
const NEEDS_ESCAPE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

/** As JSON.stringify gives it, which takes longer to find out that there is nothing to escape. */
const quoted = (text: string) => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);

/**
 * One line per request in the format of pino, when its answer is ready to be sent; `ms` is how long that took. It is
 * put together here because the general way of pino costs as much as the rest of the request: every part is a number
 * or goes through JSON, and of what a caller sent there is but the method and the path.
 */
export function createAccessLog(writer: LineWriter, now: () => number) {
  return (request: FastifyRequest, reply: FastifyReply, ms: number): void => {
    const user = request.actor?.user;
    writer.write(
      `{"level":${INFO},"time":${now()},"reqId":"${request.id}","method":"${request.method}",` +
        `"path":${quoted(pathOf(request.raw.url ?? ''))},"status":${reply.statusCode},` +
        `"ms":${Math.round(ms * 10) / 10}${user ? `,"user":"${user.id}"` : ''},"msg":"request"}\n`,
    );
  };
}
