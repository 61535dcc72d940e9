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
  'GET /admin/roles': ['users/role-select.tsx', 'client.admin.roles.list('],
  'GET /admin/configuration/dump.json': ['settings/settings.tsx', 'client.admin.settings.dump('],
  'GET /admin/configuration/{section}': ['settings/settings.tsx', 'client.admin.settings.section('],
  'PUT /admin/configuration/{section}/{key}': ['settings/setting-form.tsx', 'settings.set('],
  'GET /admin/collection': ['collections/collections.tsx', 'client.admin.collections.list('],
  'POST /admin/collection/{name}': ['collections/new-collection.tsx', 'admin.collections.create('],
  'DELETE /admin/collection/{name}': ['collections/documents.tsx', 'client.admin.collections.remove('],
  'GET /admin/collection/{name}/rules': ['collections/configuration/rules-editor.tsx', 'admin.collections.rules('],
  'PUT /admin/collection/{name}/rules': ['collections/configuration/rules-editor.tsx', 'collections.setRules('],
  'GET /admin/collection/{name}/schema': ['collections/use-schema.ts', 'collections.schema('],
  'PUT /admin/collection/{name}/schema': ['collections/configuration/schema-editor.tsx', 'collections.setSchema('],
  'DELETE /admin/collection/{name}/schema': [
    'collections/configuration/schema-editor.tsx',
    'collections.removeSchema(',
  ],
  'GET /admin/collection/{name}/index': ['collections/configuration/index-editor.tsx', 'collections.indexes('],
  'PUT /admin/collection/{name}/index/{path}': [
    'collections/configuration/index-editor.tsx',
    'collections.createIndex(',
  ],
  'DELETE /admin/collection/{name}/index/{path}': [
    'collections/configuration/index-editor.tsx',
    'collections.removeIndex(',
  ],
};

/** By route: why no view reaches it. A route that a view reaches does not belong here. */
const UNREACHED: Readonly<Record<string, string>> = {
  'POST /admin/Fw/{follower}/to/{tofollow}': 'an old name of POST /admin/follow/{follower}/to/{tofollow}',
  'DELETE /admin/Fw/{follower}/to/{tofollow}': 'an old name of DELETE /admin/follow/{follower}/to/{tofollow}',
  'GET /admin/role': 'an old name of GET /admin/roles',
  'GET /admin/role/{name}': 'the list of roles has all that it answers',
  'PUT /admin/configuration/{section}/{key}/{value}': 'an old form of PUT /admin/configuration/{section}/{key}',
  'GET /admin/collection/{name}/index/{path}': 'the list of indexes has all that it answers',
  // Of the views overview, push, settings and users.
  'GET /admin/statistics': 'no view of the overview yet',
  'GET /metrics': 'no view of the overview yet',
  'POST /admin/mail/test': 'no button in the settings yet',
  'GET /admin/configuration/environment': 'no section in the settings yet',
  'POST /push/message': 'no view of push messages yet',
  'POST /push/message/{target}': 'no view of push messages yet',
  'GET /push/message/{target}': 'no view of push messages yet',
  'POST /admin/follow/{follower}/to/{tofollow}': 'no section in the view of a user yet',
  'DELETE /admin/follow/{follower}/to/{tofollow}': 'no section in the view of a user yet',
  'POST /admin/role/{name}': 'no view of roles yet',
  'PUT /admin/role/{name}': 'no view of roles yet',
  'DELETE /admin/role/{name}': 'no view of roles yet',
  // Of the views files, assets, groups, webhooks and keys.
  'GET /admin/group': 'no view of groups yet',
  'GET /admin/asset': 'no view of assets yet',
  'POST /admin/asset': 'no view of assets yet',
  'DELETE /admin/asset/{name}': 'no view of assets yet',
  'GET /admin/webhook': 'no view of webhooks yet',
  'POST /admin/webhook': 'no view of webhooks yet',
  'GET /admin/webhook/{id}': 'no view of webhooks yet',
  'PUT /admin/webhook/{id}': 'no view of webhooks yet',
  'DELETE /admin/webhook/{id}': 'no view of webhooks yet',
  'POST /admin/webhook/{id}/secret': 'no view of webhooks yet',
  'POST /admin/webhook/{id}/test': 'no view of webhooks yet',
  'GET /admin/webhook/{id}/deliveries': 'no view of webhooks yet',
  'POST /admin/webhook/{id}/deliveries/{delivery}/replay': 'no view of webhooks yet',
  'GET /admin/key': 'no view of keys yet',
  'POST /admin/key': 'no view of keys yet',
  'GET /admin/key/{id}': 'no view of keys yet',
  'DELETE /admin/key/{id}': 'no view of keys yet',
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
