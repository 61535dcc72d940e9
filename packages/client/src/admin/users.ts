import type { Belongings, Role, SecuredAccount } from '../admin-wire.ts';
import type { CallOptions, Credentials, PresenceOptions, WriteOptions } from '../options.ts';
import { createQuery, type Query } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Repeatable } from '../transport/retry.ts';
import type { AccountAccess, OpenSession, Profile, ProfileSections } from '../wire.ts';

/** A follow relation between two users. */
export interface Relation {
  readonly follower: string;
  readonly followed: string;
}

export interface AdminUsers {
  query(): Query<Profile>;
  /** Creating or changing administrators and BackOffice users requires a fresh login or the caller's own password. */
  create(user: Credentials & ProfileSections & { readonly role?: string }, options?: PresenceOptions): Promise<Profile>;
  get(username: string, options?: CallOptions): Promise<Profile>;
  update(username: string, change: ProfileSections & UserChange, options?: PresenceOptions): Promise<Profile>;
  remove(username: string, options?: PresenceOptions): Promise<void>;
  setPassword(username: string, password: string, options?: PresenceOptions): Promise<void>;
  /** Returns the data that is deleted together with the user. */
  belongings(username: string, options?: CallOptions): Promise<Belongings>;
  /** Ends all sessions of a user and blocks further logins. */
  suspend(username: string, options?: PresenceOptions): Promise<void>;
  activate(username: string, options?: PresenceOptions): Promise<void>;
  /** Turns two-factor authentication off for a user and ends their sessions. */
  resetSecondFactor(username: string, options?: PresenceOptions): Promise<void>;
  /** Returns the credentials and sessions of a user. */
  access(username: string, options?: CallOptions): Promise<AccountAccess>;
  /**
   * Locks everybody out of an account, and mails its user a link for a new password: ends all sessions, and removes the
   * password, second factor, passkeys and linked social networks.
   */
  secure(username: string, options?: PresenceOptions): Promise<SecuredAccount>;
  removePasskey(username: string, id: string, options?: PresenceOptions): Promise<void>;
  unlink(username: string, network: string, options?: PresenceOptions): Promise<void>;
  sessions(username: string, options?: CallOptions): Promise<OpenSession[]>;
  endSession(username: string, id: string, options?: CallOptions): Promise<void>;
  endSessions(username: string, options?: CallOptions): Promise<void>;
  /**
   * Makes a user follow another, regardless of policies and blocks. Requires a login within the last ten minutes, or the
   * password.
   */
  follow(relation: Relation, options?: PresenceOptions): Promise<void>;
  unfollow(relation: Relation, options?: CallOptions): Promise<void>;
}

export interface UserChange {
  readonly username?: string;
  readonly role?: string;
}

export function createAdminUsers(api: Api): AdminUsers {
  const one = (username: string) => path`/admin/user/${username}`;
  const remove = (where: string, repeat: Repeatable['repeat'], presence: PresenceOptions = {}) => {
    const { currentPassword, ...options } = presence;
    return api.send<void>({
      method: 'DELETE',
      path: where,
      json: { current_password: currentPassword },
      repeat,
      options,
    });
  };
  const relation = ({ follower, followed }: Relation) => path`/admin/follow/${follower}/to/${followed}`;
  return {
    query: () => createQuery<Profile>({ api, path: '/admin/user' }),
    create: (user, { currentPassword, ...options } = {}) => {
      const json = { ...user, current_password: currentPassword };
      return api.send({ method: 'POST', path: '/admin/user', json, repeat: 'never', options });
    },
    get: (username, options) => api.get(one(username), {}, options),
    update: (username, change, { currentPassword, ...options } = {}) => {
      const json = { ...change, current_password: currentPassword };
      return api.send({ method: 'PUT', path: one(username), json, repeat: repeatOf(change), options });
    },
    remove: (username, options) => remove(one(username), ['user.not_found'], options),
    setPassword: (username, password, { currentPassword, ...options } = {}) =>
      api.put(`${one(username)}/password`, { password, current_password: currentPassword }, options),
    belongings: (username, options) => api.get(`${one(username)}/belongings`, {}, options),
    suspend: (username, { currentPassword, ...options } = {}) =>
      api.put(path`/admin/user/suspend/${username}`, { current_password: currentPassword }, options),
    activate: (username, { currentPassword, ...options } = {}) =>
      api.put(path`/admin/user/activate/${username}`, { current_password: currentPassword }, options),
    resetSecondFactor: (username, options) => remove(`${one(username)}/factors`, 'always', options),
    access: (username, options) => api.get(`${one(username)}/access`, {}, options),
    secure: (username, { currentPassword, ...options } = {}) => {
      const json = { current_password: currentPassword };
      return api.send({ method: 'POST', path: `${one(username)}/secure`, json, repeat: 'always', options });
    },
    removePasskey: (username, id, options) =>
      remove(`${one(username)}${path`/passkeys/${id}`}`, ['passkey.not_found'], options),
    unlink: (username, network, options) =>
      remove(`${one(username)}${path`/social/${network}`}`, ['social.not_linked'], options),
    sessions: (username, options) => api.get(`${one(username)}/sessions`, {}, options),
    endSession: (username, id, options) =>
      api.remove(path`/admin/user/${username}/sessions/${id}`, ['session.not_found'], options),
    endSessions: (username, options) => api.remove(`${one(username)}/sessions`, [], options),
    follow: (pair, { currentPassword, ...options } = {}) =>
      api.send({
        method: 'POST',
        path: relation(pair),
        json: { current_password: currentPassword },
        repeat: ['follow.exists'],
        options,
      }),
    unfollow: (pair, options) => api.remove(relation(pair), ['follow.not_found'], options),
  };
}

/** A renamed user is not found under the old name. */
const repeatOf = ({ username }: UserChange) => (username === undefined ? 'always' : 'never');

export interface Roles {
  list(options?: CallOptions): Promise<Role[]>;
  get(name: string, options?: CallOptions): Promise<Role>;
  create(name: string, role?: { readonly description?: string }, options?: WriteOptions): Promise<void>;
  update(
    name: string,
    change: { readonly name?: string; readonly description?: string },
    options?: CallOptions,
  ): Promise<void>;
  remove(name: string, options?: CallOptions): Promise<void>;
}

export function createRoles(api: Api): Roles {
  const one = (name: string) => path`/admin/role/${name}`;
  return {
    list: (options) => api.get('/admin/roles', {}, options),
    get: (name, options) => api.get(one(name), {}, options),
    create: (name, role = {}, options) => api.keyed({ method: 'POST', path: one(name), json: role, options }),
    update: (name, change, options) =>
      api.send({ method: 'PUT', path: one(name), json: change, repeat: repeatOf({ ...named(change.name) }), options }),
    remove: (name, options) => api.remove(one(name), ['role.not_found'], options),
  };
}

const named = (username: string | undefined) => (username === undefined ? {} : { username });
