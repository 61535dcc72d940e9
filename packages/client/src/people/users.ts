import type { CallOptions, PresenceOptions } from '../options.ts';
import { createQuery, type Query } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { FollowingPolicy, Profile, ProfileSections } from '../wire.ts';

export interface Users {
  /** Returns the caller's own profile. */
  me(options?: CallOptions): Promise<Profile>;
  /**
   * Replaces the given sections. Changing the email address requires a login within the last ten minutes, or the
   * password.
   */
  updateMe(sections: ProfileSections, options?: PresenceOptions): Promise<Profile>;
  get(username: string, options?: CallOptions): Promise<Profile>;
  /** Returns true if the name, or one that looks like it, is taken. */
  exists(username: string, options?: CallOptions): Promise<boolean>;
  query(): Query<Profile>;
}

export function createUsers(api: Api): Users {
  return {
    me: (options) => api.get('/me', {}, options),
    updateMe: (sections, { currentPassword, ...options } = {}) =>
      api.put('/me', { ...sections, current_password: currentPassword }, options),
    get: (username, options) => api.get(path`/user/${username}`, {}, options),
    exists: async (username, options) =>
      (await api.get<{ readonly exists: boolean }>(path`/user/${username}/exists`, {}, options)).exists,
    query: () => createQuery<Profile>({ api, path: '/users' }),
  };
}

export interface Following {
  /** Resolves to `requested` if the user must accept. */
  follow(username: string, options?: CallOptions): Promise<'following' | 'requested'>;
  /** Unfollows a user, or withdraws the request. */
  unfollow(username: string, options?: CallOptions): Promise<void>;
  /** Queries the users followed by the caller or by another user. */
  following(username?: string): Query<Profile>;
  followers(username?: string): Query<Profile>;
  removeFollower(username: string, options?: CallOptions): Promise<void>;
  /** Users who can follow the caller; null for the default in the settings. */
  policy(options?: CallOptions): Promise<FollowingPolicy | null>;
  setPolicy(policy: FollowingPolicy | null, options?: CallOptions): Promise<void>;
  /** Queries the users with a pending request to follow the caller. */
  requests(): Query<Profile>;
  accept(username: string, options?: CallOptions): Promise<void>;
  decline(username: string, options?: CallOptions): Promise<void>;
  /** Ends follows and requests in both directions. The blocked user no longer finds the caller. */
  block(username: string, options?: CallOptions): Promise<void>;
  unblock(username: string, options?: CallOptions): Promise<void>;
  blocked(): Query<Profile>;
}

const POLICY = '/me/following-policy';
const ACCEPTED = 202;

interface Policy {
  readonly followers: FollowingPolicy | null;
}

export function createFollowing(api: Api): Following {
  const profiles = (of: string) => createQuery<Profile>({ api, path: of });
  const request = (username: string) => path`/me/follow-requests/${username}`;
  return {
    async follow(username, options) {
      const { status } = await api.transport.call({
        method: 'POST',
        path: path`/follow/${username}`,
        repeat: ['follow.exists'],
        options,
      });
      return status === ACCEPTED ? 'requested' : 'following';
    },
    unfollow: (username, options) => api.remove(path`/follow/${username}`, ['follow.not_found'], options),
    following: (username) => profiles(username === undefined ? '/following' : path`/following/${username}`),
    followers: (username) => profiles(username === undefined ? '/followers' : path`/followers/${username}`),
    removeFollower: (username, options) => api.remove(path`/followers/${username}`, ['follow.not_found'], options),
    policy: async (options) => (await api.get<Policy>(POLICY, {}, options)).followers,
    async setPolicy(followers, options) {
      await api.put(POLICY, { followers } satisfies Policy, options);
    },
    requests: () => profiles('/me/follow-requests'),
    accept: (username, options) =>
      api.send({ method: 'PUT', path: request(username), repeat: ['follow.request_not_found'], options }),
    decline: (username, options) => api.remove(request(username), ['follow.request_not_found'], options),
    block: (username, options) =>
      api.send({ method: 'POST', path: path`/block/${username}`, repeat: 'always', options }),
    unblock: (username, options) => api.remove(path`/block/${username}`, ['block.not_found'], options),
    blocked: () => profiles('/blocked'),
  };
}
