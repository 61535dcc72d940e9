import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

export interface Reply {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly bytes: Buffer;
  /** The envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  readonly body: any;
}

export interface Sent {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as the part `file` of a form. */
  readonly file?: Buffer;
}

export type Client = ReturnType<typeof createClient>;

const LOST: Reply = { status: 0, bytes: Buffer.alloc(0), body: null };
const BOUNDARY = `baobab-${randomBytes(8).toString('hex')}`;
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const FORM_HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bytes.bin"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n',
);
const FORM_END = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

function payloadOf({ body, file }: Sent): { readonly type: string; readonly bytes: Buffer | string } | null {
  if (file !== undefined) return { type: FORM_TYPE, bytes: Buffer.concat([FORM_HEAD, file, FORM_END]) };
  return body === undefined ? null : { type: 'application/json', bytes: JSON.stringify(body) };
}

function parsed(bytes: Buffer, type: string | undefined): Reply['body'] {
  if (type?.startsWith('application/json') !== true || bytes.length === 0) return null;
  return JSON.parse(bytes.toString());
}

/**
 * Creates a client with keep-alive connections to nodes that may crash. A request without a response has the status 0.
 */
export function createClient(appCode: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });

  function send(method: string, url: string, sent: Sent = {}): Promise<Reply> {
    return new Promise((resolve) => {
      const payload = payloadOf(sent);
      const headers: Record<string, string> = { 'x-service-appcode': appCode };
      if (sent.token !== undefined) headers['x-bb-session'] = sent.token;
      if (payload !== null) {
        headers['content-type'] = payload.type;
        headers['content-length'] = String(Buffer.byteLength(payload.bytes));
      }
      const lost = () => resolve(LOST);
      const outgoing = request(url, { method, agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', lost);
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: answer.statusCode ?? 0, bytes, body: parsed(bytes, answer.headers['content-type']) });
        });
      });
      outgoing.on('error', lost);
      outgoing.end(payload?.bytes);
    });
  }

  return {
    appCode,
    send,
    /** @throws Error if the response is not 2xx */
    async expect(method: string, url: string, sent: Sent = {}): Promise<Reply> {
      const reply = await send(method, url, sent);
      if (reply.status < 200 || reply.status > 299) {
        throw new Error(`${method} ${url} answered ${reply.status}: ${reply.bytes.subarray(0, 500)}`);
      }
      return reply;
    },
    close: () => agent.destroy(),
  };
}
