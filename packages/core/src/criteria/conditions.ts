import type { Comparison, Condition, Constant, Operand } from './syntax.ts';

/** Returns the conditions that must all be true. */
export function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjuncts) : [condition];
}

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** Returns the operator for exchanged operands. */
export const flipped = (operator: Comparison) => FLIPPED[operator];

/** A comparison with a constant on the right. */
interface ConstantComparison {
  readonly operand: Operand;
  readonly operator: Comparison;
  readonly constant: Constant;
}

/** Returns a comparison with its constant on the right; null if neither side is a constant. */
export function comparedConstant({
  left,
  right,
  operator,
}: Extract<Condition, { kind: 'compare' }>): ConstantComparison | null {
  if (right.kind === 'constant') return { operand: left, operator, constant: right };
  return left.kind === 'constant' ? { operand: right, operator: flipped(operator), constant: left } : null;
}
