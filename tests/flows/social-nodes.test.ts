import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';
import { APPS, startNetworks, type TestNetworks } from '../support/social.ts';

const APP_CODE = 'two nodes';
const ADMIN = { authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` };

describe('social login on two nodes of one database', () => {
  const nodes: Program[] = [];
  let networks: TestNetworks;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let clients: Client[] = [];

  beforeAll(async () => {
    [networks, database] = await Promise.all([startNetworks({ now: Date.now }), createDatabase()]);
    const env = {
      DATABASE_URL: database.url,
      SECRET_KEY: 'k'.repeat(40),
      APP_CODE,
      ADMIN_PASSWORD: 'admin',
      OAUTH_GOOGLE_URL: networks.urls.google,
    };
    nodes.push(startProgram(env), startProgram(env));
    const addresses = await Promise.all(nodes.map((node) => node.ready()));
    clients = addresses.map((address) => createClient(address, APP_CODE));
    for (const [key, value] of [
      ['enabled', true],
      ['token', APPS.google],
    ]) {
      const path = `/admin/configuration/Social/social.google.${key}`;
      expect((await clients[0]?.('PUT', path, { body: { value }, headers: ADMIN }))?.status).toBe(200);
    }
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.dispose()));
    await networks.close();
    await database.drop();
  });

  const logIn = (node: number, token: string) =>
    (clients[node] as Client)('POST', '/social/google', { body: { oauth_token: token, oauth_secret: token } });
  const issue = (id: string) => networks.google.issue('access token', { person: { id }, clientId: APPS.google });

  it('creates one user and one session from fifty first log-ins on both', async () => {
    for (let round = 0; round < 3; round++) {
      const token = await issue(`person-${round}`);
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => logIn(i % 2, token)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
      expect(new Set(answers.map(({ data }) => data['X-BB-SESSION'])).size).toBe(1);
    }
    const { data } = await (clients[1] as Client)('GET', '/admin/user', { headers: ADMIN });
    expect(data).toHaveLength(3);
  });

  it('shows on one node a link that was created on the other', async () => {
    const token = await issue('somebody');
    const { data } = await logIn(0, token);
    const shown = await (clients[1] as Client)('GET', '/social', { token: data['X-BB-SESSION'] });
    expect(shown.data).toMatchObject([{ from: 'google', id: 'somebody', token }]);
  });
});
