import { type Action, type Grant, RIGHTS } from '../access.ts';
import { AppError } from '../errors.ts';
import { type GrantContext, type Grantee, resolveGrants, type WantedGrant } from '../grants.ts';
import { isJsonObject, type JsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { NamedGrant } from '../ports/storage/documents.ts';

/** Members of a document that contain its grants, with the right of each. */
const GRANT_MEMBERS: Readonly<Record<string, Action>> = {
  _allowRead: 'read',
  _allowUpdate: 'update',
  _allowDelete: 'delete',
  _allow: 'all',
};

function parseGrantee(entry: JsonValue): Grantee {
  if (!isJsonObject(entry) || typeof entry.name !== 'string') throw new AppError('grant.invalid');
  if (entry.isgroup === true) return { kind: 'group', name: entry.name };
  return { kind: entry.isrole === true ? 'role' : 'user', name: entry.name };
}

/** @throws `input.array_expected`, `grant.invalid` */
function parseInitial(members: JsonObject): WantedGrant[] {
  const wanted: WantedGrant[] = [];
  for (const [member, action] of Object.entries(GRANT_MEMBERS)) {
    if (!Object.hasOwn(members, member)) continue;
    const entries = members[member];
    if (!Array.isArray(entries)) throw new AppError('input.array_expected', { detail: member, input: `/${member}` });
    for (const entry of entries) wanted.push({ ...parseGrantee(entry), action });
  }
  return wanted;
}

/**
 * Returns the grants of a new document, from `_allowRead`, `_allowUpdate`, `_allowDelete` and `_allow`: arrays of
 * `{"name","isrole","isgroup"}`.
 *
 * @throws `input.array_expected`, `grant.invalid`, `grant.too_many`, `grant.user_unknown`, `grant.role_unknown`,
 * `grant.group_unknown`
 */
export async function initialGrants(context: GrantContext, { value }: ParsedJson): Promise<Grant[]> {
  const wanted = isJsonObject(value) ? parseInitial(value) : [];
  return wanted.length === 0 ? [] : resolveGrants(context, wanted);
}

/** A grantee in a document; `name` is the id of a group. */
interface GrantMember {
  readonly name: string;
  readonly isrole: boolean;
  readonly isgroup?: true;
}

const memberOf = ({ kind, name }: NamedGrant): GrantMember =>
  kind === 'group' ? { name, isrole: false, isgroup: true } : { name, isrole: kind === 'role' };

/** Returns grants in the form that a new document contains. */
export function grantMembers(grants: readonly NamedGrant[]): Record<string, GrantMember[]> {
  const members = Object.entries(GRANT_MEMBERS).map(([member, action]) => {
    const held = grants.filter(({ rights }) => (rights & RIGHTS[action]) !== 0);
    return [member, held.map(memberOf)] as const;
  });
  return Object.fromEntries(members);
}
