import { pathOf, type RequestObserver } from '@baobab/http';

/** Destination of finished log lines, such as pino's. */
export interface LineWriter {
  write(lines: string): unknown;
}

const INFO = 30;
const NEEDS_ESCAPE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

/** Same output as JSON.stringify, faster for text without escapes. */
const quoted = (text: string) => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);

/**
 * Writes one line per request in pino's format.
 *
 * The line is assembled here because pino's general serializer costs as much as the rest of the request. This is safe:
 * every part is a number or goes through JSON, and only the method and the path come from the client.
 */
export const createAccessLog = (writer: LineWriter, now: () => number): RequestObserver => ({
  observe(request, reply, ms) {
    const { user = null, key = null } = request.actor ?? {};
    const caller = user === null ? (key === null ? '' : `,"key":"${key.id}"`) : `,"user":"${user.id}"`;
    writer.write(
      `{"level":${INFO},"time":${now()},"reqId":"${request.id}","method":"${request.method}",` +
        `"path":${quoted(pathOf(request.raw.url ?? ''))},"status":${reply.statusCode},` +
        `"ms":${Math.round(ms * 10) / 10}${caller},"msg":"request"}\n`,
    );
  },
});
