import { ROLES, roleKey } from '../access.ts';
import { type Actor, requireAdmin, requireUser } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ApiKeyWithOwner } from '../ports/storage/api-keys.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import { isUuid } from '../wire.ts';
import { KEY_PREFIX, keyDigest } from './key-authentication.ts';

/** Maximum number of keys, because they are listed without pages. */
const MAX_KEYS = 100;
export const MAX_KEY_NAME_LENGTH = 128;

/** Printable characters, visible at both ends. */
const NAME = /^(?=\S)[^\p{Cc}\p{Cs}]+(?<=\S)$/u;

export interface KeyCreation {
  readonly name: string;
  readonly role: string;
  /** Expiry, in milliseconds; null for never. */
  readonly expires: number | null;
  readonly presence: Presence;
}

/** A key as shown to administrators. */
export interface ShownApiKey extends Omit<ApiKeyWithOwner, 'owner' | 'ownerId'> {
  /** Name of the administrator who created it. */
  readonly owner: string;
}

export interface ApiKeysDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly freshLogin: FreshLogin;
  readonly audit: Audit;
}

const shown = ({ ownerId: _id, owner, ...key }: ApiKeyWithOwner): ShownApiKey => ({ ...key, owner: owner.name });

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** API keys for servers, managed by administrators. Every method: @throws `auth.required`, `admin.required` */
export function createApiKeys({ storage, secrets, clock, freshLogin, audit }: ApiKeysDeps) {
  const idOf = (id: string) => {
    if (!isUuid(id)) throw new AppError('key.not_found');
    return id.toLowerCase();
  };

  /** @throws `input.invalid` */
  function check({ name, expires }: KeyCreation): void {
    if (name.length > MAX_KEY_NAME_LENGTH || !NAME.test(name)) {
      const detail = `name must be 1 to ${MAX_KEY_NAME_LENGTH} printable characters, without spaces at the ends`;
      throw new AppError('input.invalid', { detail, input: '/name' });
    }
    if (expires !== null && expires <= clock.now()) {
      throw new AppError('input.invalid', { detail: 'expires must be in the future', input: '/expires' });
    }
  }

  /** Returns the role's name as spelled at creation. @throws `role.not_found` */
  async function roleNamed(name: string): Promise<string> {
    const role = await storage.roles.findByKey(roleKey(name));
    if (role === null || role.name === ROLES.anonymous) throw new AppError('role.not_found', { detail: `"${name}"` });
    return role.name;
  }

  return {
    /**
     * Creates a key. Resolves to it and its text, which cannot be shown again. API keys cannot create keys, because a
     * stolen one could outlive its removal.
     *
     * @throws `key.user_required`, `key.limit`, `role.not_found`, `input.invalid`, `auth.fresh_login_required`,
     * `user.old_password_invalid`, `auth.locked`, `rate.limited`
     */
    async create(actor: Actor, creation: KeyCreation): Promise<{ readonly key: ShownApiKey; readonly text: string }> {
      const owner = requireUser(actor);
      requireAdmin(actor);
      check(creation);
      await freshLogin.ensure(actor, creation.presence);
      const { name, expires } = creation;
      const created = clock.now();
      const role = await roleNamed(creation.role);
      const key = { id: secrets.uuid(created), name, role, created, expires };
      const text = KEY_PREFIX + secrets.token() + secrets.token();
      const digest = keyDigest(secrets, text);
      await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.apiKeys.add({ ...key, ownerId: owner.id, digest }, MAX_KEYS))) {
          throw new AppError('key.limit', { detail: `at most ${MAX_KEYS}` });
        }
        record(actor, 'key.created', { to: { kind: 'key', id: key.id, name }, details: { role, expires } });
      });
      return { key: { ...key, lastUsed: null, owner: owner.name }, text };
    },

    /** Returns all keys, oldest first. */
    async list(actor: Actor): Promise<ShownApiKey[]> {
      requireAdmin(actor);
      return (await storage.apiKeys.list()).map(shown);
    },

    /** @throws `key.not_found` */
    async read(actor: Actor, id: string): Promise<ShownApiKey> {
      requireAdmin(actor);
      const found = await storage.apiKeys.find(idOf(id));
      if (found === null) throw new AppError('key.not_found');
      return shown(found);
    },

    /** Revokes a key immediately, on every node. @throws `key.not_found` */
    async remove(actor: Actor, given: string): Promise<void> {
      requireAdmin(actor);
      const id = idOf(given);
      await audit.transaction(storage.transaction, async (stores, record) => {
        const removed = await stores.apiKeys.remove(id);
        if (removed === null) throw new AppError('key.not_found');
        // Drops all cached data of the owner, including the key.
        await stores.announcer.announce({ topic: 'user', key: removed.ownerId });
        record(actor, 'key.removed', { to: { kind: 'key', id, name: removed.name } });
      });
    },
  };
}
