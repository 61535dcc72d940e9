import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StandIn, Trouble } from '@baobab/contracts/oauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';
import { createRecorder, type Recorder } from '../support/recorder.ts';
import { APPS, FACEBOOK_SECRET, type Network, startNetworks, type TestNetworks } from '../support/social.ts';

const APP_CODE = 'canary-application-code';
const PERSON = 'person-at-the-network';

/** Ways in which a network may repeat what it was sent. */
const TROUBLES: readonly Trouble[] = [
  'says nothing',
  'cuts the connection',
  'speaks no HTTP',
  'answers HTML',
  'redirects',
];

describe('tokens of social networks', () => {
  const folder = createFolder();
  let networks: TestNetworks;
  let program: Program;
  let recorder: Recorder;
  let database = '';
  const secrets = new Map<string, string>([['the secret of the app', FACEBOOK_SECRET]]);
  const ask: Recorder['ask'] = (request) => recorder.ask(request);

  async function issue(network: Network, kind: string, clientId: string = APPS[network]): Promise<string> {
    const token = await networks[network].issue(kind, { person: { id: PERSON }, clientId });
    secrets.set(`a token of ${network}`, token);
    secrets.set(`the end of a token of ${network}`, token.slice(-24));
    return token;
  }

  /** A token in every place where one is valid, and where none is. */
  async function sendAround(network: Network, token: string, session: Record<string, string>): Promise<void> {
    const tokens = { oauth_token: token, oauth_secret: token };
    const query = new URLSearchParams(tokens);
    for (const [method, headers] of [
      ['POST', {}],
      ['PUT', session],
      ['DELETE', session],
      ['GET', session],
    ] as const) {
      const path = `/social/${network}`;
      await ask({ method, path: `${path}?${query}`, headers });
      await ask({ method, path: `${path}?${query}&x=%`, headers });
      if (method === 'GET') continue;
      for (const body of [
        tokens,
        query,
        { ...tokens, nonce: 1 },
        { ...tokens, login_data: token },
        `{"oauth_token":${token}`,
      ]) {
        await ask({ method, path, headers, body });
      }
      await ask({ method, path, headers: { ...headers, 'content-type': 'text/plain' }, body: token });
    }
  }

  async function inTrouble(network: Network, standIn: StandIn, session: Record<string, string>): Promise<void> {
    for (const trouble of TROUBLES) {
      standIn.trouble = trouble;
      const token = await issue(network, 'access token');
      const body = { oauth_token: token, oauth_secret: token };
      const asked = ask({ method: 'POST', path: `/social/${network}`, body, headers: session });
      if (trouble === 'says nothing') {
        await new Promise((resolve) => setTimeout(resolve, 300));
        standIn.trouble = 'cuts the connection';
        standIn.cut();
      }
      await asked;
    }
    standIn.trouble = null;
  }

  beforeAll(async () => {
    networks = await startNetworks({ now: Date.now });
    program = startProgram({
      DATA_DIR: folder.path,
      APP_CODE,
      ADMIN_PASSWORD: 'admin',
      RATE_LIMIT: 'off',
      OUTBOUND_PRIVATE: 'on',
      LOG_LEVEL: 'debug',
      OAUTH_GOOGLE_URL: `${networks.urls.google}/`,
      OAUTH_FACEBOOK_URL: networks.urls.facebook,
    });
    recorder = createRecorder(await program.ready(), APP_CODE);
    const headers = { authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` };
    const settings = {
      'social.google.enabled': true,
      'social.google.token': APPS.google,
      'social.facebook.enabled': true,
      'social.facebook.token': APPS.facebook,
      'social.facebook.secret': FACEBOOK_SECRET,
      'social.openid.enabled': true,
      'social.openid.token': APPS.openid,
      'social.openid.issuer': networks.openid.issuer,
    };
    for (const [key, value] of Object.entries(settings)) {
      const path = `/admin/configuration/Social/${key}`;
      expect((await ask({ method: 'PUT', path, headers, body: { value } })).status).toBe(200);
    }
    for (const network of ['google', 'facebook', 'openid'] as const) {
      const token = await issue(network, 'access token');
      const body = { oauth_token: token, oauth_secret: token };
      const { status, data } = await ask({ method: 'POST', path: `/social/${network}`, body });
      expect(status).toBe(200);
      const session = { 'x-bb-session': data['X-BB-SESSION'] };
      secrets.set(`the session of ${network}`, session['x-bb-session']);
      await sendAround(network, token, session);
      if (network === 'google') await sendAround(network, await issue(network, 'id_token'), session);
      await sendAround(network, await issue(network, 'access token', 'another-app'), session);
      await inTrouble(network, networks[network].standIn, session);
      // Visible to their own user.
      const { status: found } = await ask({
        method: 'GET',
        path: '/social',
        headers: session,
        mayShow: [...secrets.values()],
      });
      expect(found).toBe(200);
    }
    program.kill('SIGTERM');
    await program.exit;
    database = readdirSync(folder.path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(folder.path, name), 'latin1'))
      .join('\n');
  });
  afterAll(async () => {
    await program.dispose();
    await networks.close();
    folder.remove();
  });

  it('are in no answer but that to their own user', () => {
    expect(recorder.answers.length).toBeGreaterThan(100);
    for (const { what, text } of recorder.answers) {
      const shown = [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
      expect([what.replace(/\?.*/, ''), shown]).toEqual([what.replace(/\?.*/, ''), []]);
    }
  });

  it('are in no log, at any level, though it contains what went wrong', () => {
    const log = `${program.output()}\n${program.errors()}`;
    expect(log).toContain('request not served');
    expect(log).toContain('the request failed: UND_ERR_SOCKET');
    expect(log).toContain('"path":"/social/google"');
    expect([...secrets].filter(([, secret]) => log.includes(secret)).map(([name]) => name)).toEqual([]);
  });

  it('are in the database only in unusable forms', () => {
    expect(database).toContain(PERSON);
    expect([...secrets].filter(([, secret]) => database.includes(secret)).map(([name]) => name)).toEqual([]);
  });
});
