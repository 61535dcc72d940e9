import { type Action, type Grant, RIGHTS } from '../access.ts';
import { AppError } from '../errors.ts';
import { type GrantContext, type Grantee, resolveGrants, type WantedGrant } from '../grants.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { NamedGrant } from '../ports/storage/documents.ts';

const AT = 0x40;
const UNDERSCORE = 0x5f;
const OWNED = new Set(['_creation_date', '_update_date', '_author', '_updated_by', '_expanded', '_score']);

/** Returns true if the member is owned by the server: sent with every document and ignored in requests. */
export function isOwnedField(name: string): boolean {
  // Called for every member of every document. The first character decides for most names.
  const first = name.charCodeAt(0);
  if (first === AT || name === 'id') return true;
  return first === UNDERSCORE && (name.startsWith('_allow') || OWNED.has(name));
}

/**
 * Returns the text to store, without server-owned members. A value that is not an object becomes the member `value`.
 */
export function documentContent(body: ParsedJson): string {
  if (isJsonObject(body.value)) return canonicalJson(body, isOwnedField);
  return `{"value":${canonicalJson(body)}}`;
}

/**
 * Returns the version that the client expects to replace; null if it sends none.
 *
 * @throws `document.version_invalid`
 */
export function expectedVersion({ value }: ParsedJson): number | null {
  if (!isJsonObject(value) || !Object.hasOwn(value, '@version')) return null;
  const version = value['@version'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version))
    throw new AppError('document.version_invalid', { input: '/@version' });
  return version;
}

/** Members of a document that contain its grants, with the right of each. */
const GRANT_MEMBERS: Readonly<Record<string, Action>> = {
  _allowRead: 'read',
  _allowUpdate: 'update',
  _allowDelete: 'delete',
  _allow: 'all',
};

/** @throws `grant.invalid` */
function parseGrantee(entry: JsonValue, input: string): Grantee {
  if (!isJsonObject(entry) || typeof entry.name !== 'string') throw new AppError('grant.invalid', { input });
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
    for (const [at, entry] of entries.entries()) {
      const input = `/${member}/${at}`;
      wanted.push({ ...parseGrantee(entry, input), action, input });
    }
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
