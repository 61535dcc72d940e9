import { randomBytes } from 'node:crypto';
import type {
  AccessScope,
  DocumentRecord,
  DocumentStore,
  ListPosition,
  NameReservation,
  NewDocument,
  NewFile,
  NewUser,
  Session,
  Stores,
  UserName,
} from '@baobab/core';
import { isAppError, rolePrincipal, userPrincipal } from '@baobab/core';

export { EVERYTHING } from '@baobab/core';

/** A moment in 2014. */
export const NOW = 1_391_159_523_512;

const MAX_SEQUENCE = 0xfff;

/** Creates UUIDv7 like the server (RFC 9562, section 6.2, method 1): they ascend, even within a millisecond. */
function createUuids(): (at: number) => string {
  let time = 0;
  let sequence = 0;
  return (at) => {
    if (at > time) [time, sequence] = [at, 0];
    else if (sequence === MAX_SEQUENCE) [time, sequence] = [time + 1, 0];
    else sequence++;
    const clock = time.toString(16).padStart(12, '0');
    const counter = sequence.toString(16).padStart(3, '0');
    const random = randomBytes(8).toString('hex');
    return `${clock.slice(0, 8)}-${clock.slice(8)}-7${counter}-8${random.slice(1, 4)}-${random.slice(4)}`;
  };
}

const nextUuid = createUuids();

export const uuid = (at: number = NOW) => nextUuid(at);
export const token = () => randomBytes(16).toString('base64url');

export function newUser(name: string, overrides: Partial<NewUser> = {}): NewUser {
  return {
    id: uuid(),
    name,
    key: name.toLowerCase(),
    skeleton: name.toLowerCase(),
    isPlain: true,
    role: 'registereduser',
    status: 'ACTIVE',
    generated: false,
    emailVerified: false,
    guest: false,
    created: NOW,
    passwordHash: 'hash',
    awaitsEmail: false,
    sections: {
      visibleByTheUser: '{}',
      visibleByFriend: '{}',
      visibleByRegisteredUsers: '{}',
      visibleByAnonymousUsers: '{}',
    },
    ...overrides,
  };
}

/** Returns the name in the form that `rename` accepts. */
/** For renamed users: others can take the former name at once. */
export const NOT_RESERVED: NameReservation = { now: NOW, reservedUntil: NOW };

export function userName(name: string): UserName {
  const { key, skeleton, isPlain } = newUser(name);
  return { name, key, skeleton, isPlain };
}

export async function addUser(stores: Stores, name: string, overrides: Partial<NewUser> = {}): Promise<NewUser> {
  const user = newUser(name, overrides);
  await stores.users.add(user);
  return user;
}

export function newSession(userId: string, overrides: Partial<Session> = {}): Session {
  return { id: token(), userId, created: NOW, lastUsed: NOW, deviceId: null, ...overrides };
}

/** Adds a confirmed TOTP secret. */
export async function addFactor(stores: Stores, userId: string, recoveryCodes: readonly string[] = []): Promise<void> {
  await stores.factors.prepare(userId, 'sealed');
  await stores.factors.confirm({ userId, sealed: 'sealed', step: 100, now: NOW, recoveryCodes });
}

export async function addCollection(stores: Stores, name: string): Promise<string> {
  await stores.collections.add({ id: uuid(), name, created: NOW });
  return name.toLowerCase();
}

export function newDocument(authorId: string, collection: string, overrides: Partial<NewDocument> = {}): NewDocument {
  return { id: uuid(), collection, authorId, created: NOW, content: '{"a":1}', grants: [], ...overrides };
}

/** Returns the document that was added. */
export function added(result: Awaited<ReturnType<DocumentStore['add']>>): DocumentRecord {
  if (result === null || typeof result === 'string') throw new Error(`nothing was added: ${result}`);
  return result;
}

export function newFile(authorId: string, overrides: Partial<NewFile> = {}): NewFile {
  return {
    id: uuid(),
    authorId,
    fileName: 'report.pdf',
    contentType: 'application/pdf',
    size: 12,
    sha256: '0'.repeat(64),
    attachedData: '{}',
    created: NOW,
    document: null,
    collection: null,
    grants: [],
    ...overrides,
  };
}

/**
 * Returns true if a storage applies rules with parents. One that does not, such as a distributed database, refuses them.
 */
export async function appliesParents({ collections }: Stores, key: string): Promise<boolean> {
  const needs = { create: null, read: null, update: null, delete: null };
  try {
    await collections.setRules(key, { parent: { field: 'parent', collection: null, needs, onDelete: 'detach' } });
  } catch (error) {
    if (isAppError(error) && error.code === 'rule.unsupported') return false;
    throw error;
  }
  await collections.setRules(key, { parent: null });
  return true;
}

export const ANYBODY: AccessScope = {
  everything: false,
  owner: null,
  principals: ['r:anonymous'],
  followed: false,
  ruled: 0,
};

/** All documents, in the order of creation. */
export const UNSORTED = { where: null, order: [] } as const;

/** Returns the position after the document with this id, in the order of creation. */
export const behind = (id: string | null): ListPosition | null => (id === null ? null : { keys: [], id });

/** Returns the access scope of a user, with a custom role if given. */
export function accessScopeOfUser(id: string, role?: string): AccessScope {
  const roles = ['registereduser', 'anonymous', ...(role === undefined ? [] : [role])];
  return {
    everything: false,
    owner: id,
    principals: [userPrincipal(id), ...roles.map(rolePrincipal)],
    followed: false,
    ruled: 0,
  };
}
