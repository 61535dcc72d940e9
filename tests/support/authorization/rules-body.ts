import type { Answer } from '../backend.ts';
import { CHECKS, CONDITIONS } from './oracle-rules.ts';
import { COLLECTIONS, type ParentItem, type RoleRef, type RuleItem, type RulesStep } from './steps.ts';

/** Creates a function that returns the rules of a step as the body of a request. */
export function createRulesBody({
  roleName,
  collectionName,
}: {
  readonly roleName: (role: RoleRef) => string;
  readonly collectionName: (place: number) => string;
}) {
  const itemOf = ({ role, if: condition }: RuleItem) =>
    condition === null ? roleName(role) : { role: roleName(role), if: CONDITIONS[condition] };

  function parentOf({ named, needs, onDelete }: ParentItem, collection: number): Record<string, unknown> {
    const other = named ? collectionName((collection + 1) % COLLECTIONS) : null;
    return { field: 'up', collection: other, ...needs, onDelete };
  }

  return ({ collection, rules, parent, checks }: RulesStep) => ({
    ...Object.fromEntries(Object.entries(rules).map(([action, items]) => [action, items.map(itemOf)])),
    ...(parent !== undefined && { parent: parent && parentOf(parent, collection) }),
    ...(checks !== undefined && {
      check: Object.fromEntries(Object.entries(checks).map(([action, name]) => [action, CHECKS[name]])),
    }),
  });
}

/** Resolves to false if the database refuses rules with parents, as a distributed one does. */
export async function appliesParents(
  asAdmin: (method: string, path: string, body?: unknown) => Promise<Answer>,
  name: string,
): Promise<boolean> {
  await asAdmin('POST', `collection/${name}`);
  const { status } = await asAdmin('PUT', `collection/${name}/rules`, { parent: { field: 'up' } });
  await asAdmin('DELETE', `collection/${name}`);
  return status === 200;
}
