import { BaobabError, type ErrorCode, type InputProblem } from '../errors.ts';

/** A successful response. */
export interface Answer<T> {
  readonly status: number;
  readonly data: T;
  /** In lists: true if there is another page. `next` is its cursor. */
  readonly more: boolean;
  readonly next: string | null;
  /** In lists: the total number of rows, if requested. */
  readonly total: number | null;
}

/** Response envelope of the server. */
interface Envelope {
  readonly result?: unknown;
  readonly data?: unknown;
  readonly more?: unknown;
  readonly next?: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
  readonly operation?: unknown;
  readonly challenge?: unknown;
  readonly id?: unknown;
  readonly http_code?: unknown;
}

const NO_CONTENT = 204;

function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}

/** Returns the error described by an envelope; null if there is none. */
export function failureIn(envelope: Envelope, status: number, retryAfter: number | null = null): BaobabError | null {
  const { code, message, errors, operation, challenge, id } = envelope;
  if (typeof code !== 'string') return null;
  return new BaobabError(code as ErrorCode, typeof message === 'string' ? message : code, {
    status,
    retryAfter,
    errors: Array.isArray(errors) ? (errors as InputProblem[]) : [],
    operation: typeof operation === 'number' ? operation : null,
    challenge: typeof challenge === 'string' ? challenge : null,
    id: typeof id === 'string' ? id : null,
  });
}

function parsed(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Reads a response completely. @throws the error it describes, or any error while reading */
export async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  if (status === NO_CONTENT) return { status, data: undefined as T, more: false, next: null, total: null };
  const envelope = parsed(await response.text());
  if (response.ok && envelope?.result === 'ok') {
    const { data, more, next, total } = envelope;
    return {
      status,
      data: data as T,
      more: more === true,
      next: typeof next === 'string' ? next : null,
      total: typeof total === 'number' ? total : null,
    };
  }
  const retryAfter = secondsOf(headers.get('Retry-After'));
  throw (
    (envelope && failureIn(envelope, status, retryAfter)) ??
    new BaobabError('client.answer', `Unexpected server response (${status})`, {
      status,
      retryAfter,
    })
  );
}
