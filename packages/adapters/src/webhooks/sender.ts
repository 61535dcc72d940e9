import type { WebhookAnswer, WebhookRequest, WebhookSender } from '@baobab/core';
import { createGuard, createRequests, type GuardOptions, hostOf, RefusedAddress } from '../outbound/index.ts';
import { createSecret, signedHeaders } from './signature.ts';

export interface WebhookSenderOptions extends Omit<GuardOptions, 'variable'> {
  /** Timeout of one request, including its response, in milliseconds. */
  readonly timeLimit?: number;
}

const TIME_LIMIT_MS = 15_000;
const CONNECT_LIMIT_MS = 5_000;
/** Maximum connections to one receiver. */
const CONNECTIONS = 8;
const MAX_BODY_BYTES = 1_024;
const MAX_URL_LENGTH = 2_048;
const SECOND = 1_000;

const NO_URL = 'an absolute http or https URL is expected';

function problemOfForm({ protocol, href, username, password }: URL): string | null {
  if (protocol !== 'https:' && protocol !== 'http:') return NO_URL;
  if (href.length > MAX_URL_LENGTH) return `a URL has at most ${MAX_URL_LENGTH} characters`;
  return username === '' && password === '' ? null : 'a URL without credentials is expected';
}

const HTTP_DATE = /^\w{3}, .* GMT$/;

/** Returns the wait that the receiver requests, in milliseconds. */
function retryAfterOf(status: number, header: string | string[] | undefined): number | null {
  if ((status !== 429 && status !== 503) || typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const date = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

function problemOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed`;
  return `The receiver answered ${status}`;
}

/** Returns the beginning of a body as text, without a partial character at its end. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_BODY_BYTES) break;
    }
  } catch {
    // The status counts, even if the rest of the response does not arrive.
  }
  const bytes = Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES);
  return new TextDecoder().decode(bytes, { stream: length > MAX_BODY_BYTES }).replaceAll('\0', '\uFFFD');
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was cut',
  ENOTFOUND: 'The name of the receiver is unknown',
  TimeoutError: 'The receiver did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be opened in time',
  UND_ERR_SOCKET: 'The connection was cut',
};

function failureOf(error: unknown): WebhookAnswer {
  const failure = { status: null, body: null, retryAfter: null };
  if (error instanceof RefusedAddress) {
    return { ...failure, isRefused: true, error: `The address is refused: ${error.message}` };
  }
  const code = codeOf(error);
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : 'The request failed';
  return { ...failure, isRefused: false, error: `${reason} (${code})` };
}

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { proxies = null, timeLimit = TIME_LIMIT_MS } = options;
  const guard = createGuard({ ...options, variable: 'WEBHOOK_PRIVATE' });
  const { request, close } = createRequests({
    proxies,
    connections: CONNECTIONS,
    connect: { timeout: Math.min(CONNECT_LIMIT_MS, timeLimit), lookup: guard.lookup },
    headersTimeout: timeLimit,
    bodyTimeout: timeLimit,
  });

  async function post({ url, body, ...signed }: WebhookRequest): Promise<WebhookAnswer> {
    await guard.check(new URL(url));
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Baobab-Webhooks',
      ...signedHeaders(signed.secrets, { ...signed, body }),
    };
    const signal = AbortSignal.timeout(timeLimit);
    const answer = await request(url, { method: 'POST', headers, body, signal });
    const { statusCode: status } = answer;
    return {
      status,
      body: await beginningOf(answer.body),
      error: problemOfStatus(status),
      isRefused: false,
      retryAfter: retryAfterOf(status, answer.headers['retry-after']),
    };
  }

  return {
    createSecret,
    read(text) {
      const url = URL.parse(text);
      if (url === null) return { problem: NO_URL };
      url.hash = ''; // requests have none
      const problem = problemOfForm(url) ?? guard.problemOf(hostOf(url));
      return problem === null ? { url: url.href } : { problem };
    },
    send: (request) => post(request).catch(failureOf),
    close,
  };
}
