import type { CallOptions, WriteOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type Rows, rowsOf } from '../transport/pages.ts';
import { path } from '../transport/path.ts';
import type {
  FollowingPolicy,
  Group,
  GroupInvitation,
  GroupMember,
  GroupRole,
  InvitationOptions,
  InvitedUser,
  ListedInvitation,
  NewInvitation,
  ShownInvitation,
} from '../wire.ts';

export interface Groups {
  /** Creates a group that the caller owns. */
  create(name: string, options?: WriteOptions): Promise<Group>;
  /** Lists the groups of the caller, oldest first. */
  list(options?: CallOptions): Promise<Group[]>;
  get(id: string, options?: CallOptions): Promise<Group>;
  /** Lists the members in the order of their sign-up. */
  members(id: string, options?: CallOptions): Rows<GroupMember>;
  rename(id: string, name: string, options?: CallOptions): Promise<Group>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /**
   * Adds a user, or changes the role of a member. `owner` transfers ownership. `invited`: the user must accept first.
   */
  setMember(
    id: string,
    username: string,
    role?: GroupRole,
    options?: CallOptions,
  ): Promise<GroupMember | { readonly status: 'invited' }>;
  /** Lists invited users. For the owner and managers. */
  invited(id: string, options?: CallOptions): Rows<InvitedUser>;
  /** Creates an invitation code for the group. By default, one user can join with it as a member, within a week. */
  invite(id: string, invitation?: InvitationOptions, options?: CallOptions): Promise<NewInvitation>;
  /** Lists the valid codes. For the owner and managers. */
  codes(id: string, options?: CallOptions): Rows<ListedInvitation>;
  /** Revokes a code. */
  endCode(id: string, invitation: string, options?: CallOptions): Promise<void>;
  /** Returns the group and role that a code invites to. Needs no login. */
  invitation(code: string, options?: CallOptions): Promise<ShownInvitation>;
  /** Joins a group with an invitation code. */
  join(code: string, options?: CallOptions): Promise<Group>;
  /** Removes a member or withdraws an invitation. All members but the owner can leave. */
  removeMember(id: string, username: string, options?: CallOptions): Promise<void>;
  /** Lists the groups that the caller is invited to. */
  invitations(options?: CallOptions): Rows<GroupInvitation>;
  accept(id: string, options?: CallOptions): Promise<Group>;
  decline(id: string, options?: CallOptions): Promise<void>;
  /** Users who can add the caller to groups; null for the default of the setting `group.add.default`. */
  policy(options?: CallOptions): Promise<FollowingPolicy | null>;
  setPolicy(add: FollowingPolicy | null, options?: CallOptions): Promise<void>;
}

const POLICY = '/me/group-policy';
const INVITATIONS = '/me/group-invitations';

interface Policy {
  readonly add: FollowingPolicy | null;
}

export function createGroups(api: Api): Groups {
  const one = (id: string) => path`/group/${id}`;
  const member = (id: string, username: string) => path`/group/${id}/member/${username}`;
  const byCode = (code: string) => path`/invitation/${code}`;
  const invitation = (id: string) => path`/me/group-invitations/${id}`;

  async function get(id: string, options?: CallOptions): Promise<Group> {
    const group = await api.get<Group>(one(id), { recordsPerPage: 1 }, options);
    return { id: group.id, name: group.name, role: group.role };
  }

  return {
    create: (name, options) => api.keyed({ method: 'POST', path: '/group', json: { name }, options }),
    list: (options) => api.get('/group', {}, options),
    get,
    members: (id, options) => rowsOf(api, { path: one(id), rows: ({ members }: GroupPage) => members, options }),
    rename: (id, name, options) => api.put(one(id), { name }, options),
    remove: (id, options) => api.remove(one(id), ['group.not_found'], options),
    setMember: (id, username, role = 'member', options) =>
      api.send({
        method: 'PUT',
        path: member(id, username),
        json: { role },
        // After the transfer, the former owner may not repeat it.
        repeat: role === 'owner' ? 'never' : 'always',
        options,
      }),
    removeMember: (id, username, options) =>
      api.remove(member(id, username), ['group.member_not_found', 'group.not_found'], options),
    invite: (id, invitation = {}, options) =>
      api.send({ method: 'POST', path: path`/group/${id}/invitation`, json: invitation, repeat: 'never', options }),
    codes: (id, options) =>
      rowsOf(api, { path: path`/group/${id}/invitation`, rows: (rows: ListedInvitation[]) => rows, options }),
    endCode: (id, invitation, options) =>
      api.remove(path`/group/${id}/invitation/${invitation}`, ['invitation.invalid'], options),
    invitation: (code, options) => api.get(byCode(code), {}, options),
    join: (code, options) => api.send({ method: 'POST', path: byCode(code), repeat: 'always', options }),
    invited: (id, options) =>
      rowsOf(api, { path: path`/group/${id}/invited`, rows: (rows: InvitedUser[]) => rows, options }),
    invitations: (options) => rowsOf(api, { path: INVITATIONS, rows: (rows: GroupInvitation[]) => rows, options }),
    async accept(id, options) {
      const repeat = ['group.invitation_not_found'] as const;
      const accepted = await api.send<Group | undefined>({ method: 'PUT', path: invitation(id), repeat, options });
      // If the first response was lost, the repeated call finds no invitation and returns nothing.
      return accepted ?? get(id, options);
    },
    decline: (id, options) => api.remove(invitation(id), ['group.invitation_not_found'], options),
    policy: async (options) => (await api.get<Policy>(POLICY, {}, options)).add,
    async setPolicy(add, options) {
      await api.put(POLICY, { add } satisfies Policy, options);
    },
  };
}

interface GroupPage {
  readonly members: readonly GroupMember[];
}
