import { createRequests, type Proxies } from '../outbound/index.ts';

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export type Poster = (url: string, request: PostRequest) => Promise<PostAnswer>;

const CONNECT_LIMIT_MS = 3_000;
const KEEP_ALIVE_MS = 60_000;
/** Maximum size of FCM's responses; a larger one is from another server. */
const MAX_ANSWER_BYTES = 65_536;

export interface PosterOptions {
  readonly connections: number;
  /** Timeout of one request, in milliseconds. */
  readonly timeLimit: number;
  readonly ca: string | null;
  readonly proxies: Proxies | null;
}

/** Sends requests over a bounded number of persistent connections. */
export function createPoster({ connections, timeLimit, ca, proxies }: PosterOptions) {
  const { request, close } = createRequests({
    proxies,
    connections,
    connect: { timeout: Math.min(CONNECT_LIMIT_MS, timeLimit), ...(ca === null ? {} : { ca }) },
    headersTimeout: timeLimit,
    bodyTimeout: timeLimit,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: MAX_ANSWER_BYTES,
  });

  const post: Poster = async (url, { headers, body, signal }) => {
    const answer = await request(url, { method: 'POST', headers, body, signal });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };
  return { post, close };
}
