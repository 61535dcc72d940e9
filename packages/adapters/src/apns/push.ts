import { createHash } from 'node:crypto';
import type { Clock, PushNotification, PushOutcome } from '@baobab/core';
import type { Proxies } from '../outbound/index.ts';
import { createProof, notAsked, outcomeWithoutAnswer, retry } from '../push-outcomes.ts';
import type { PushSender } from '../push-service.ts';
import { failureOutcome, isAmbiguous, readFailure } from './answers.ts';
import { type ApnsAnswer, type ApnsConnection, createApnsConnection, type Slot } from './connection.ts';
import { createProviderTokens, type ProviderToken } from './provider-token.ts';
import type { ApnsConfig } from './settings.ts';

export interface ApnsOptions {
  readonly clock: Clock;
  /** Base URL of a replacement for Apple's sandbox and production servers: `<url>/3/device/…`. Null for Apple. */
  readonly url: string | null;
  /** Maximum concurrent requests on a connection, unless Apple allows fewer. */
  readonly maxStreams?: number;
  /** Timeout of one notification, including the connection, in milliseconds. */
  readonly timeLimit?: number;
  /** Certificate authorities that replace the well-known ones, in PEM format. */
  readonly ca?: string | null;
  readonly proxies?: Proxies | null;
}

const PRODUCTION_URL = 'https://api.push.apple.com';
const SANDBOX_URL = 'https://api.sandbox.push.apple.com';
const DEFAULT_MAX_STREAMS = 100;
const DEFAULT_TIME_LIMIT_MS = 8_000;
/** Default lifetime of a notification at Apple, in seconds; the same as FCM's. */
const DEFAULT_LIFE_S = 2_419_200;

/** Returns an id that is the same for every attempt, but different for each device. */
function notificationId({ id, device }: PushNotification): string {
  const hex = createHash('sha256').update(`${id} ${device}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification */
function bodyOf({ id, message, badge, sound, custom }: PushNotification): string {
  const aps = {
    alert: message,
    ...(badge === null ? {} : { badge }),
    ...(sound === null ? {} : { sound }),
  };
  return `{"aps":${JSON.stringify(aps)},"message_id":"${id}"${custom === null ? '' : `,"custom":${custom}`}}`;
}

/** Returns a collapse key as a header: a digest if it has characters that a header cannot contain. */
const collapseId = (key: string): string =>
  /^[!-~]+$/.test(key) ? key : createHash('sha256').update(key).digest('hex');

/** https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns */
function headersOf(config: ApnsConfig, notification: PushNotification, token: ProviderToken, now: number) {
  const { id, collapseKey, timeToLive } = notification;
  const expires = timeToLive === 0 ? 0 : Math.floor(now / 1_000) + (timeToLive ?? DEFAULT_LIFE_S);
  return {
    authorization: `bearer ${token.text}`,
    'apns-topic': config.topic,
    'apns-push-type': 'alert',
    'apns-id': notificationId(notification),
    // A notification with the same id replaces the one on display.
    'apns-collapse-id': collapseId(collapseKey ?? id),
    'apns-expiration': String(expires),
  };
}

/** Sends notifications over Apple's HTTP/2 API, with token authentication. */
export function createApnsPush(options: ApnsOptions): PushSender<ApnsConfig> {
  const { clock, url, ca = null, proxies = null } = options;
  const { maxStreams = DEFAULT_MAX_STREAMS, timeLimit = DEFAULT_TIME_LIMIT_MS } = options;
  const tokens = createProviderTokens(clock);
  const connections = new Map<string, ApnsConnection>();
  const proof = createProof<ApnsConfig>();

  function connectionTo(origin: string): ApnsConnection {
    let connection = connections.get(origin);
    if (connection === undefined) {
      connection = createApnsConnection({ origin, maxStreams, ca, proxies });
      connections.set(origin, connection);
    }
    return connection;
  }

  function failureOf(config: ApnsConfig, answer: ApnsAnswer, token: ProviderToken): PushOutcome {
    const failure = readFailure(answer);
    const { reason } = failure;
    if (isAmbiguous(failure)) return proof.unknownDevice(config, reason);
    if (reason === 'ExpiredProviderToken' && tokens.drop(token)) return retry(reason);
    return failureOutcome(failure, clock.now());
  }

  async function sendOn(
    slot: Slot,
    config: ApnsConfig,
    notification: PushNotification,
    { isWanted, signal }: { isWanted: () => Promise<boolean>; signal: AbortSignal },
  ): Promise<PushOutcome> {
    const token = await tokens.token(config);
    if (!(await isWanted().catch(notAsked))) return { kind: 'unwanted' };
    const headers = headersOf(config, notification, token, clock.now());
    const path = `/3/device/${encodeURIComponent(notification.device)}`;
    const answer = await slot.send({ path, headers, body: bodyOf(notification) }, signal);
    return answer.status === 200 ? proof.delivered(config) : failureOf(config, answer, token);
  }

  return {
    async send(config, notification, isWanted) {
      const signal = AbortSignal.timeout(timeLimit);
      try {
        await tokens.token(config); // an invalid key fails before a connection is opened
        const origin = url ?? (config.sandbox ? SANDBOX_URL : PRODUCTION_URL);
        const slot = await connectionTo(origin).slot(signal);
        try {
          return await sendOn(slot, config, notification, { isWanted, signal });
        } finally {
          slot.release();
        }
      } catch (error) {
        return outcomeWithoutAnswer(error);
      }
    },
    async close() {
      for (const connection of connections.values()) connection.close();
    },
  };
}
