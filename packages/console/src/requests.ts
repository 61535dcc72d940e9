import { onPlace, parsePlace } from './address.ts';

/** A request sent by the page. */
export interface SentRequest {
  readonly method: string;
  /** Path relative to the address of the server, with the query. */
  readonly path: string;
  /** JSON with placeholders for secrets; null: no body, or a binary one. */
  readonly body: string | null;
}

export interface RequestLog {
  /** Returns the distinct requests of the view, newest first. */
  list(): readonly SentRequest[];
  /** A `fetch` for the client that records requests. */
  readonly send: typeof fetch;
}

const MOST = 20;
const LONGEST_BODY = 64 * 1024;
/** Requests of the page rather than of a view. */
const OWN = /^\/(?:login|logout|refresh|changes)\b/;
/** Requests whose bodies may contain secrets. */
const WITH_SECRETS = /^\/(?:admin\/(?:user|configuration|key)|me|user|social)\b/;
const SECRETS: ReadonlySet<string> = new Set(['password', 'current_password', 'old', 'new', 'secret', 'token', 'code']);
const PLACEHOLDER = '…';

/** Replaces the secrets in a JSON body by placeholders. Documents and other user content stay unchanged. */
function redacted(path: string, body: string): string {
  if (!WITH_SECRETS.test(path)) return body;
  // Secret settings are not marked as such, so all values are hidden.
  const isSecret = (name: string) =>
    SECRETS.has(name) || (name === 'value' && path.startsWith('/admin/configuration/'));
  try {
    const members = Object.entries(JSON.parse(body) as object);
    return JSON.stringify(
      Object.fromEntries(members.map(([name, value]) => [name, isSecret(name) ? PLACEHOLDER : value])),
    );
  } catch {
    return PLACEHOLDER;
  }
}

/** A list and the item that is open over it are one view. */
const viewNow = () => JSON.stringify(parsePlace(location.hash).path.slice(0, 2));

/**
 * @param url address of the server
 * @param onFailure called after a request that got no response
 */
export function createRequestLog(url: string, onFailure: () => void): RequestLog {
  const base = url.replace(/\/+$/, '');
  const send = globalThis.fetch.bind(globalThis);
  let sent: readonly SentRequest[] = [];
  let view = viewNow();

  onPlace(() => {
    if (view === viewNow()) return;
    view = viewNow();
    sent = [];
  });

  function note(address: string, { method = 'GET', body }: RequestInit): void {
    const path = address.slice(base.length);
    if (!address.startsWith(base) || OWN.test(path)) return;
    const text = typeof body === 'string' && body.length <= LONGEST_BODY ? redacted(path, body) : null;
    const request = { method, path, body: text };
    const others = sent.filter((one) => one.method !== method || one.path !== path || one.body !== text);
    sent = [request, ...others].slice(0, MOST);
  }

  return {
    list: () => sent,
    send(input, init = {}) {
      note(String(input), init);
      const response = send(input, init);
      response.catch(() => init.signal?.aborted !== true && onFailure());
      return response;
    },
  };
}
