import {
  AppError,
  isAppError,
  isJsonObject,
  membersOf,
  type ParsedJson,
  parsePassedJson,
  type StreamEvent,
} from '@baobab/core';
import { httpFailure } from '../errors/errors.ts';
import { statusOf } from '../errors/statuses.ts';
import { dataOf } from '../streams/events.ts';

/** A message from a client: its type, and its other members. */
export interface ClientFrame {
  readonly type: FrameType;
  readonly members: ReadonlyMap<string, ParsedJson>;
}

/** Members of each message that a client may send. */
const MEMBERS = {
  hello: ['appCode', 'session'],
  ping: [],
  subscribe: ['id', 'collection', 'where', 'params', 'search', 'since'],
  unsubscribe: ['id'],
  join: ['room', 'state'],
  state: ['room', 'state'],
  send: ['room', 'data'],
  leave: ['room'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type FrameType = keyof typeof MEMBERS;

const invalid = (detail: string, input?: string) =>
  new AppError('input.invalid', { detail, ...(input !== undefined && { input }) });

/** @throws `input.json_invalid`, `input.invalid` */
export function parseFrame(text: string): ClientFrame {
  const members = membersOf(parsePassedJson(text));
  if (members === null) throw invalid('a message is a JSON object');
  const type = members.get('type')?.value;
  if (typeof type !== 'string' || !Object.hasOwn(MEMBERS, type)) {
    throw invalid(`type must be one of ${Object.keys(MEMBERS).join(', ')}`, 'type');
  }
  members.delete('type');
  const known: readonly string[] = MEMBERS[type as FrameType];
  for (const name of members.keys()) if (!known.includes(name)) throw invalid(`${type} has no member ${name}`, name);
  return { type: type as FrameType, members };
}

/** Returns a text, or null if it is absent. @throws `input.invalid` */
export function textIn({ members }: ClientFrame, name: string): string | null {
  const value = members.get(name)?.value;
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  throw invalid(`${name} must be a text`, name);
}

/** Returns the id of a subscription. @throws `input.invalid` */
export function idIn({ members }: ClientFrame): number {
  const value = members.get('id')?.value;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid('id must be a whole number from 0', 'id');
}

/** Returns the subscription or room of a message, which may be invalid, for its failure. */
export function subjectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return {};
    const { id, room } = value;
    return { ...(typeof id === 'number' && { id }), ...(typeof room === 'string' && { room }) };
  } catch {
    return {};
  }
}

/** Formats an event of the subscription with this id. */
export type RenderFrame = (id: number, event: StreamEvent) => string;

/** Creates a function that formats the data of each event once for all sockets. */
export function createRenderFrame(): RenderFrame {
  const rendered = new WeakMap<StreamEvent, string>();
  function rest(event: StreamEvent): string {
    const known = rendered.get(event);
    if (known !== undefined) return known;
    const cursor = event.type === 'end' ? '' : `"cursor":"${event.id}",`;
    const text = `,${cursor}"data":${dataOf(event)}}`;
    rendered.set(event, text);
    return text;
  }
  return (id, event) => `{"type":"${event.type}","id":${id}${rest(event)}`;
}

/** Returns the message for a failure. @param about names what has failed, for example the subscription */
export function errorFrame(error: unknown, about: Readonly<Record<string, unknown>> = {}): string {
  const failure = isAppError(error) ? error : { ...httpFailure('internal'), retryAfter: null };
  const { code, message, retryAfter } = failure;
  const status = isAppError(error) ? statusOf(error.code) : httpFailure('internal').status;
  return JSON.stringify({ type: 'error', ...about, code, message, status, ...(retryAfter !== null && { retryAfter }) });
}
