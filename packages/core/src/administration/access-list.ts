import { isPrivileged, ROLES, roleKey } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { chainEvents } from '../audit/chain.ts';
import type { AuditAct, AuditParty } from '../ports/audit.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ApiKeyWithOwner } from '../ports/storage/api-keys.ts';
import type { CollectionRules, Rule } from '../ports/storage/collections.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { Webhook } from '../ports/storage/webhooks.ts';

/** Maximum number of listed users of each role. */
const MAX_PRIVILEGED = 1000;
/** Number of objects whose audit events are read concurrently. */
const CONCURRENT = 10;

/** Actions on the documents of others. */
const OPENING = ['read', 'update', 'delete'] as const;

/** The last audited event that gave or changed an access. */
export interface AccessChange {
  readonly by: AuditParty;
  readonly at: number;
}

/** A rule that gives users other than administrators and BackOffice users access to a collection. */
export interface OpeningRule extends Rule {
  readonly action: (typeof OPENING)[number];
}

interface Changed {
  /** Null if the audit log has no such event, or not any longer. */
  readonly changed: AccessChange | null;
}

export interface AccessList {
  /** Users with a role that has every right on every document and file, the built-in administrator among them. */
  readonly accounts: readonly (Changed & Pick<UserRecord, 'id' | 'name' | 'role' | 'status' | 'created'>)[];
  /** True if there are more such users. */
  readonly more: boolean;
  readonly keys: readonly ApiKeyWithOwner[];
  /** Each with its creation, and the last change of its settings or secret. */
  readonly webhooks: readonly (Changed & { readonly webhook: Webhook; readonly creation: AccessChange | null })[];
  /** Collections with rules or a parent that give users rights on the documents of others. */
  readonly collections: readonly (Changed & {
    readonly name: string;
    readonly rules: readonly OpeningRule[];
    /** Path of the field with the parent whose rights are inherited; null if there is none. */
    readonly parent: string | null;
  })[];
}

export interface AccessListDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly audit: Audit;
}

/** Returns the rules that give rights on the documents of others. */
const openingRules = (rules: CollectionRules): OpeningRule[] =>
  OPENING.flatMap((action) =>
    rules[action].filter(({ role }) => !isPrivileged(roleKey(role))).map((rule) => ({ ...rule, action })),
  );

/** Maps items in batches, so that a long list does not occupy all connections to the database. */
async function inBatches<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  for (let at = 0; at < items.length; at += CONCURRENT) {
    mapped.push(...(await Promise.all(items.slice(at, at + CONCURRENT).map(map))));
  }
  return mapped;
}

export type AccessLists = ReturnType<typeof createAccessLists>;

/** Everything that keeps access to the data of users after a session has ended or a key was removed. */
export function createAccessLists({ storage, secrets, audit }: AccessListDeps) {
  /** Returns the newest of the events of these kinds that have the target `to`. */
  async function newest(to: string, acts: readonly AuditAct[]): Promise<AccessChange | null> {
    const filter = { by: null, to, from: null, until: null };
    const found = await Promise.all(
      acts.map((act) => storage.audit.list({ filter: { ...filter, act }, before: null, limit: 1 })),
    );
    const [last] = found.flat().toSorted((a, b) => b.number - a.number);
    return last === undefined ? null : { by: last.by, at: last.at };
  }

  async function accounts(): Promise<Pick<AccessList, 'accounts' | 'more'>> {
    const roles = [ROLES.administrator, ROLES.backOffice];
    const found = await Promise.all(roles.map((role) => storage.users.ofRole(role, MAX_PRIVILEGED + 1)));
    const users = found.flatMap((ofRole) => ofRole.slice(0, MAX_PRIVILEGED));
    return {
      accounts: await inBatches(users, async ({ id, name, role, status, created }) => {
        const changed = await newest(id, ['user.created', 'user.role_changed']);
        return { id, name, role, status, created, changed };
      }),
      more: found.some(({ length }) => length > MAX_PRIVILEGED),
    };
  }

  async function collections(): Promise<AccessList['collections']> {
    const open = Array.from(await storage.collections.rules(), ([key, rules]) => ({
      key,
      rules: openingRules(rules),
      parent: rules.parent?.field ?? null,
    })).filter(({ rules, parent }) => rules.length > 0 || parent !== null);
    const listed = await inBatches(open, async ({ key, ...access }) => {
      const name = (await storage.collections.findName(key)) ?? key;
      return { name, ...access, changed: await newest(key, ['rules.changed']) };
    });
    return listed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    /**
     * Returns who and what has access to the data of others. Permissions on single documents, memberships of groups and
     * custom roles are not included.
     *
     * @throws `auth.required`, `admin.required`
     */
    async read(actor: Actor): Promise<AccessList> {
      requireAdmin(actor);
      await audit.stored();
      await chainEvents(storage, secrets);
      const webhooks = await inBatches(await storage.webhooks.list(), async (webhook) => ({
        webhook,
        creation: await newest(webhook.id, ['webhook.created']),
        changed: await newest(webhook.id, ['webhook.changed', 'webhook.secret_rotated']),
      }));
      return {
        ...(await accounts()),
        keys: await storage.apiKeys.list(),
        webhooks,
        collections: await collections(),
      };
    },
  };
}
