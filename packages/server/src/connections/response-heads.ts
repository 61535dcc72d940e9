import { type IncomingMessage, ServerResponse, validateHeaderValue } from 'node:http';

/** Headers of nearly every response, most of them with the same value as in the previous one. */
const REPEATED = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'content-type',
  'vary',
  'x-bb-more',
  'x-content-type-options',
];
/** Headers whose values this service makes, of visible ASCII characters only. */
const OWN: ReadonlySet<string> = new Set(['x-request-id', 'bb-username']);

/** The method of Node with which `writeHead` ends; it is not in the types. */
interface HeadStore {
  _storeHeader(firstLine: string, headers: object | undefined): void;
}

type Headers = Readonly<Record<string, unknown>>;

/** Whether these are the headers that `writeHead` was called with, as opposed to Node's own record of headers. */
const areGiven = (headers: object | undefined): headers is Headers =>
  headers !== undefined && Object.getPrototypeOf(headers) === Object.prototype;

/**
 * The class of responses for one server. Node checks each character of each header of each response, which costs as much
 * as all our own work on a response. Here the line of a header that has its last value again is reused as it is. Node
 * adds these lines to the head unseen: it takes them for a part of the status line.
 */
export function createResponseClass(): typeof ServerResponse {
  const last = new Map(REPEATED.map((name) => [name, { value: '', line: `${name}: \r\n` }]));
  const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as HeadStore;

  /** The line of a header; null for one that Node has to check or to act on. */
  function lineOf(name: string, value: string): string | null {
    const known = last.get(name);
    if (known === undefined) return OWN.has(name) ? `${name}: ${value}\r\n` : null;
    if (known.value !== value) {
      validateHeaderValue(name, value);
      known.value = value;
      known.line = `${name}: ${value}\r\n`;
    }
    return known.line;
  }

  return class<Request extends IncomingMessage> extends ServerResponse<Request> implements HeadStore {
    _storeHeader(statusLine: string, headers: object | undefined): void {
      if (!areGiven(headers)) {
        storeHeader.call(this, statusLine, headers);
        return;
      }
      let lines = statusLine;
      const others: Record<string, unknown> = {};
      for (const name in headers) {
        const value = headers[name];
        const line = typeof value === 'string' ? lineOf(name, value) : null;
        if (line === null) others[name] = value;
        else lines += line;
      }
      storeHeader.call(this, lines, others);
    }
  };
}
