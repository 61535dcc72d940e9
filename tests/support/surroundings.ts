import { randomBytes } from 'node:crypto';
import { startStandIn } from '@baobab/contracts/oauth';
import { inject } from 'vitest';
import { createDatabase } from './databases.ts';
import type { Surroundings } from './followed.ts';
import { freePort } from './ports.ts';
import { startApns } from './push/apns.ts';
import { startFcm } from './push/fcm.ts';
import { startMailServer } from './smtp.ts';

/** The access token in docs/social.md, and the person and app it was issued for. */
const GOOGLE_TOKEN = 'ya29.a0AfB_token-of-the-app';
const CLIENT_ID = '1234-web.apps.googleusercontent.com';
const PERSON = {
  sub: '110169484474386276334',
  email: 'ann@example.org',
  email_verified: true,
  name: 'Ann Example',
  picture: 'https://lh3.googleusercontent.com/a/photo',
};
const REFUSED = { status: 400, json: { error: 'invalid_token' } };

/** Mock server of Google, with one person. */
const startOnePersonsGoogle = () =>
  startStandIn({
    '/tokeninfo': ({ query }) =>
      query.get('access_token') === GOOGLE_TOKEN
        ? {
            json: {
              aud: CLIENT_ID,
              azp: CLIENT_ID,
              sub: PERSON.sub,
              exp: String(Math.floor(Date.now() / 1000) + 3600),
            },
          }
        : REFUSED,
    '/userinfo': () => ({ json: PERSON }),
  });

/** Creates the surroundings that the project's documents require in addition to Baobab. */
export async function createSurroundings(): Promise<Surroundings & { close(): Promise<void> }> {
  const [fcm, apns, google, mail] = await Promise.all([
    startFcm(),
    startApns(),
    startOnePersonsGoogle(),
    startMailServer({ security: 'none' }),
  ]);
  const [first, second] = await Promise.all([createDatabase({ empty: true }), createDatabase({ empty: true })]);
  const s3 = inject('s3');
  const receiver = await freePort();
  const drill = await freePort();
  return {
    files: {
      'service-account.json': fcm.config.serviceAccount,
      'AuthKey_KEY0000001.p8': apns.config.key,
    },
    env: {
      PUSH_FCM_URL: fcm.url,
      PUSH_APNS_URL: apns.url,
      OAUTH_GOOGLE_URL: google.url,
      // The mail server is on this machine.
      OUTBOUND_PRIVATE: 'on',
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    },
    addresses: {
      'postgres://localhost/restored': first.url,
      'postgres://localhost/app': second.url,
      's3://bucket?region=eu-central-1': s3.url.replace('?', `/${randomBytes(4).toString('hex')}?`),
      // The receiver of docs/webhooks.md.
      'localhost:8099': `localhost:${receiver}`,
      'listen(8099': `listen(${receiver}`,
      // The second server of docs/scheduled-backups.md.
      'localhost:9001': `localhost:${drill}`,
      'PORT=9001': `PORT=${drill}`,
      'network.smtp.port/1025': `network.smtp.port/${mail.port}`,
    },
    async close() {
      await Promise.all([fcm.close(), apns.close(), google.close(), mail.close()]);
      await Promise.all([first.drop(), second.drop()]);
    },
  };
}
