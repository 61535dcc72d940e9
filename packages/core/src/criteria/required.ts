import { meaningsOf } from './operands.ts';
import type { Condition, Constant, Operand, Path, Scalar } from './syntax.ts';

/** A path, and the values of which every matching object has one there. */
export interface RequiredValue {
  readonly path: Path;
  readonly values: readonly Scalar[];
}

function equality(operand: Operand, constant: Constant): RequiredValue | null {
  if (operand.kind !== 'path') return null;
  const values = meaningsOf(constant);
  // Half of all objects may have the same boolean, so another condition is worth more.
  return values.some((value) => typeof value === 'boolean') ? null : { path: operand.path, values };
}

/** Returns a value that a filter requires with `=`, alone or besides other conditions; null if there is none. */
export function requiredValue(condition: Condition): RequiredValue | null {
  if (condition.kind === 'and') {
    return condition.conditions.map(requiredValue).find((required) => required !== null) ?? null;
  }
  if (condition.kind !== 'compare' || condition.operator !== '=') return null;
  const { left, right } = condition;
  if (right.kind === 'constant') return equality(left, right);
  return left.kind === 'constant' ? equality(right, left) : null;
}
