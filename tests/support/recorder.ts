import type { Answer } from './backend.ts';
import { expectDocumented } from './openapi/conformance.ts';

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Secrets that only this response may contain. */
  readonly mayShow?: readonly string[];
}

/** Sends requests to a program and records all responses. */
export interface Recorder {
  ask(request: RecordedRequest): Promise<Answer>;
  keep(what: string, text: string): void;
  /** All responses with their headers, by request. */
  readonly answers: ReadonlyArray<{ readonly what: string; readonly text: string }>;
}

function payloadOf(body: unknown): { body?: string; headers: Record<string, string> } {
  if (body === undefined) return { headers: {} };
  if (body instanceof URLSearchParams) {
    return { body: body.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: text, headers: { 'content-type': 'application/json' } };
}

export function createRecorder(address: string, appCode: string): Recorder {
  const answers: Array<{ what: string; text: string }> = [];
  const keep = (what: string, text: string) => answers.push({ what, text });
  return {
    answers,
    keep,
    async ask({ method, path, headers = {}, body, mayShow = [] }) {
      const payload = payloadOf(body);
      const response = await fetch(address + path, {
        method,
        ...(payload.body === undefined ? {} : { body: payload.body }),
        headers: { 'x-service-appcode': appCode, ...payload.headers, ...headers },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const text = bytes.toString();
      await expectDocumented({ response, method, url: path, text, body: null });
      const sent = Object.fromEntries(response.headers);
      const all = mayShow.reduce((rest, one) => rest.replaceAll(one, ''), `${text}\n${JSON.stringify(sent)}`);
      const isJson = sent['content-type']?.startsWith('application/json') === true;
      const envelope = isJson && text !== '' ? JSON.parse(text) : undefined;
      const token: unknown = envelope?.data?.['X-BB-SESSION'];
      // Only the response that starts a session may contain its token.
      keep(`${method} ${path} ${response.status}`, typeof token === 'string' ? all.replaceAll(token, '') : all);
      return { status: response.status, headers: sent, text, bytes, body: envelope, data: envelope?.data };
    },
  };
}
