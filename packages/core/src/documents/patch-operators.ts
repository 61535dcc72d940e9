import { AppError, isAppError } from '../errors.ts';
import { elementsOf, membersOf } from '../json-parts.ts';
import { contentPointer } from '../json-pointer.ts';
import { BEHIND_LAST, type JsonStep } from '../json-steps.ts';
import { canonicalJson, isJsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { JsonTree } from '../json-tree.ts';
import { parseFieldPath, parseTargetPath, partsOfPath } from './field-path.ts';

function typeInvalid(steps: readonly JsonStep[], message: string): AppError {
  const path = contentPointer(steps);
  return new AppError('field.type_invalid', { detail: `${path} ${message}`, problems: [{ path, message }] });
}

type Edit = (content: JsonTree) => void;

/** Creates the edit of a place from its operand. @throws `field.type_invalid`, `input.invalid` */
type Operator = (steps: readonly JsonStep[], operand: ParsedJson) => Edit;

/** Returns an operator that computes a number from the one at a place. A missing number is replaced by the operand. */
function numeric(compute: (value: number, operand: number) => number): Operator {
  return (steps, { value: operand }) => {
    if (typeof operand !== 'number' || !Number.isFinite(operand))
      throw typeInvalid(steps, 'needs a number in the patch');
    return (content) => {
      const text = content.read(steps);
      const value: JsonValue = text === null ? null : JSON.parse(text);
      if (text !== null && typeof value !== 'number') throw typeInvalid(steps, 'is not a number');
      const result = typeof value === 'number' ? compute(value, operand) : operand;
      if (!Number.isFinite(result)) throw typeInvalid(steps, 'would exceed the range of numbers');
      content.write(steps, JSON.stringify(result));
    };
  };
}

/** Returns the value with the members of its objects sorted by name. */
function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, inOrder(member)]),
  );
}

/** Returns the same text for equal values. */
const identity = ({ value }: ParsedJson) => JSON.stringify(inOrder(value));

/**
 * Returns an operator that changes the list at a place. @param change returns the edit of a list, which is null if it
 * is missing
 */
function listed(
  change: (steps: readonly JsonStep[], values: readonly ParsedJson[]) => (list: string | null) => Edit,
): Operator {
  return (steps, operand) => {
    const values = elementsOf(operand);
    if (values === null) throw typeInvalid(steps, 'needs an array of values in the patch');
    const edit = change(
      steps,
      values.map((value) => ({ ...value, text: canonicalJson(value) })),
    );
    return (content) => {
      const list = content.read(steps);
      if (list !== null && !list.startsWith('[')) throw typeInvalid(steps, 'is not an array');
      edit(list)(content);
    };
  };
}

const elementsIn = (list: string | null) =>
  list === null ? [] : (elementsOf({ text: list, value: JSON.parse(list) }) ?? []);

const adding =
  (steps: readonly JsonStep[], values: readonly ParsedJson[]): Edit =>
  (content) => {
    for (const { text } of values) content.write([...steps, BEHIND_LAST], text);
  };

const setsValue: Operator = (steps, operand) => {
  const value = canonicalJson(operand);
  return (content) => content.write(steps, value);
};

const addsToSet = listed((steps, values) => (list) => {
  const known = new Set(elementsIn(list).map(identity));
  const added = values.filter((value) => {
    const key = identity(value);
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
  return adding(steps, added);
});

const removesFrom = listed((steps, values) => (list) => {
  const removed = new Set(values.map(identity));
  const kept = elementsIn(list).filter((element) => !removed.has(identity(element)));
  return (content) => {
    if (list !== null) content.write(steps, `[${kept.map(({ text }) => text).join(',')}]`);
  };
});

/** Operators, in the order in which they take effect. `remove` accepts a list of paths, the others values by path. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['set', setsValue],
  ['remove', (steps) => (content) => content.remove(steps)],
  ['increment', numeric((value, operand) => value + operand)],
  ['min', numeric(Math.min)],
  ['max', numeric(Math.max)],
  ['append', listed((steps, values) => () => adding(steps, values))],
  ['addToSet', addsToSet],
  ['removeFrom', removesFrom],
]);

/** Maximum number of paths in a patch. */
const MAX_PATCH_PATHS = 100;

const invalid = (detail: string, input: string) => new AppError('patch.invalid', { detail, input });

/** Returns the paths of an operator with their operands. */
function namedBy(operator: string, operands: ParsedJson): (readonly [path: string, operand: ParsedJson])[] {
  const input = `/${operator}`;
  if (operator !== 'remove') {
    const members = membersOf(operands);
    if (members === null) throw invalid(`"${operator}" must be an object of values by path`, input);
    return Array.from(members);
  }
  const paths = elementsOf(operands);
  if (paths === null) throw invalid('"remove" must be an array of paths', input);
  return paths.map((path) => {
    if (typeof path.value !== 'string') throw invalid('"remove" must be an array of paths', input);
    return [path.value, path];
  });
}

/** An edit of a patch, with its place. */
export interface PlacedEdit {
  readonly steps: readonly JsonStep[];
  /** @throws `field.type_invalid`, `field.unreachable` */
  readonly edit: Edit;
}

/** @throws `field.path_invalid`, `field.owned`, `field.type_invalid`, `input.*` */
function placedEdit(name: string, operator: Operator, [path, operand]: readonly [string, ParsedJson]): PlacedEdit {
  try {
    const parts = partsOfPath(path);
    const steps = name === 'set' ? parseTargetPath(parts) : parseFieldPath(parts);
    return { steps, edit: operator(steps, operand) };
  } catch (error) {
    if (!isAppError(error) || error.problems.length > 0) throw error;
    const detail = error.detail ?? undefined;
    throw new AppError(error.code, { input: contentPointer([name, path]), ...(detail && { detail }) });
  }
}

/**
 * Parses a patch such as `{"increment":{"likes":1}}`. Returns its edits in the order in which they take effect.
 *
 * @throws `patch.invalid`, `field.path_invalid`, `field.owned`, `field.type_invalid`, `input.*`
 */
export function parseOperators(body: ParsedJson): readonly PlacedEdit[] {
  const members = membersOf(body);
  if (members === null) throw invalid('it is not an object', '');
  for (const name of members.keys()) {
    if (OPERATORS.has(name) || name === '@version') continue;
    throw invalid(`unknown operator "${name}"; members of the document belong into "set"`, contentPointer([name]));
  }
  const edits = Array.from(OPERATORS).flatMap(([name, operator]) => {
    const operands = members.get(name);
    return operands === undefined ? [] : namedBy(name, operands).map((one) => placedEdit(name, operator, one));
  });
  if (edits.length > MAX_PATCH_PATHS) throw invalid(`it names more than ${MAX_PATCH_PATHS} paths`, '');
  return edits;
}
