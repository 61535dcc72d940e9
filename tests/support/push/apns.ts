import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ApnsConfig } from '@baobab/adapters/apns';
import {
  createCounter,
  GARBAGE,
  MAX_PAYLOAD_BYTES,
  type PushStandIn,
  type ReceivedPush,
  type Reply,
  textOf,
} from './stand-in.ts';

const TEAM = 'TEAM000001';
const KEY_ID = 'KEY0000001';
const TOPIC = 'org.example.app';

const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));

/** Returns the time at which a provider token was signed, in seconds. */
export const signedAt = (authorization: string): number => decode(authorization.split('.')[1]).iat;

/** Returns the reason why a provider token is rejected; null if it is accepted. */
function complaintOf(authorization: string, key: KeyObject): string | null {
  const [header, claims, signature] = (/^bearer (.+)$/.exec(authorization)?.[1] ?? '').split('.');
  if (signature === undefined) return 'MissingProviderToken';
  const { alg, kid } = decode(header);
  const { iss, iat } = decode(claims);
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  const isSigned = verify('sha256', Buffer.from(`${header}.${claims}`), options, Buffer.from(signature, 'base64url'));
  if (alg !== 'ES256' || kid !== KEY_ID || iss !== TEAM || !isSigned) return 'InvalidProviderToken';
  return Math.abs(Date.now() / 1_000 - iat) > 3_600 ? 'ExpiredProviderToken' : null;
}

/** Minimum time between new tokens on a connection, in seconds. */
const LEAST_AGE_S = 20 * 60;
const TOO_MANY_TOKENS = '{"reason":"TooManyProviderTokenUpdates"}';

const UNREGISTERED_SINCE = Date.UTC(2100, 0);
const ANSWERS: Readonly<Record<string, [number, string]>> = {
  accept: [200, ''],
  dead: [410, JSON.stringify({ reason: 'Unregistered', timestamp: UNREGISTERED_SINCE })],
  'unknown device': [400, '{"reason":"BadDeviceToken"}'],
  'bad notification': [400, '{"reason":"BadCollapseId"}'],
  'bad credentials': [403, '{"reason":"InvalidProviderToken"}'],
  expired: [403, '{"reason":"ExpiredProviderToken"}'],
  'too many credentials': [429, TOO_MANY_TOKENS],
  down: [503, '{"reason":"ServiceUnavailable"}'],
  garbage: [404, GARBAGE],
};

export interface ApnsStandIn extends PushStandIn<ApnsConfig> {
  /** Sends GOAWAY on all connections (RFC 9113, section 6.8), and finishes the streams in progress. */
  goAway(): void;
  /** Resets one stream midway, not the connection. */
  resetNext(): void;
}

/** Mock server of Apple's push notification service. */
export async function startApns({ maxStreams = 1_000 } = {}): Promise<ApnsStandIn> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const received: ReceivedPush[] = [];
  const sessions = new Map<Http2Session, number>();
  const tokens = new WeakMap<Http2Session, string>();
  const count = createCounter();
  let decide: (device: string, nth: number) => Reply = () => 'accept';
  let connections = 0;
  let mostAtOnce = 0;
  let resets = 0;

  function answer(stream: ServerHttp2Stream, [status, text]: [number, string], headers: object = {}): void {
    if (stream.destroyed) return;
    stream.respond({ ':status': status, ...headers });
    stream.end(text);
  }

  function record(headers: IncomingHttpHeaders, text: string): ReceivedPush {
    const body = JSON.parse(text);
    const device = decodeURIComponent(String(headers[':path']).slice('/3/device/'.length));
    const expiration = Number(headers['apns-expiration']);
    const push: ReceivedPush = {
      device,
      collapse: String(headers['apns-collapse-id']),
      id: body.message_id,
      text: body.aps.alert,
      badge: body.aps.badge ?? null,
      sound: body.aps.sound ?? null,
      custom: body.custom ?? null,
      timeToLive: expiration === 0 ? 0 : Math.round(expiration - Date.now() / 1_000),
      credential: String(headers.authorization),
      at: Date.now(),
      reply: decide(device, count(device)),
    };
    received.push(push);
    return push;
  }

  /** Returns the error for a token that replaces one that is not old enough on this connection. */
  function refusalOfToken(session: Http2Session | undefined, token: string): [number, string] | null {
    if (session === undefined) return null;
    const former = tokens.get(session) ?? token;
    if (former !== token && signedAt(token) - signedAt(former) < LEAST_AGE_S) return [429, TOO_MANY_TOKENS];
    tokens.set(session, token);
    return null;
  }

  /** Returns the errors that Apple reports before checking the device. */
  function refusalOf(headers: IncomingHttpHeaders, text: string): [number, string] | null {
    if (headers[':method'] !== 'POST' || !/^\/3\/device\/./.test(String(headers[':path']))) {
      return [404, '{"reason":"BadPath"}'];
    }
    const complaint = complaintOf(String(headers.authorization), publicKey);
    if (complaint !== null) return [403, JSON.stringify({ reason: complaint })];
    if (headers['apns-topic'] !== TOPIC) return [400, '{"reason":"BadTopic"}'];
    if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) return [413, '{"reason":"PayloadTooLarge"}'];
    const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(headers['apns-id']));
    return isId && headers['apns-push-type'] === 'alert' ? null : [400, '{"reason":"BadMessageId"}'];
  }

  async function take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const text = await textOf(stream);
    const refusal = refusalOf(headers, text) ?? refusalOfToken(stream.session, String(headers.authorization));
    if (refusal !== null) {
      answer(stream, refusal);
      return;
    }
    if (resets > 0) {
      resets--;
      stream.close(2);
      return;
    }
    const { reply } = record(headers, text);
    if (reply === 'hang') return;
    if (reply === 'cut' || reply === 'accept and cut') stream.session?.destroy();
    else if (typeof reply === 'object') {
      answer(stream, [429, '{"reason":"TooManyRequests"}'], { 'retry-after': String(reply.busyFor) });
    } else answer(stream, ANSWERS[reply] ?? [500, '']);
  }

  const server = createServer({ settings: { maxConcurrentStreams: maxStreams } });
  server.on('session', (session) => {
    connections++;
    sessions.set(session, 0);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    const { session } = stream;
    const change = (by: number) => {
      if (session === undefined || !sessions.has(session)) return;
      sessions.set(session, (sessions.get(session) ?? 0) + by);
      mostAtOnce = Math.max(mostAtOnce, sessions.get(session) ?? 0);
    };
    change(1);
    stream.on('error', () => undefined);
    stream.on('close', () => change(-1));
    take(stream, headers).catch(() => stream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    config: {
      team: TEAM,
      topic: TOPIC,
      keyId: KEY_ID,
      key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      sandbox: true,
    },
    received,
    get connections() {
      return connections;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    behave(how) {
      decide = how;
    },
    goAway() {
      for (const session of sessions.keys()) session.close();
    },
    resetNext() {
      resets++;
    },
    async close() {
      for (const session of sessions.keys()) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
