import { type Actor, ANONYMOUS } from '../actor.ts';
import { createBoundedCache } from '../caches.ts';
import { type CollectionPolicy, policyOf } from '../collections/policies.ts';
import type { CollectionRuleAdmin, RulesToChange } from '../collections/rules.ts';
import { type Violations, violationsIn } from '../collections/stored-documents.ts';
import { ERRORS } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { InputProblem } from '../ports/schemas.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { findActor } from '../users/actors.ts';
import { failedCheck } from './checks.ts';

/** Maximum number of authors in memory. */
const MAX_AUTHORS = 1_000;

export interface RuleViolationsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly collectionRules: Pick<CollectionRuleAdmin, 'planned'>;
}

export type RuleViolations = ReturnType<typeof createRuleViolations>;

export function createRuleViolations({ storage, clock, collectionRules }: RuleViolationsDeps) {
  /**
   * Returns the stored documents that would violate the checks after a change of rules: those that their authors could
   * not create now, as they are, and those that they could not store again without a change. The exemption of
   * administrators does not count. Changes nothing.
   *
   * @throws as `CollectionRuleAdmin.change`
   */
  return async function ruleViolations(actor: Actor, change: RulesToChange): Promise<Violations> {
    const { key, rules } = await collectionRules.planned(actor, change);
    return violationsOf(storage, key, {
      policy: policyOf(rules, { schema: null, unique: [], search: null }),
      now: clock.now(),
    });
  };
}

function violationsOf(
  stores: Pick<Stores, 'documents' | 'users'>,
  key: string,
  { policy, now }: { readonly policy: CollectionPolicy; readonly now: number },
): Promise<Violations> {
  const authors = createBoundedCache<string, Actor>(MAX_AUTHORS);

  async function authorOf({ author }: DocumentRecord): Promise<Actor> {
    const known = authors.get(author);
    if (known !== undefined) return known;
    const found = (await findActor(stores, author)) ?? ANONYMOUS;
    authors.set(author, found);
    return found;
  }

  return violationsIn(stores, key, async (document) => {
    const problems: InputProblem[] = [];
    const write = { stores, policy, actor: await authorOf(document), new: document, now };
    for (const action of ['create', 'update'] as const) {
      const failed = await failedCheck(action, { ...write, old: action === 'create' ? null : document });
      if (failed === null) continue;
      problems.push({ path: `/check/${action}`, message: failed.message ?? ERRORS['rule.refused'] });
    }
    return problems;
  });
}
