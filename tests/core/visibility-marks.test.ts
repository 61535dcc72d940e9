import { createMemoryBlobs, createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemClock, createSystemTimers } from '@baobab/adapters/system';
import { addCollection, addUser } from '@baobab/contracts/storage';
import {
  createActor,
  createBlocks,
  createCascades,
  createCollectionRuleAdmin,
  createCollections,
  createFollows,
  createGroupInvitations,
  createGroups,
  createPolicies,
  createRemovals,
  createRoleAdmin,
  createSettingAdmin,
  createSettings,
  createUserAdmin,
  type FreshLogin,
  type Guesses,
  NO_HOOKS,
  NO_LIMITS,
  type Notices,
  type PasswordRules,
  type Passwords,
  parseJson,
  type SignedInActor,
} from '@baobab/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { testAudit } from '../support/audit.ts';
import { silentLogger as logger } from '../support/logger.ts';

const presence = { password: null, address: '' };

const NAMES = ['Ann', 'Bob', 'Cid', 'Dan'] as const;
const ALL = ['Ann', 'Bob', 'Cid', 'Dan'];

async function setUp() {
  const [storage, clock, secrets] = [createMemoryStorage(), createSystemClock(), createNodeSecrets('a'.repeat(32))];
  const audit = testAudit();
  const nothing = async () => undefined;
  const notices = { prepare: nothing, post: nothing, addressChanged: nothing } as unknown as Notices;
  const settings = createSettings({ storage, secrets, clock, logger });
  // Nobody sets a password or logs in.
  const [passwords, guesses] = [{} as Passwords, {} as Guesses];
  const freshLogin = { ensure: async () => undefined } as unknown as FreshLogin;
  for (const name of NAMES) await addUser(storage, name);
  const root = createActor(await addUser(storage, 'Root', { role: 'administrator' }), null);
  for (const name of ['Editors', 'Clerks']) await storage.roles.add({ name, description: '' });
  const books = await addCollection(storage, 'Books');

  async function actor(name: string): Promise<SignedInActor> {
    const user = await storage.users.credentials(name.toLowerCase());
    if (user === null) throw new Error(`no user ${name}`);
    return createActor(user, null, user.groups);
  }

  /** Names and reasons of those who have to list again after `work`, in one collection. */
  async function marks(work: () => Promise<unknown>, collection: string = books): Promise<string[]> {
    const { horizon: since } = await storage.changes.state();
    await work();
    const found: string[] = [];
    for (const { name, key } of await people()) {
      const { principals, isPrivileged, user } = await actor(key);
      const audiences = [...(isPrivileged ? [`u:${user.id}`] : principals), '*'];
      const change = await storage.changes.visibilityChange({ since, audiences, collections: [collection] });
      if (change !== null) found.push(`${name}: ${change.reason}`);
    }
    return found;
  }

  const people = () =>
    storage.users.list({
      userSet: { kind: 'all' },
      profileScope: { viewer: null, everything: true, asFriend: false },
      without: '',
      where: null,
      order: [{ path: ['user', 'name'], descending: false }],
      after: null,
      skip: 0,
      limit: 10,
    });

  const passwordRules = {} as PasswordRules;
  const deps = {
    audit,
    notices,
    storage,
    settings,
    clock,
    secrets,
    passwords,
    passwordRules,
    freshLogin,
    guesses,
    hooks: NO_HOOKS,
    limiter: NO_LIMITS,
  };
  const removals = createRemovals({ storage, clock, secrets, timers: createSystemTimers(), logger });
  const blobs = createMemoryBlobs();
  const cascades = createCascades({ ...deps, blobs, policies: createPolicies(deps) });
  return {
    storage,
    root,
    books,
    actor,
    marks,
    refused: (work: () => Promise<unknown>) => marks(() => expect(work()).rejects.toMatchObject({ code: /./ })),
    settingAdmin: createSettingAdmin({ ...deps, outboundHosts: { problemOf: async () => null } }),
    follows: createFollows(deps),
    blocks: createBlocks(deps),
    groups: createGroups({ ...deps, removals }),
    groupInvitations: createGroupInvitations(deps),
    roles: createRoleAdmin(deps),
    rules: createCollectionRuleAdmin({ ...deps, indexes: { declare: async () => undefined } }),
    collections: createCollections({ ...deps, removals, cascades }),
    userAdmin: createUserAdmin({ ...deps, removals, cascades }),
  };
}

describe('what changes the visibility of many documents leaves a mark for those concerned and for nobody else', () => {
  let world: Awaited<ReturnType<typeof setUp>>;
  beforeEach(async () => {
    world = await setUp();
  });

  it('follows: the follower', async () => {
    const { follows, actor, marks, root, storage } = world;
    const [ann, bob] = [await actor('Ann'), await actor('Bob')];
    expect(await marks(() => follows.follow(ann, 'Bob'))).toEqual(['Ann: follow']);
    expect(await marks(() => follows.unfollow(ann, 'Bob'))).toEqual(['Ann: follow']);
    await storage.follows.setPolicy(bob.user.id, 'approve');
    expect(await marks(() => follows.follow(ann, 'Bob'))).toEqual([]);
    expect(await marks(() => follows.accept(bob, 'Ann'))).toEqual(['Ann: follow']);
    expect(await marks(() => follows.removeFollower(bob, 'Ann'))).toEqual(['Ann: follow']);
    const pair = { follower: 'Cid', followed: 'Ann' };
    expect(await marks(() => follows.createAsAdmin(root, pair, presence))).toEqual(['Cid: follow']);
    expect(await marks(() => follows.removeAsAdmin(root, pair))).toEqual(['Cid: follow']);
  });

  it('follows that change nothing: nobody', async () => {
    const { follows, actor, marks, refused, root, storage } = world;
    const [ann, bob] = [await actor('Ann'), await actor('Bob')];
    await storage.follows.setPolicy(bob.user.id, 'approve');
    await follows.follow(ann, 'Bob');
    expect(await marks(() => follows.follow(ann, 'Bob'))).toEqual([]);
    expect(await marks(() => follows.unfollow(ann, 'Bob'))).toEqual([]);
    await follows.follow(ann, 'Bob');
    expect(await marks(() => follows.decline(bob, 'Ann'))).toEqual([]);
    expect(await marks(() => follows.setPolicy(bob, 'anyone'))).toEqual([]);
    await follows.follow(ann, 'Bob');
    expect(await refused(() => follows.follow(ann, 'Bob'))).toEqual([]);
    expect(await refused(() => follows.accept(bob, 'Ann'))).toEqual([]);
    expect(await refused(() => follows.unfollow(bob, 'Ann'))).toEqual([]);
    const pair = { follower: 'Ann', followed: 'Bob' };
    expect(await refused(() => follows.createAsAdmin(root, pair, presence))).toEqual([]);
    expect(await refused(() => follows.removeAsAdmin(root, { follower: 'Bob', followed: 'Ann' }))).toEqual([]);
  });

  it('blocks: those who followed the other one', async () => {
    const { follows, blocks, actor, marks } = world;
    const [ann, bob, cid] = [await actor('Ann'), await actor('Bob'), await actor('Cid')];
    expect(await marks(() => blocks.block(ann, 'Bob'))).toEqual([]);
    expect(await marks(() => blocks.unblock(ann, 'Bob'))).toEqual([]);
    await follows.follow(ann, 'Bob');
    await follows.follow(cid, 'Bob');
    expect(await marks(() => blocks.block(ann, 'Bob'))).toEqual(['Ann: follow']);
    await follows.follow(bob, 'Cid');
    expect(await marks(() => blocks.block(bob, 'Cid'))).toEqual(['Bob: follow', 'Cid: follow']);
    expect(await marks(() => blocks.block(bob, 'Cid'))).toEqual([]);
  });

  it('a role that is given to a user: that user', async () => {
    const { userAdmin, root, marks, refused } = world;
    const give = (role: string) => userAdmin.update(root, 'Ann', { username: null, role, sections: {}, presence });
    expect(await marks(() => give('editors'))).toEqual(['Ann: role']);
    expect(await marks(() => give('Editors'))).toEqual([]);
    expect(await marks(() => give('backoffice'))).toEqual(['Ann: role']);
    expect(await marks(() => give('registered'))).toEqual(['Ann: role']);
    expect(await refused(() => give('nothing'))).toEqual([]);
    const rename = { username: 'Anna', role: null, sections: {}, presence };
    // Rules may name the user.
    expect(await marks(() => userAdmin.update(root, 'Ann', rename))).toEqual(['Anna: role']);
  });

  it('a role that is removed: its users; one that is renamed: nobody', async () => {
    const { userAdmin, roles, root, marks, refused } = world;
    for (const name of ['Ann', 'Bob']) {
      await userAdmin.update(root, name, { username: null, role: 'editors', sections: {}, presence });
    }
    await userAdmin.update(root, 'Cid', { username: null, role: 'clerks', sections: {}, presence });
    const update = (name: string, description: string) => roles.update(root, 'editors', { name, description });
    expect(await marks(() => update('EDITORS', 'Edit'))).toEqual([]);
    expect(await refused(() => update('Clerks', ''))).toEqual([]);
    expect(await marks(() => update('Authors', ''))).toEqual([]);
    expect(await marks(() => roles.remove(root, 'authors'))).toEqual(['Ann: role', 'Bob: role']);
    expect(await refused(() => roles.remove(root, 'authors'))).toEqual([]);
    expect(await marks(() => roles.create(root, { name: 'Authors', description: '' }))).toEqual([]);
  });

  it('groups: who joins or leaves, and the members of one that is removed', async () => {
    const { groups, groupInvitations, actor, marks, refused } = world;
    const ann = await actor('Ann');
    const { id } = await groups.create(ann, 'Friends');
    const set = (username: string, role: 'owner' | 'manager' | 'member') =>
      groups.setMember(ann, { id, username, role });
    expect(await marks(() => set('Bob', 'member'))).toEqual([]);
    const bob = await actor('Bob');
    expect(await marks(() => groupInvitations.accept(bob, id))).toEqual(['Bob: group']);
    await groupInvitations.setPolicy(await actor('Cid'), 'anyone');
    expect(await marks(() => set('Bob', 'manager'))).toEqual([]);
    expect(await marks(() => set('Cid', 'member'))).toEqual(['Cid: group']);
    expect(await marks(() => groups.rename(ann, id, 'Enemies'))).toEqual([]);
    expect(await marks(() => groups.removeMember(ann, { id, username: 'Bob' }))).toEqual(['Bob: group']);
    expect(await refused(() => groups.removeMember(ann, { id, username: 'Bob' }))).toEqual([]);
    expect(await refused(() => groups.removeMember(ann, { id, username: 'Ann' }))).toEqual([]);
    expect(await marks(() => groups.remove(ann, id))).toEqual(['Ann: group', 'Cid: group']);
    expect(await refused(() => groups.remove(ann, id))).toEqual([]);
  });

  it('rules on reading: the users of the roles that gained or lost the right, in that collection', async () => {
    const { rules, root, marks, refused, storage, userAdmin } = world;
    const films = await addCollection(storage, 'films');
    await userAdmin.update(root, 'Ann', { username: null, role: 'editors', sections: {}, presence });
    await userAdmin.update(root, 'Bob', { username: null, role: 'clerks', sections: {}, presence });
    const set = (members: unknown) =>
      rules.change(root, { name: 'BOOKS', body: parseJson(JSON.stringify(members)), presence });
    expect(await marks(() => set({ read: ['Editors'] }))).toEqual(['Ann: rules']);
    expect(await marks(() => set({ read: ['clerks'] }), films)).toEqual([]);
    expect(await marks(() => set({ read: ['Clerks', 'EDITORS'] }))).toEqual(['Ann: rules']);
    expect(await marks(() => set({ read: ['editors', 'clerks'] }))).toEqual([]);
    expect(await marks(() => set({ create: ['editors'], update: ['clerks'], delete: ['clerks'] }))).toEqual([]);
    expect(await refused(() => set({ read: ['nothing'] }))).toEqual([]);
    expect(await marks(() => set({ read: [] }))).toEqual(['Ann: rules', 'Bob: rules']);
    expect(await marks(() => set({ read: ['registered'] }))).toEqual(ALL.map((name) => `${name}: rules`));
  });

  it('a collection that is removed: everybody', async () => {
    const { collections, root, marks, refused, storage } = world;
    await addCollection(storage, 'films');
    const everybody = [...ALL, 'Root'].map((name) => `${name}: collection`);
    expect(await marks(() => collections.remove(root, 'FILMS'))).toEqual([]);
    expect(await marks(() => collections.remove(root, 'Books'))).toEqual(everybody);
    expect(await refused(() => collections.remove(root, 'Books'))).toEqual([]);
    expect(await marks(() => collections.create(root, 'Books'))).toEqual([]);
  });

  it('the setting on the documents of followed users: all users, when it changes', async () => {
    const { settingAdmin, root, marks, refused } = world;
    const set = (value: string, key = 'followers.read.documents') =>
      settingAdmin.set(root, { section: 'Application', key, value, presence });
    const users = ALL.map((name) => `${name}: setting`);
    expect(await marks(() => set('true'))).toEqual([]);
    expect(await marks(() => set('false'))).toEqual(users);
    expect(await marks(() => set('false'))).toEqual([]);
    expect(await marks(() => set('true'))).toEqual(users);
    expect(await refused(() => set('perhaps'))).toEqual([]);
    expect(await marks(() => set('approve', 'following.default'))).toEqual([]);
  });

  it('a user who is removed: their followers', async () => {
    const { userAdmin, follows, root, actor, marks, refused } = world;
    await follows.follow(await actor('Ann'), 'Bob');
    await follows.follow(await actor('Cid'), 'Bob');
    await follows.follow(await actor('Bob'), 'Dan');
    expect(await marks(() => userAdmin.remove(root, 'Bob', presence))).toEqual(['Ann: follow', 'Cid: follow']);
    expect(await refused(() => userAdmin.remove(root, 'Bob', presence))).toEqual([]);
  });

  it('a user who is suspended or activated: nobody', async () => {
    const { userAdmin, root, marks } = world;
    expect(await marks(() => userAdmin.suspend(root, 'Ann', presence))).toEqual([]);
    expect(await marks(() => userAdmin.activate(root, 'Ann', presence))).toEqual([]);
  });
});
