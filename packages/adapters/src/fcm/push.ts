import type { Clock, PushNotification, PushOutcome } from '@baobab/core';
import type { Proxies } from '../outbound/index.ts';
import { createProof, members, notAsked, outcomeWithoutAnswer, retry } from '../push-outcomes.ts';
import type { PushSender } from '../push-service.ts';
import { type AccessToken, createAccessTokens, readServiceAccount } from './access-token.ts';
import { failureOutcome, isAmbiguous, readFailure } from './answers.ts';
import { createPoster, type PostAnswer } from './poster.ts';
import type { FcmConfig } from './settings.ts';

export interface FcmOptions {
  readonly clock: Clock;
  /** Base URL of a replacement for Google: `<url>/token` and `<url>/v1/projects/…`. Null for Google. */
  readonly url: string | null;
  readonly connections?: number;
  /** Timeout of one notification, including its access token, in milliseconds. */
  readonly timeLimit?: number;
  /** Certificate authorities that replace the well-known ones, in PEM format. */
  readonly ca?: string | null;
  readonly proxies?: Proxies | null;
}

const FCM_URL = 'https://fcm.googleapis.com';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const DEFAULT_CONNECTIONS = 50;
const DEFAULT_TIME_LIMIT_MS = 8_000;

/** https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages */
function messageJson({ id, device, message, badge, sound, custom, collapseKey, timeToLive }: PushNotification): string {
  return JSON.stringify({
    message: {
      token: device,
      notification: { body: message },
      data: { message, message_id: id, ...(custom === null ? {} : { custom }) },
      android: {
        ...(collapseKey === null ? {} : { collapse_key: collapseKey }),
        ...(timeToLive === null ? {} : { ttl: `${timeToLive}s` }),
        notification: {
          // A notification with the same tag replaces the one on display.
          tag: collapseKey ?? id,
          ...(sound === null ? {} : { sound }),
          ...(badge === null ? {} : { notification_count: badge }),
        },
      },
    },
  });
}

/** Sends notifications over the HTTP v1 API of Firebase Cloud Messaging. */
export function createFcmPush(options: FcmOptions): PushSender<FcmConfig> {
  const { clock, url, connections = DEFAULT_CONNECTIONS, timeLimit = DEFAULT_TIME_LIMIT_MS } = options;
  const { ca = null, proxies = null } = options;
  const { post, close } = createPoster({ connections, timeLimit, ca, proxies });
  const tokens = createAccessTokens({
    post,
    clock,
    timeLimit: timeLimit / 2,
    url: url === null ? TOKEN_URL : `${url}/token`,
  });
  const proof = createProof<FcmConfig>();

  async function failureOf(config: FcmConfig, answer: PostAnswer, token: AccessToken): Promise<PushOutcome> {
    const failure = readFailure(answer.text);
    if (isAmbiguous(answer.status, failure)) return proof.unknownDevice(config, failure.code ?? '');
    if (answer.status === 401 && !(await tokens.drop(token))) return retry(failure.code ?? 'status 401');
    return failureOutcome(answer, failure, clock.now());
  }

  async function outcomeOf(config: FcmConfig, answer: PostAnswer, token: AccessToken): Promise<PushOutcome> {
    if (answer.status !== 200) return failureOf(config, answer, token);
    if (typeof members(answer.text).name !== 'string') return retry('the answer is not from FCM');
    return proof.delivered(config);
  }

  async function sendWith(
    config: FcmConfig,
    notification: PushNotification,
    isWanted: () => Promise<boolean>,
  ): Promise<PushOutcome> {
    const signal = AbortSignal.timeout(timeLimit);
    const account = readServiceAccount(config);
    const token = await tokens.token(account);
    if (!(await isWanted().catch(notAsked))) return { kind: 'unwanted' };
    const target = `${url ?? FCM_URL}/v1/projects/${encodeURIComponent(account.project)}/messages:send`;
    const headers = { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' };
    return outcomeOf(config, await post(target, { headers, body: messageJson(notification), signal }), token);
  }

  return {
    async send(config, notification, isWanted) {
      try {
        return await sendWith(config, notification, isWanted);
      } catch (error) {
        return outcomeWithoutAnswer(error);
      }
    },
    close,
  };
}
