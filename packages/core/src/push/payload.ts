import { AppError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json-text.ts';
import type { PushNotification } from '../ports/push.ts';
import { byteLength } from '../utf8.ts';

/** The notification from the sender's request, without recipients. */
export type PushPayload = Omit<PushNotification, 'id' | 'device'>;

/** Maximum time to live supported by both push services (FCM: 28 days), in seconds. */
const MAX_TIME_TO_LIVE_S = 2_419_200;
/** Both push services accept 4096 bytes; names, ids and punctuation need the rest. */
const MAX_PAYLOAD_BYTES = 3_584;
/** Apple's limit for `apns-collapse-id`. */
const MAX_COLLAPSE_KEY_BYTES = 64;
const MAX_BADGE = 2_147_483_647;
/** Maximum number of recipients of one message. */
const MAX_RECIPIENTS = 1_000;

const invalid = (input: string, detail: string) => new AppError('input.invalid', { detail, input });

function text(body: JsonObject, name: string): string | null {
  const value = body[name] ?? null;
  if (value !== null && typeof value !== 'string') throw invalid(`/${name}`, `"${name}" must be a text`);
  return value;
}

function wholeNumber(body: JsonObject, name: string, most: number): number | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) {
    throw invalid(`/${name}`, `"${name}" must be a whole number from 0 to ${most}`);
  }
  return value;
}

function customOf({ custom = null }: JsonObject): string | null {
  if (custom === null) return null;
  if (!isJsonObject(custom)) throw invalid('/custom', '"custom" must be an object');
  return JSON.stringify(custom);
}

/** Returns the size in the largest form that is sent, in bytes. FCM gets the text twice, and `custom` as a text. */
function sizeOf({ message, sound, custom, collapseKey }: PushPayload): number {
  let bytes = 0;
  for (const part of [message, message, custom ?? '', sound ?? '', collapseKey ?? '']) {
    bytes += byteLength(JSON.stringify(part));
  }
  return bytes;
}

function objectOf(body: JsonValue): JsonObject {
  if (!isJsonObject(body)) throw invalid('', 'the body must be an object');
  return body;
}

/**
 * Parses the notification in a request: `message`, `custom`, `badge`, `sound`, `collapse_key`, `time_to_live`.
 *
 * @throws `input.empty` if there is no text to show, `input.invalid`, `push.too_large`
 */
export function parsePayload(sent: JsonValue): PushPayload {
  const body = objectOf(sent);
  const message = text(body, 'message');
  if (message === null || message === '') {
    const detail = message === null ? '"message" is missing' : '"message" must not be empty';
    throw new AppError('input.empty', { detail, input: '/message' });
  }
  const collapseKey = text(body, 'collapse_key') || null;
  if (byteLength(collapseKey ?? '') > MAX_COLLAPSE_KEY_BYTES) {
    throw invalid('/collapse_key', `"collapse_key" must have at most ${MAX_COLLAPSE_KEY_BYTES} bytes`);
  }
  const payload = {
    message,
    badge: wholeNumber(body, 'badge', MAX_BADGE),
    sound: text(body, 'sound') || null,
    custom: customOf(body),
    collapseKey,
    timeToLive: wholeNumber(body, 'time_to_live', MAX_TIME_TO_LIVE_S),
  };
  if (sizeOf(payload) > MAX_PAYLOAD_BYTES) throw new AppError('push.too_large');
  return payload;
}

/** Parses `users`: names, possibly with repetitions. @throws `input.array_expected`, `input.invalid` */
export function parseRecipients(sent: JsonValue): readonly string[] {
  const { users = null } = objectOf(sent);
  if (!Array.isArray(users)) throw new AppError('input.array_expected', { detail: '"users"', input: '/users' });
  const names = users.filter((name) => typeof name === 'string');
  if (names.length !== users.length) throw invalid('/users', '"users" must hold names');
  if (names.length === 0 || names.length > MAX_RECIPIENTS) {
    throw invalid('/users', `"users" must hold 1 to ${MAX_RECIPIENTS} names`);
  }
  return names;
}
