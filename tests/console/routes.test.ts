import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** By route: the view that reaches it, below `views`, and the call in its source. */
const REACHED: Readonly<Record<string, readonly [view: string, call: string]>> = {
  'GET /admin/user': ['users/users.tsx', 'client.admin.users.query()'],
  'POST /admin/user': ['users/new-user.tsx', 'client.admin.users.create('],
  'GET /admin/user/{username}': ['users/user.tsx', 'client.admin.users.get('],
  'PUT /admin/user/{username}': ['users/profile-editor.tsx', 'users.update('],
  'DELETE /admin/user/{username}': ['users/user.tsx', 'client.admin.users.remove('],
  'PUT /admin/user/{username}/password': ['users/credentials.tsx', 'users.setPassword('],
  'DELETE /admin/user/{username}/factors': ['users/credentials.tsx', 'users.resetSecondFactor('],
  'PUT /admin/user/suspend/{username}': ['users/user.tsx', 'users.suspend('],
  'PUT /admin/user/activate/{username}': ['users/user.tsx', 'users.activate('],
  'GET /admin/user/{username}/sessions': ['users/sessions.tsx', 'users.sessions('],
  'DELETE /admin/user/{username}/sessions': ['users/sessions.tsx', 'users.endSessions('],
  'DELETE /admin/user/{username}/sessions/{id}': ['users/sessions.tsx', 'users.endSession('],
  'GET /admin/user/{username}/access': ['users/account-access.tsx', 'users.access('],
  'POST /admin/user/{username}/secure': ['users/account-access.tsx', 'users.secure('],
  'DELETE /admin/user/{username}/passkeys/{id}': ['users/account-access.tsx', 'users.removePasskey('],
  'DELETE /admin/user/{username}/social/{network}': ['users/account-access.tsx', 'users.unlink('],
  'GET /admin/roles': ['users/role-select.tsx', 'client.admin.roles.list('],
  'GET /admin/configuration/dump.json': ['settings/settings.tsx', 'client.admin.settings.dump('],
  'GET /admin/configuration/{section}': ['settings/settings.tsx', 'client.admin.settings.section('],
  'PUT /admin/configuration/{section}/{key}': ['settings/settings-form.tsx', 'client.admin.settings.set('],
  'GET /admin/collection': ['collections/collections.tsx', 'client.admin.collections.list('],
  'GET /admin/collection/names': ['collections/collections.tsx', 'client.admin.collections.names('],
  'POST /admin/collection/{name}': ['collections/new-collection.tsx', 'admin.collections.create('],
  'DELETE /admin/collection/{name}': [
    'collections/configuration/configuration.tsx',
    'client.admin.collections.remove(',
  ],
  'GET /admin/collection/{name}/rules': ['collections/configuration/rules-editor.tsx', 'admin.collections.rules('],
  'PUT /admin/collection/{name}/rules': ['collections/configuration/rules-editor.tsx', 'collections.setRules('],
  'POST /admin/collection/{name}/rules/test': ['collections/access-test.tsx', 'collections.testRules('],
  'GET /admin/collection/{name}/schema': ['collections/use-schema.ts', 'collections.findSchema('],
  'PUT /admin/collection/{name}/schema': ['collections/configuration/schema-editor.tsx', 'collections.setSchema('],
  'DELETE /admin/collection/{name}/schema': [
    'collections/configuration/schema-editor.tsx',
    'collections.removeSchema(',
  ],
  'GET /admin/collection/{name}/index': ['collections/configuration/collection-indexes.tsx', 'collections.indexes('],
  'GET /admin/collection/{name}/search': ['collections/use-search.ts', 'collections.findSearch('],
  'PUT /admin/collection/{name}/search': ['collections/configuration/collection-search.tsx', 'collections.setSearch('],
  'DELETE /admin/collection/{name}/search': [
    'collections/configuration/collection-search.tsx',
    'collections.removeSearch(',
  ],
  'PUT /admin/collection/{name}/index/{path}': [
    'collections/configuration/collection-indexes.tsx',
    'collections.createIndex(',
  ],
  'DELETE /admin/collection/{name}/index/{path}': [
    'collections/configuration/collection-indexes.tsx',
    'collections.removeIndex(',
  ],
  'GET /admin/statistics': ['overview/overview.tsx', 'admin.statistics('],
  'GET /admin/traffic': ['overview/overview.tsx', 'admin.traffic('],
  'GET /admin/requests': ['logs/logs.tsx', 'admin.requests('],
  'GET /admin/checks': ['health/health.tsx', 'admin.checks('],
  'POST /admin/mail/test': ['settings/page-tests.tsx', 'admin.testMail('],
  'GET /admin/configuration/environment': ['settings/environment.tsx', 'admin.environment('],
  'POST /push/message': ['push/compose.tsx', 'client.push.send('],
  'GET /admin/push/messages': ['push/recent.tsx', 'client.push.list('],
  'GET /push/message/{target}': ['push/deliveries.tsx', 'client.push.state('],
  'GET /admin/user/{username}/belongings': ['users/user.tsx', 'client.admin.users.belongings('],
  'POST /admin/follow/{follower}/to/{tofollow}': ['users/relations.tsx', 'users.follow('],
  'DELETE /admin/follow/{follower}/to/{tofollow}': ['users/relations.tsx', 'users.unfollow('],
  'POST /admin/role/{name}': ['roles/role-form.tsx', 'roles.create('],
  'PUT /admin/role/{name}': ['roles/role-form.tsx', 'roles.update('],
  'DELETE /admin/role/{name}': ['roles/roles.tsx', 'roles.remove('],
  'GET /admin/group': ['groups/groups.tsx', 'client.admin.groups('],
  'GET /admin/asset': ['assets/assets.tsx', 'client.admin.assets.query('],
  'POST /admin/asset': ['assets/new-asset.tsx', 'client.admin.assets.create('],
  'DELETE /admin/asset/{name}': ['assets/asset.tsx', 'client.admin.assets.remove('],
  'GET /admin/webhook': ['webhooks/use-webhook-states.ts', 'webhooks.list('],
  'POST /admin/webhook': ['webhooks/webhooks.tsx', 'client.admin.webhooks.create('],
  'GET /admin/webhook/{id}': ['webhooks/webhook.tsx', 'webhooks.get('],
  'PUT /admin/webhook/{id}': ['webhooks/webhook.tsx', 'webhooks.update('],
  'DELETE /admin/webhook/{id}': ['webhooks/webhook.tsx', 'webhooks.remove('],
  'POST /admin/webhook/{id}/secret': ['webhooks/webhook.tsx', 'webhooks.rotateSecret('],
  'POST /admin/webhook/{id}/test': ['webhooks/webhook.tsx', 'webhooks.test('],
  'GET /admin/webhook/{id}/deliveries': ['webhooks/deliveries.tsx', 'webhooks.deliveries('],
  'POST /admin/webhook/{id}/deliveries/{delivery}/replay': ['webhooks/deliveries.tsx', 'webhooks.replay('],
  'GET /admin/index/{list}': ['indexes/indexes.tsx', 'indexes.list('],
  'PUT /admin/index/{list}/{path}': ['indexes/indexes.tsx', 'indexes.create('],
  'DELETE /admin/index/{list}/{path}': ['indexes/indexes.tsx', 'indexes.remove('],
  'GET /admin/access': ['access/access.tsx', 'client.admin.access('],
  'GET /admin/audit': ['audit/audit.tsx', 'client.admin.audit.list('],
  'GET /admin/backup': ['settings/backups.tsx', 'backups.state('],
  'POST /admin/backup': ['settings/backups.tsx', 'backups.begin('],
  'POST /admin/backup/download': ['settings/backups.tsx', 'backups.download('],
  'DELETE /admin/backup/{name}': ['settings/backups.tsx', 'backups.remove('],
  'POST /admin/backup/restore': ['settings/restore.tsx', 'backups.restore('],
  'GET /admin/key': ['keys/keys.tsx', 'keys.list('],
  'POST /admin/key': ['keys/new-key.tsx', 'keys.create('],
  'GET /admin/key/{id}': ['keys/key.tsx', 'keys.get('],
  'DELETE /admin/key/{id}': ['keys/key.tsx', 'keys.remove('],
};

/** By route: why no view reaches it. A route that a view reaches does not belong here. */
const UNREACHED: Readonly<Record<string, string>> = {
  'POST /admin/Fw/{follower}/to/{tofollow}': 'an old name of POST /admin/follow/{follower}/to/{tofollow}',
  'DELETE /admin/Fw/{follower}/to/{tofollow}': 'an old name of DELETE /admin/follow/{follower}/to/{tofollow}',
  'GET /admin/role': 'an old name of GET /admin/roles',
  'GET /admin/role/{name}': 'the list of roles has all that it answers',
  'PUT /admin/configuration/{section}/{key}/{value}': 'an old form of PUT /admin/configuration/{section}/{key}',
  'GET /admin/collection/{name}/index/{path}': 'the list of indexes has all that it answers',
  'GET /admin/collection/{name}/index/advice':
    'of one process only, and changes with every search; for `curl` and scripts',
  'GET /admin/index/{list}/{path}': 'the list of indexes has all that it answers',
  'GET /metrics': 'for Prometheus; the overview has GET /admin/traffic',
  'POST /push/message/{target}': 'an old form of POST /push/message',
};

const METHODS = ['get', 'post', 'put', 'delete'];
const isForAdministrators = (path: string) => /^\/(?:admin\/|push\/message|metrics$)/.test(path);

/** The routes that only administrators may use. */
function adminRoutes(): string[] {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  return Object.entries(paths)
    .filter(([path]) => isForAdministrators(path))
    .flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => METHODS.includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    .sort();
}

const sourceOf = (view: string) =>
  readFileSync(join(ROOT, 'packages/console/src/views', view), 'utf8').replace(/\s+/g, '');

describe("administrators' routes", () => {
  it('are each reached by a view of the console, or there is a reason why not', () => {
    const routes = adminRoutes();
    expect(routes.length).toBeGreaterThan(50);
    expect([...Object.keys(REACHED), ...Object.keys(UNREACHED)].sort()).toEqual(routes);
  });

  it.each(Object.entries(REACHED))('%s is called in the view', (_, [view, call]) => {
    expect(sourceOf(view)).toContain(call);
  });
});
