import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FcmConfig } from '@baobab/adapters/fcm';
import {
  createCounter,
  GARBAGE,
  MAX_PAYLOAD_BYTES,
  type PushStandIn,
  type ReceivedPush,
  type Reply,
  textOf,
} from './stand-in.ts';

const PROJECT = 'my-app';
const EMAIL = 'sender@my-app.iam.gserviceaccount.com';
const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';

function decode(part: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
}

/** Returns true if a signed token request is valid by Google's rules. */
function isSigned(assertion: string, key: KeyObject): boolean {
  const [header, claims, signature] = assertion.split('.');
  const { alg } = decode(header);
  const { iss, aud, scope, iat, exp } = decode(claims) as Record<string, unknown> & { iat: number; exp: number };
  const now = Date.now() / 1_000;
  return (
    alg === 'RS256' &&
    iss === EMAIL &&
    aud === 'https://oauth2.googleapis.com/token' &&
    scope === 'https://www.googleapis.com/auth/firebase.messaging' &&
    iat <= now + 60 &&
    exp > now &&
    exp - iat <= 3_600 &&
    verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature ?? '', 'base64url'))
  );
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

function failure(status: number, code: string, details: readonly object[] = [], message = 'no'): [number, string] {
  const known = [{ '@type': FCM_ERROR, errorCode: code }, ...details];
  return [status, JSON.stringify({ error: { code: status, message, status: code, details: known } })];
}

const ANSWERS: Readonly<Record<string, [number, string]>> = {
  dead: failure(404, 'UNREGISTERED'),
  'unknown device': failure(403, 'SENDER_ID_MISMATCH'),
  'bad notification': failure(400, 'INVALID_ARGUMENT'),
  'bad credentials': failure(403, 'PERMISSION_DENIED'),
  expired: failure(401, 'UNAUTHENTICATED'),
  down: failure(503, 'UNAVAILABLE'),
  garbage: [200, GARBAGE],
};

/** Mock server of Firebase Cloud Messaging, with Google's token endpoint. */
export type FcmStandIn = PushStandIn<FcmConfig> & {
  /** Number of issued access tokens. */
  readonly tokens: number;
};

export async function startFcm(): Promise<FcmStandIn> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const received: ReceivedPush[] = [];
  const tokens = new Set<string>();
  const sockets = new Set<Socket>();
  const count = createCounter();
  let decide: (device: string, nth: number) => Reply = () => 'accept';
  let connections = 0;

  function answer(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers }).end(text);
  }

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request));
    const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (!isGrant || !isSigned(form.get('assertion') ?? '', publicKey)) {
      answer(response, 400, '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}');
      return;
    }
    const token = randomBytes(16).toString('base64url');
    tokens.add(token);
    answer(response, 200, JSON.stringify({ access_token: token, expires_in: 3_599, token_type: 'Bearer' }));
  }

  function record(text: string, credential: string): ReceivedPush {
    const { token, notification, data, android } = JSON.parse(text).message;
    const isTooLarge = bytes({ notification, data, android }) > MAX_PAYLOAD_BYTES;
    const { tag, sound = null, notification_count = null } = android.notification;
    const push: ReceivedPush = {
      device: token,
      collapse: tag,
      id: data.message_id,
      text: notification.body,
      badge: notification_count,
      sound,
      custom: data.custom === undefined ? null : JSON.parse(data.custom),
      timeToLive: android.ttl === undefined ? null : Number(/^(\d+)s$/.exec(android.ttl)?.[1]),
      credential,
      at: Date.now(),
      reply: isTooLarge ? 'bad notification' : decide(token, count(token)),
    };
    if (data.message !== push.text) throw new Error('the app would see another text');
    received.push(push);
    return push;
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const credential = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!tokens.has(credential)) {
      answer(response, ...failure(401, 'UNAUTHENTICATED'));
      return;
    }
    const push = record(text, credential);
    if (push.reply === 'expired') tokens.delete(credential);
    if (push.reply === 'cut' || push.reply === 'accept and cut') request.socket.destroy();
    else if (push.reply !== 'hang') say(response, push);
  }

  function say(response: ServerResponse, { reply, device }: ReceivedPush): void {
    if (typeof reply === 'object') {
      answer(response, ...failure(429, 'QUOTA_EXCEEDED'), { 'retry-after': String(reply.busyFor) });
    } else if (reply === 'accept') {
      answer(response, 200, JSON.stringify({ name: `projects/${PROJECT}/messages/${device}` }));
    } else answer(response, ...(ANSWERS[reply] ?? [500, '']));
  }

  const server = createServer((request, response) => {
    const handle = { '/token': giveToken, [`/v1/projects/${PROJECT}/messages:send`]: take }[request.url ?? ''];
    if (handle === undefined || request.method !== 'POST') answer(response, ...failure(404, 'NOT_FOUND'));
    else handle(request, response).catch((error: unknown) => answer(response, 500, String(error)));
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const account = { type: 'service_account', project_id: PROJECT, client_email: EMAIL, private_key: pem };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    config: { project: '', serviceAccount: JSON.stringify(account) },
    received,
    get tokens() {
      return tokens.size;
    },
    get connections() {
      return connections;
    },
    mostAtOnce: 1,
    behave(how) {
      decide = how;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
