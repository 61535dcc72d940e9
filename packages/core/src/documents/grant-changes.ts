import { type AccessScope, RIGHTS } from '../access.ts';
import { type Actor, requireSignedIn } from '../actor.ts';
import { accessList, type GrantAllowance, type Grantee, parseAction, requireGrantee, revokeFrom } from '../grants.ts';
import type { ParsedJson } from '../json-text.ts';
import type { DocumentAddress, DocumentStore } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { addressOf, type DocumentPath } from './address.ts';
import type { DocumentScopes } from './scopes.ts';
import type { DocumentWrites } from './writes.ts';

export interface GrantChange extends DocumentPath {
  readonly action: string;
  readonly grantee: Grantee;
}

export interface GrantChangesDeps {
  readonly storage: Stores;
  readonly grantAllowance: GrantAllowance | undefined;
  readonly writes: Pick<DocumentWrites, 'grant'>;
  readonly scope: DocumentScopes['scope'];
  /** Throws the error for a refused change. */
  readonly refuse: (path: DocumentPath, refusal: 'missing' | 'denied') => Promise<never>;
}

/** Use cases that change the grants on a document. */
export function createGrantChanges({ storage, grantAllowance, writes, scope, refuse }: GrantChangesDeps) {
  /** Changes grants on a document, and records for the change feed what its children inherit. */
  async function change<T>(
    actor: Actor,
    here: DocumentAddress,
    work: (documents: DocumentStore, held: AccessScope) => Promise<T>,
  ): Promise<T> {
    const held = await scope(actor, here);
    return writes.grant(actor, here, (documents) => work(documents, held));
  }

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
      const result = await change(actor, here, (documents, held) => documents.grant(here, held, grant));
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
      const result = await change(actor, here, (documents, held) => documents.setGrants(here, held, grants));
      if (result !== 'granted') await refuse(path, result);
    },

    /** Revokes a right; no error if it was never granted. @throws as `grant` */
    async revoke(actor: Actor, { action, grantee, ...path }: GrantChange): Promise<void> {
      requireSignedIn(actor);
      const parsed = parseAction(action);
      const result = await revokeFrom({ stores: storage, actor, grantee }, async (principal) => {
        const here = addressOf(path);
        return change(actor, here, (documents, held) => documents.revoke(here, held, { principal, action: parsed }));
      });
      if (result === 'missing' || result === 'denied') await refuse(path, result);
    },
  };
}
