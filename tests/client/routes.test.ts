import { increment, remove } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import { live } from '@baobab/client/live';
import { describe, expect, it } from 'vitest';
import { DOCUMENT_PATH } from '../openapi/generate.ts';
import { ACCOUNT_USES } from '../support/client-account-uses.ts';
import { ADMIN_USES } from '../support/client-admin-uses.ts';
import { GROUP_USES } from '../support/client-group-uses.ts';
import { LEFT_OUT } from '../support/client-left-out.ts';
import { followQuery } from '../support/live/follow-query.ts';
import { readDocument } from '../support/markdown.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>>; readonly required?: boolean };
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  /** Literal characters: of several patterns the one with more of them is meant. */
  readonly weight: number;
  readonly operation: Operation;
}

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
}

const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(readDocument(DOCUMENT_PATH));

const routes: Route[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => typeof operation === 'object' && 'operationId' in operation)
    .map(([method, operation]) => {
      const source = path
        .split(/\{[^}]*\}/)
        .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[^/]+');
      // A path of a field has several segments.
      const end = path.endsWith('/.{fieldPath}') ? '(?:/.+)?' : '';
      const weight = path.replace(/\{[^}]*\}/g, '').length;
      return { method: method.toUpperCase(), pattern: new RegExp(`^${source}${end}$`), weight, operation };
    }),
);

function routeOf({ method, url }: Pick<Sent, 'method' | 'url'>): Route {
  const path = decodeURI(url.pathname);
  const [best] = routes
    .filter((route) => route.method === method && route.pattern.test(path))
    .toSorted((a, b) => b.weight - a.weight);
  if (best === undefined) throw new Error(`no operation has ${method} ${path}`);
  return best;
}

/** A parameter with which a query does not fit into a URL. */
const LONG = 'x'.repeat(4096);

const ANSWER = {
  user: { name: 'ann', roles: [] },
  id: 'x',
  'X-BB-SESSION': 'token',
  members: [],
  exists: true,
  followers: null,
  answer: '250',
  result: 1,
};

/** A use of the client. @param sent the calls that it has made */
type Use = (client: AdminClient, sent: readonly Sent[]) => unknown;

/** The calls that a use of the client makes, to a service that answers the same to all. */
async function sentBy(use: Use): Promise<Sent[]> {
  const sent: Sent[] = [];
  const client = createAdminClient({
    url: 'http://service.test',
    appCode: 'the code',
    keepAlive: 0,
    live,
    storage: {
      getItem: () => JSON.stringify({ token: 'token', user: { id: 'x', username: 'ann', roles: [] } }),
      setItem: () => undefined,
      removeItem: () => undefined,
    },
    fetch: async (input, init = {}) => {
      sent.push({
        method: init.method ?? 'GET',
        url: new URL(String(input)),
        headers: new Headers(init.headers),
        body: init.body,
      });
      const isList =
        /recordsPerPage|count=true|\/changes|sessions$|^[^?]*\/batch$/.test(String(input)) &&
        !/group\//.test(String(input));
      const data = isList ? [{ ...ANSWER, count: 1, http_code: 200, data: {} }] : ANSWER;
      return Response.json({ result: 'ok', data, http_code: 200 });
    },
  });
  const used = await use(client, sent);
  // An address is used by an element of a page.
  if (typeof used === 'string' && used.startsWith('http'))
    sent.push({ method: 'GET', url: new URL(used), headers: new Headers({ 'X-SERVICE-APPCODE': '' }), body: null });
  return sent;
}

/** Requests that reach an operation, of those that a use of the client makes. */
async function sentTo(name: string, use: Use): Promise<Sent[]> {
  const sent = await sentBy(use);
  return use === followQuery ? sent.filter((one) => routeOf(one).operation.operationId === name).slice(0, 1) : sent;
}

const credentials = { username: 'ann', password: 'secret' };
const device = { os: 'ios', deviceId: 'token' } as const;
const token = { oauth_token: 'x' };
const pair = { follower: 'ann', followed: 'bob' };

/** The uses of the client, by the operations that they reach. */
const USES: Readonly<Record<string, readonly Use[]>> = {
  login: [
    ({ auth }) => auth.login(credentials, { device }),
    ({ auth }) => auth.login({ ...credentials, code: '123456' }),
  ],
  loginSecond: [
    ({ auth }) => auth.loginSecond('challenge', { code: '123456' }),
    ({ auth }) => auth.loginSecond('challenge', { recoveryCode: 'x' }),
  ],
  ...ACCOUNT_USES,
  ...GROUP_USES,
  ...ADMIN_USES,
  logout: [({ auth }) => auth.logout()],
  logoutDevice: [({ auth }) => auth.logoutDevice('x')],
  refreshSession: [({ auth }) => auth.refresh(), ({ auth }) => auth.resume('token')],
  readAccess: [({ auth }) => auth.access()],
  listSessions: [({ auth }) => auth.sessions()],
  removeSession: [({ auth }) => auth.endSession('x')],
  removeOtherSessions: [({ auth }) => auth.endOtherSessions()],
  signUpGuest: [({ auth }) => auth.signUpGuest()],
  chooseCredentials: [({ auth }) => auth.makePermanent(credentials)],
  signUp: [({ auth }) => auth.signUp({ ...credentials, visibleByFriend: {} })],
  changeMePassword: [
    ({ auth }) => auth.changePassword({ old: 'a', new: 'b' }),
    ({ auth }) => auth.changePassword({ new: 'b' }),
  ],
  rename: [({ auth }) => auth.rename('bob')],
  suspendMe: [({ auth }) => auth.suspend()],
  deleteMe: [({ auth }) => auth.deleteAccount(), ({ auth }) => auth.deleteAccount({ currentPassword: 'x' })],
  cancelErasure: [({ auth }) => auth.cancelDeletion(credentials)],
  requestPasswordReset: [({ auth }) => auth.requestPasswordReset('ann')],
  listConnections: [({ auth }) => auth.connections()],
  loginBySocialNetwork: [({ auth }) => auth.loginWith('google', token, { device })],
  linkSocialNetwork: [({ auth }) => auth.link('google', token)],
  unlinkSocialNetwork: [({ auth }) => auth.unlink('google')],
  readMe: [({ users }) => users.me()],
  updateMe: [({ users }) => users.updateMe({ visibleByTheUser: {} })],
  readUser: [({ users }) => users.get('ann')],
  userExists: [({ users }) => users.exists('ann')],
  listUsers: [
    ({ users }) => users.query().where('user.name = ?', 'a').orderBy('user.name').page('c'),
    ({ users }) => users.query().count(),
  ],
  queryUsers: [({ users }) => users.query().where('user.name = ?', LONG).page()],
  follow: [({ following }) => following.follow('bob')],
  unfollow: [({ following }) => following.unfollow('bob')],
  following: [({ following }) => following.following().page()],
  followingOf: [({ following }) => following.following('bob').page()],
  followers: [({ following }) => following.followers().page()],
  followersOf: [({ following }) => following.followers('bob').page()],
  removeFollower: [({ following }) => following.removeFollower('bob')],
  readFollowingPolicy: [({ following }) => following.policy()],
  setFollowingPolicy: [({ following }) => following.setPolicy(null)],
  listFollowRequests: [({ following }) => following.requests().page()],
  acceptFollowRequest: [({ following }) => following.accept('bob')],
  declineFollowRequest: [({ following }) => following.decline('bob')],
  block: [({ following }) => following.block('bob')],
  unblock: [({ following }) => following.unblock('bob')],
  blocked: [({ following }) => following.blocked().page()],
  createDocument: [(client) => client.collection('notes').create({ a: 1 })],
  listDocuments: [
    (client) => client.collection('notes').query().where('a = ?', 1).search('d').orderBy('a').expand('b').page('c'),
    (client) => client.collection('notes').query().search('d').select('a').snippet('b').page(),
    (client) => client.collection('notes').query().aggregateBy('a', { n: 'count(*)' }),
  ],
  queryDocuments: [
    (client) => client.collection('notes').query().where('a = ?', LONG).search('d').orderBy('a').expand('b').page('c'),
    (client) => client.collection('notes').query().where('a = ?', LONG).count(),
  ],
  countDocuments: [(client) => client.collection('notes').query().where('a = ?', 1).search('d').count()],
  readDocument: [
    (client) => client.collection('notes').get('x', { expand: ['a'] }),
    (client) => client.collection('notes').grants('x'),
  ],
  replaceDocument: [(client) => client.collection('notes').replace('x', {})],
  patchDocument: [(client) => client.collection('notes').update('x', { a: 1, b: increment(2), c: remove() })],
  removeDocument: [(client) => client.collection('notes').remove('x')],
  readDocumentField: [(client) => client.collection('notes').field('x', 'a.b')],
  setDocumentField: [
    (client) => client.collection('notes').setField('x', 'a.b', 1, { version: 1 }),
    (client) => client.collection('notes').append('x', 'a', 1),
  ],
  removeDocumentField: [(client) => client.collection('notes').removeField('x', 'a', { version: 1 })],
  runBatch: [
    (client) => client.batch([client.collection('notes').operations.get('x')]),
    (client) => client.batchSettled([client.collection('notes').operations.get('x')]),
  ],
  setDocumentGrants: [(client) => client.collection('notes').setGrants('x', {})],
  grantDocumentToUser: [(client) => client.collection('notes').grant('x', 'read', { user: 'bob' })],
  revokeDocumentFromUser: [(client) => client.collection('notes').revoke('x', 'read', { user: 'bob' })],
  grantDocumentToRole: [(client) => client.collection('notes').grant('x', 'read', { role: 'r' })],
  revokeDocumentFromRole: [(client) => client.collection('notes').revoke('x', 'read', { role: 'r' })],
  grantDocumentToGroup: [(client) => client.collection('notes').grant('x', 'read', { group: 'g' })],
  revokeDocumentFromGroup: [(client) => client.collection('notes').revoke('x', 'read', { group: 'g' })],
  readChanges: [followQuery],
  streamChanges: [followQuery],
  storeFile: [({ files }) => files.upload(new Blob(['x']), { attachedData: {}, grants: {} })],
  listFiles: [({ files }) => files.query().page(), ({ files }) => files.query().count()],
  queryFiles: [({ files }) => files.query().where('fileName = ?', LONG).page()],
  readFileDetails: [({ files }) => files.details('x'), ({ files }) => files.grants('x')],
  readFileAttachedData: [({ files }) => files.attachedData('x')],
  readFile: [
    ({ files }) => files.download('x', { size: '50%' }),
    ({ files }) => files.url('x', { sizeId: 0, download: true }),
  ],
  removeFile: [({ files }) => files.remove('x')],
  grantFileToUser: [({ files }) => files.grant('x', 'read', { user: 'bob' })],
  revokeFileFromUser: [({ files }) => files.revoke('x', 'read', { user: 'bob' })],
  grantFileToRole: [({ files }) => files.grant('x', 'read', { role: 'r' })],
  revokeFileFromRole: [({ files }) => files.revoke('x', 'read', { role: 'r' })],
  grantFileToGroup: [({ files }) => files.grant('x', 'read', { group: 'g' })],
  revokeFileFromGroup: [({ files }) => files.revoke('x', 'read', { group: 'g' })],
  readAssetData: [({ assets }) => assets.get('x')],
  readAsset: [({ assets }) => assets.download('x'), ({ assets }) => assets.url('x')],
  readAssetInBox: [({ assets }) => assets.url('x', { size: { width: 1, height: 2 } })],
  readAssetInPercent: [({ assets }) => assets.url('x', { size: { percent: 50 } })],
  readAssetBySizeId: [({ assets }) => assets.url('x', { size: { sizeId: 1 } })],
  readAssetDownload: [({ assets }) => assets.url('x', { download: true })],
  readAssetInBoxDownload: [({ assets }) => assets.url('x', { download: true, size: { width: 1, height: 2 } })],
  readAssetInPercentDownload: [({ assets }) => assets.url('x', { download: true, size: { percent: 50 } })],
  readAssetBySizeIdDownload: [({ assets }) => assets.url('x', { download: true, size: { sizeId: 1 } })],
  createFollowAsAdmin: [({ admin }) => admin.users.follow(pair)],
  removeFollowAsAdmin: [({ admin }) => admin.users.unfollow(pair)],
  listRoles: [({ admin }) => admin.roles.list()],
  readRole: [({ admin }) => admin.roles.get('r')],
  createRole: [({ admin }) => admin.roles.create('r')],
  updateRole: [({ admin }) => admin.roles.update('r', { name: 's' })],
  removeRole: [({ admin }) => admin.roles.remove('r')],
  listCollections: [({ admin }) => admin.collections.list()],
  listCollectionNames: [({ admin }) => admin.collections.names()],
  createCollection: [({ admin }) => admin.collections.create('c')],
  removeCollection: [({ admin }) => admin.collections.remove('c')],
  readRules: [({ admin }) => admin.collections.rules('c')],
  changeRules: [
    ({ admin }) => admin.collections.setRules('c', { read: ['anonymous'] }),
    ({ admin }) => admin.collections.ruleViolations('c', {}),
  ],
  testRules: [({ admin }) => admin.collections.testRules('c', { user: 'ann', action: 'create' })],
  readSchema: [({ admin }) => admin.collections.schema('c'), ({ admin }) => admin.collections.findSchema('c')],
  changeSchema: [({ admin }) => admin.collections.setSchema('c', {}, { dry: true })],
  removeSchema: [({ admin }) => admin.collections.removeSchema('c')],
  listIndexes: [({ admin }) => admin.collections.indexes('c')],
  readIndex: [({ admin }) => admin.collections.index('c', 'a.b')],
  adviseIndexes: [({ admin }) => admin.collections.indexAdvice('c')],
  declareIndex: [({ admin }) => admin.collections.createIndex('c', 'a.b', { unique: true })],
  removeIndex: [
    ({ admin }) => admin.collections.removeIndex('c', 'a.b'),
    ({ admin }) => admin.collections.removeIndex('c', ['a', 'b']),
  ],
  dumpSettings: [({ admin }) => admin.settings.dump()],
  readSection: [({ admin }) => admin.settings.section('Application')],
  setSetting: [({ admin }) => admin.settings.set('Application', 'k', true)],
  listAssets: [({ admin }) => admin.assets.query().page()],
  createAsset: [
    ({ admin }) => admin.assets.create('a', { meta: {} }),
    ({ admin }) => admin.assets.create('a', { file: new Blob(['x']) }),
  ],
  removeAsset: [({ admin }) => admin.assets.remove('a')],
  listAllGroups: [({ admin }) => admin.groups().page()],
  readStatistics: [({ admin }) => admin.statistics()],
  readTraffic: [({ admin }) => admin.traffic()],
  listRequests: [({ admin }) => admin.requests({ status: '4xx', path: '/user', user: 'ann', limit: 5 })],
  readChecks: [({ admin }) => admin.checks(), ({ admin }) => admin.checks({ check: 'mail' })],
  readEnvironment: [({ admin }) => admin.environment()],
  sendTestMail: [({ admin }) => admin.testMail('a@example.org')],
};

const cases = Object.entries(USES).flatMap(([name, uses]) => uses.map((use, at) => ({ name, at, use })));
/** Lists take them, but their answers have other shapes, so that the description leaves them out. */
const UNDESCRIBED = ['fields', 'groupBy', 'count'];
const CREDENTIALS = ['X-BB-SESSION', 'X-SERVICE-APPCODE'];

describe('the calls of the client', () => {
  it.each(cases)('reach $name ($at)', async ({ name, use }) => {
    const sent = await sentTo(name, use);
    const [first, ...others] = sent;
    if (first === undefined) throw new Error('nothing was sent');
    expect(others).toEqual([]);
    const { operation } = routeOf(first);
    expect(operation.operationId).toBe(name);
    const known = [...UNDESCRIBED, ...CREDENTIALS, ...(operation.parameters ?? []).map((one) => one.name)];
    expect([...first.url.searchParams.keys()].filter((parameter) => !known.includes(parameter))).toEqual([]);
    expect(first.headers.has('X-SERVICE-APPCODE')).toBe(true);
  });

  it.each(cases)(
    'send a key where the service takes one, and a body where it wants one: $name ($at)',
    async ({ name, use }) => {
      const [first] = await sentTo(name, use);
      if (first === undefined) throw new Error('nothing was sent');
      const { operation } = routeOf(first);
      const takesKey = (operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key');
      expect(first.headers.has('Idempotency-Key')).toBe(takesKey);
      const { content = {}, required = false } = operation.requestBody ?? {};
      if (required) expect(first.body ?? null).not.toBeNull();
      if (typeof first.body === 'string') expect(Object.keys(content)).toContain(first.headers.get('Content-Type'));
    },
  );

  it('reach every operation of the service, or say why not', () => {
    const described = routes.map(({ operation }) => operation.operationId);
    const accounted = [...Object.keys(USES), ...Object.keys(LEFT_OUT)];
    expect(described.filter((name) => !accounted.includes(name))).toEqual([]);
    expect(accounted.filter((name) => !described.includes(name))).toEqual([]);
    expect(new Set(accounted).size).toBe(accounted.length);
  });
});
