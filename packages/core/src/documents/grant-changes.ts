import { RIGHTS } from '../access.ts';
import { type Actor, requireSignedIn } from '../actor.ts';
import { accessList, type GrantAllowance, type Grantee, parseAction, requireGrantee, revokeFrom } from '../grants.ts';
import type { ParsedJson } from '../json-text.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { addressOf, type DocumentPath } from './address.ts';
import type { DocumentScopes } from './scopes.ts';

export interface GrantChange extends DocumentPath {
  readonly action: string;
  readonly grantee: Grantee;
}

export interface GrantChangesDeps {
  readonly storage: Stores;
  readonly grantAllowance: GrantAllowance | undefined;
  readonly scope: DocumentScopes['scope'];
  /** Throws the error for a refused change. */
  readonly refuse: (path: DocumentPath, refusal: 'missing' | 'denied') => Promise<never>;
}

/** Use cases that change the grants on a document. */
export function createGrantChanges({ storage, grantAllowance, scope, refuse }: GrantChangesDeps) {
  return {
    /**
     * Grants a right to a user, role or group.
     *
     * @throws `auth.required`, `grant.action_unknown`, `user.not_found`, `role.not_found`, `group.not_found`,
     *   `collection.not_found`, `document.not_found`, `access.denied`
     */
    async grant(actor: Actor, { action, grantee, ...path }: GrantChange): Promise<void> {
      requireSignedIn(actor);
      const rights = RIGHTS[parseAction(action)];
      const grant = { principal: await requireGrantee(storage, actor, grantee), rights };
      const here = addressOf(path);
      const result = await storage.documents.grant(here, await scope(actor, here), grant);
      if (result !== 'granted') await refuse(path, result);
    },

    /**
     * Replaces all grants with those of the access list.
     *
     * @throws `auth.required`, `grant.*`, `input.*`, `collection.not_found`, `document.not_found`, `access.denied`
     */
    async setGrants(actor: Actor, { body, ...path }: DocumentPath & { body: ParsedJson }): Promise<void> {
      requireSignedIn(actor);
      const grants = await accessList({ stores: storage, actor, allowance: grantAllowance }, body);
      const here = addressOf(path);
      const result = await storage.documents.setGrants(here, await scope(actor, here), grants);
      if (result !== 'granted') await refuse(path, result);
    },

    /** Revokes a right; no error if it was never granted. @throws as `grant` */
    async revoke(actor: Actor, { action, grantee, ...path }: GrantChange): Promise<void> {
      requireSignedIn(actor);
      const parsed = parseAction(action);
      const result = await revokeFrom({ stores: storage, actor, grantee }, async (principal) => {
        const here = addressOf(path);
        return storage.documents.revoke(here, await scope(actor, here), { principal, action: parsed });
      });
      if (result === 'missing' || result === 'denied') await refuse(path, result);
    },
  };
}
