import type { CallOptions, WriteOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type Rows, rowsOf } from '../transport/pages.ts';
import { path } from '../transport/path.ts';
import type { Group, GroupMember, GroupRole } from '../wire.ts';

export interface Groups {
  /** Creates a group that the caller owns. */
  create(name: string, options?: WriteOptions): Promise<Group>;
  /** The groups that the caller is in, oldest first. */
  list(options?: CallOptions): Promise<Group[]>;
  get(id: string, options?: CallOptions): Promise<Group>;
  /** The members, in the order of their sign-up. */
  members(id: string, options?: CallOptions): Rows<GroupMember>;
  rename(id: string, name: string, options?: CallOptions): Promise<Group>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Adds a user, or changes the role of a member. `owner` hands the group on. */
  setMember(id: string, username: string, role?: GroupRole, options?: CallOptions): Promise<GroupMember>;
  /** Removes a member; all but the owner can leave. */
  removeMember(id: string, username: string, options?: CallOptions): Promise<void>;
}

export function createGroups(api: Api): Groups {
  const one = (id: string) => path`/group/${id}`;
  const member = (id: string, username: string) => path`/group/${id}/member/${username}`;

  return {
    create: (name, options) => api.keyed({ method: 'POST', path: '/group', json: { name }, options }),
    list: (options) => api.get('/group', {}, options),
    async get(id, options) {
      const group = await api.get<Group>(one(id), { recordsPerPage: 1 }, options);
      return { id: group.id, name: group.name, role: group.role };
    },
    members: (id, options) => rowsOf(api, { path: one(id), rows: ({ members }: GroupPage) => members, options }),
    rename: (id, name, options) => api.put(one(id), { name }, options),
    remove: (id, options) => api.remove(one(id), ['group.not_found'], options),
    setMember: (id, username, role = 'member', options) => api.put(member(id, username), { role }, options),
    removeMember: (id, username, options) =>
      api.remove(member(id, username), ['group.member_not_found', 'group.not_found'], options),
  };
}

interface GroupPage {
  readonly members: readonly GroupMember[];
}
