import { roleKey } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { expressionsIn } from '../collections/policies.ts';
import { namesRole } from '../criteria/rules.ts';
import { AppError } from '../errors.ts';
import type { Transact } from '../idempotency/idempotency.ts';
import type { Role } from '../ports/storage/roles.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const MAX_DESCRIPTION_LENGTH = 1000;

export interface RoleChange {
  /** Null leaves it unchanged. */
  readonly name: string | null;
  readonly description: string | null;
}

/** @throws `role.compared` if rules compare `caller.roles` with a name that the role loses, as it would be false */
async function refuseCompared({ collections }: Stores, before: string, after: string): Promise<void> {
  const kept = [after, after.toLowerCase()];
  const lost = new Set([before, before.toLowerCase()].filter((name) => !kept.includes(name)));
  if (lost.size === 0) return;
  const compares = Array.from(await collections.rules()).flatMap(([key, rules]) =>
    expressionsIn(rules).some((condition) => namesRole(condition, lost)) ? [key] : [],
  );
  if (compares.length > 0) throw new AppError('role.compared', { detail: compares.join(', '), input: '/name' });
}

export type RoleAdmin = ReturnType<typeof createRoleAdmin>;

/** Custom roles of an application. Every method: @throws `auth.required`, `admin.required` */
export function createRoleAdmin({ storage, audit }: { readonly storage: Storage; readonly audit: Audit }) {
  const partyOf = (name: string) => ({ kind: 'role', id: name.toLowerCase(), name }) as const;

  /** Checks a new name. Also rejects aliases of built-in roles, with which it would be confused. */
  function checkName(name: string): void {
    if (!NAME.test(name)) throw new AppError('role.name_invalid');
    if (roleKey(name) !== name.toLowerCase()) throw new AppError('role.exists');
  }

  function checkDescription(description: string): string {
    if (description.length > MAX_DESCRIPTION_LENGTH) {
      throw new AppError('input.invalid', {
        detail: `a description must have at most ${MAX_DESCRIPTION_LENGTH} characters`,
        input: '/description',
      });
    }
    return description;
  }

  /** @throws `role.not_found` */
  async function find(name: string): Promise<Role> {
    const role = await storage.roles.findByKey(roleKey(name));
    if (role === null) throw new AppError('role.not_found');
    return role;
  }

  async function findOwn(name: string): Promise<Role> {
    const role = await find(name);
    if (role.builtIn) throw new AppError('role.built_in');
    return role;
  }

  return {
    async list(actor: Actor): Promise<Role[]> {
      requireAdmin(actor);
      return storage.roles.list();
    },

    /** @throws `role.not_found` */
    async read(actor: Actor, name: string): Promise<Role> {
      requireAdmin(actor);
      return find(name);
    },

    /** @throws `role.name_invalid`, `role.exists` */
    async create(actor: Actor, role: Omit<Role, 'builtIn'>, transact: Transact = storage.transaction): Promise<void> {
      requireAdmin(actor);
      checkName(role.name);
      checkDescription(role.description);
      await audit.transaction(transact, async (stores, record) => {
        if (!(await stores.roles.add(role))) throw new AppError('role.exists');
        record(actor, 'role.created', { to: partyOf(role.name) });
      });
    },

    /**
     * Changes a role. Users, grants and rules follow a new name, but not expressions of rules.
     *
     * @throws `role.not_found`, `role.built_in`, `role.name_invalid`, `role.exists`, `role.compared`
     */
    async update(actor: Actor, name: string, change: RoleChange): Promise<void> {
      requireAdmin(actor);
      if (change.name !== null) checkName(change.name);
      const before = await findOwn(name);
      const role = {
        name: change.name ?? before.name,
        description: checkDescription(change.description ?? before.description),
      };
      await audit.transaction(storage.transaction, async (stores, record) => {
        await refuseCompared(stores, before.name, role.name);
        const changed = await stores.roles.update(before.name.toLowerCase(), role);
        if (changed === null) throw new AppError('role.not_found');
        if (!changed) throw new AppError('role.exists');
        await stores.announcer.announce({ topic: 'roles', key: role.name });
        record(actor, 'role.changed', { to: partyOf(role.name), details: { before: before.name } });
      });
    },

    /**
     * Removes a role. Its users become `registereduser`, and the grants to it are removed. @throws `role.not_found`,
     * `role.built_in`
     */
    async remove(actor: Actor, name: string): Promise<void> {
      requireAdmin(actor);
      const { name: spelled } = await findOwn(name);
      await audit.transaction(storage.transaction, async (stores, record) => {
        if (!(await stores.roles.remove(spelled.toLowerCase()))) throw new AppError('role.not_found');
        await stores.announcer.announce({ topic: 'roles', key: spelled });
        record(actor, 'role.removed', { to: partyOf(spelled) });
      });
    },
  };
}
