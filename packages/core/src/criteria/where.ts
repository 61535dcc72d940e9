import { type ParseContext, parseConstant, parseElements, parseOperand, parsePath, parsePattern } from './operands.ts';
import type { Comparison, Condition, Constant, Operand, Path } from './syntax.ts';
import { canonicalPattern } from './text.ts';
import type { Token } from './tokens.ts';

/** Precedence of operators. `not` binds more strongly than `and`. */
const POWER = { or: 1, and: 2, not: 3, predicate: 4 } as const;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

const CHANGED = 'changed';
/** Returns the name whose value is true if the value at a path differs between the two states of a check. */
const changedName = (path: Path) => `${CHANGED} ${JSON.stringify(path)}`;
/** Returns the path of such a name; null for other names. */
export const changedPath = (name: string): Path | null =>
  name.startsWith(`${CHANGED} `) ? JSON.parse(name.slice(CHANGED.length)) : null;

/** A parsed expression. */
type Expression =
  | { readonly kind: 'operand'; readonly operand: Operand }
  | { readonly kind: 'null' }
  | { readonly kind: 'condition'; readonly condition: Condition };

const AN_OPERATOR = 'an operator such as =';

const not = (condition: Condition): Condition => ({ kind: 'not', condition });
const isNull = (operand: Operand): Condition => ({ kind: 'null', operand });
/** Returns a condition that is never true. */
const never = (operand: Operand): Condition => ({ kind: 'in', operand, values: [] });

/** Compares with null: `=` and `<>` test whether the other side is absent; other operators are never true. */
function compareNull(operator: Comparison, operand: Operand): Condition {
  if (operator === '=') return isNull(operand);
  return operator === '<>' ? not(isNull(operand)) : never(operand);
}

function compare(operator: Comparison, left: Operand, right: Operand | null): Condition {
  return right === null ? compareNull(operator, left) : { kind: 'compare', operator, left, right };
}

const isConstant = (operand: Operand | null): operand is Constant => operand?.kind === 'constant';
const isCallerList = ({ caller }: Constant) => caller === 'roles' || caller === 'groups';

/** Matches the elements of a list. Null also matches absent values. */
function isIn(operand: Operand, elements: readonly (Operand | null)[]): Condition {
  const found: Condition = { kind: 'in', operand, values: elements.filter(isConstant) };
  const others = elements.flatMap((element) => {
    if (element === null) return [isNull(operand)];
    return isConstant(element) ? [] : [compare('=', operand, element)];
  });
  return others.length === 0 ? found : { kind: 'or', conditions: [found, ...others] };
}

/** Creates a Pratt parser, in which each operator has a precedence. */
function createConditionParser(context: ParseContext) {
  const { reader } = context;

  function prefix(): Expression {
    const token = reader.peek();
    if (reader.accept('(')) {
      const inner = reader.deeper(() => expression(0));
      reader.expect(')');
      return inner;
    }
    if (reader.accept('not')) {
      reader.count(token);
      return { kind: 'condition', condition: not(reader.deeper(() => condition(POWER.not))) };
    }
    if (reader.accept('null')) {
      reader.count(token);
      return { kind: 'null' };
    }
    if (context.rule === 'check' && token.text === CHANGED && reader.isFollowedBy('(')) {
      return { kind: 'condition', condition: changed() };
    }
    return { kind: 'operand', operand: parseOperand(context) };
  }

  /** Parses `changed(path)` of a check. */
  function changed(): Condition {
    reader.take();
    reader.expect('(');
    const path = parsePath(reader);
    reader.expect(')');
    const right: Constant = { kind: 'constant', value: true, untyped: false };
    return { kind: 'compare', operator: '=', left: { kind: 'path', path: [changedName(path)] }, right };
  }

  /** Parses a value or null, without any operator around it. */
  function side(): Operand | null {
    const token = reader.peek();
    const right = prefix();
    if (right.kind === 'condition') throw reader.unexpected('a name or a value', token);
    return right.kind === 'null' ? null : right.operand;
  }

  function comparison(operator: Comparison, left: Operand | null): Condition {
    const token = reader.peek();
    const right = side();
    if (left !== null) return compare(operator, left, right);
    if (right === null) throw reader.unexpected('a name or a value other than null', token);
    return compareNull(operator, right);
  }

  /** Parses `caller.roles contains x`. */
  const isOneOfCaller = (list: Constant): Condition => ({ kind: 'in', operand: parseOperand(context), values: [list] });

  function contains(operand: Operand): Condition {
    if (isConstant(operand) && isCallerList(operand)) return isOneOfCaller(operand);
    const token = reader.peek();
    if (!reader.accept('(')) {
      const value = parseConstant(context);
      if (value === null) throw reader.unexpected('a literal, ? or a condition in parentheses');
      return { kind: 'contains', operand, value };
    }
    // Counts as two levels, because databases nest statements less deeply than conditions.
    const inner = reader.deeper(() => reader.deeper(() => expression(0)));
    reader.expect(')');
    if (inner.kind === 'condition') return { kind: 'some', operand, condition: inner.condition };
    if (inner.kind === 'null' || inner.operand.kind !== 'constant') {
      throw reader.unexpected('a literal, ? or a condition in the parentheses', token);
    }
    return { kind: 'contains', operand, value: inner.operand };
  }

  /** Parses `x in […]`; or `value in path`, which is `path contains value`. */
  function membership(operand: Operand): Condition {
    const elements = parseElements(context);
    if (elements !== null) return isIn(operand, elements);
    const token = reader.peek();
    const list = parseOperand(context);
    if (isConstant(list) && isCallerList(list)) return { kind: 'in', operand, values: [list] };
    if (operand.kind !== 'constant') throw reader.unexpected('a list, as in [1, 2], or ?', token);
    return { kind: 'contains', operand: list, value: operand };
  }

  function between(operand: Operand): Condition {
    const low = side();
    reader.expect('and');
    const high = side();
    return { kind: 'and', conditions: [compare('>=', operand, low), compare('<=', operand, high)] };
  }

  const like = (operand: Operand): Condition => ({
    kind: 'like',
    operand,
    pattern: canonicalPattern(parsePattern(context)),
  });

  const containsText = (operand: Operand): Condition => ({
    kind: 'containsText',
    operand,
    text: parsePattern(context),
  });

  function isOrIsNot(operand: Operand): Condition {
    const negated = reader.accept('not');
    reader.expect('null');
    return negated ? not(isNull(operand)) : isNull(operand);
  }

  function negated(operand: Operand): Condition {
    if (reader.accept('like')) return not(like(operand));
    if (reader.accept('in')) return not(membership(operand));
    if (reader.accept('between')) return not(between(operand));
    throw reader.unexpected('like, in or between');
  }

  const PREDICATES: Readonly<Record<string, (operand: Operand) => Condition>> = {
    is: isOrIsNot,
    like,
    in: membership,
    between,
    contains,
    containstext: containsText,
    not: negated,
  };

  /** Returns the parser for the following operator; null if there is none. */
  function predicateParser(): ((operand: Operand) => Condition) | null {
    const keyword = reader.keyword();
    return (keyword === null ? undefined : PREDICATES[keyword]) ?? null;
  }

  const comparisonNext = () => {
    const { kind, text } = reader.peek();
    return kind === 'symbol' ? COMPARISONS[text] : undefined;
  };

  /** Parses a condition that begins with a value, followed by exactly one operator. */
  function predicate(left: Expression, token: Token): Expression {
    const operator = comparisonNext();
    const parse = predicateParser();
    if (left.kind === 'condition' || (operator === undefined && parse === null)) return left;
    reader.count(reader.take());
    const operand = left.kind === 'null' ? null : left.operand;
    if (operator !== undefined) return { kind: 'condition', condition: comparison(operator, operand) };
    if (operand === null || parse === null) throw reader.unexpected('a name or a value other than null', token);
    return { kind: 'condition', condition: parse(operand) };
  }

  /** Parses the operands of a chain of `and`s or `or`s, which count as one level. */
  function chain(kind: 'and' | 'or', first: Condition): Condition {
    const conditions = [first];
    for (let token = reader.peek(); reader.accept(kind); token = reader.peek()) {
      reader.count(token);
      conditions.push(condition(POWER[kind] + 1));
    }
    return { kind, conditions };
  }

  function expression(power: number): Expression {
    const token = reader.peek();
    let left = predicate(prefix(), token);
    for (;;) {
      const keyword = reader.keyword();
      if ((keyword !== 'and' && keyword !== 'or') || POWER[keyword] < power) return left;
      if (left.kind !== 'condition') throw reader.unexpected(AN_OPERATOR);
      left = { kind: 'condition', condition: chain(keyword, left.condition) };
    }
  }

  function condition(power: number): Condition {
    const found = expression(power);
    if (found.kind === 'condition') return found.condition;
    throw reader.unexpected(AN_OPERATOR);
  }

  return { condition };
}

/** Parses `where`. @throws `criteria.invalid` */
export function parseCondition(context: ParseContext): Condition {
  const { reader } = context;
  const condition = createConditionParser(context).condition(0);
  if (reader.peek().kind !== 'end') throw reader.unexpected('and, or, or the end');
  return condition;
}
