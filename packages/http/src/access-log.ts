import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './errors.ts';

/** Takes finished lines; pino's own destination does. */
export interface LineWriter {
  write(line: string): unknown;
}

const INFO = 30;

/**
 * One line per request in pino's format. It is put together here because pino's general way costs as much as the
 * rest of the request: every part is a number or goes through JSON, and nothing that a caller sent is in it but the
 * method and the path.
 */
export function createAccessLog(writer: LineWriter, now: () => number) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const user = request.actor?.user;
    writer.write(
      `{"level":${INFO},"time":${now()},"reqId":"${request.id}","method":"${request.method}",` +
        `"path":${JSON.stringify(pathOf(request.raw.url ?? ''))},"status":${reply.statusCode},` +
        `"ms":${reply.elapsedTime.toFixed(1)}${user ? `,"user":"${user.id}"` : ''},"msg":"request"}\n`,
    );
  };
}
