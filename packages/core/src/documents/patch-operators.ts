import { AppError, isAppError } from '../errors.ts';
import { elementsOf, membersOf } from '../json-parts.ts';
import { contentPointer } from '../json-pointer.ts';
import type { JsonStep } from '../json-steps.ts';
import { canonicalJson, isJsonObject, type ParsedJson } from '../json-text.ts';
import type { JsonTree } from '../json-tree.ts';
import { parseFieldPath, parseTargetPath, partsOfPath } from './field-path.ts';
import { createListValues } from './list-values.ts';
import { refuseRepeated } from './patch-places.ts';

function typeInvalid(steps: readonly JsonStep[], message: string): AppError {
  const path = contentPointer(steps);
  return new AppError('field.type_invalid', { detail: `${path} ${message}`, problems: [{ path, message }] });
}

type Edit = (content: JsonTree) => void;

/** Creates the edit of a place from its operand. @throws `field.type_invalid`, `input.invalid` */
type Operator = (steps: readonly JsonStep[], operand: ParsedJson) => Edit;

const IS_NUMBER = /^[-\d]/;

/** Returns a sum, which must be exact if it is a whole number. @throws `json.number_inexact` */
function sum(value: number, operand: number): number {
  const result = value + operand;
  if (Number.isInteger(result) && !Number.isSafeInteger(result)) {
    throw new AppError('json.number_inexact', { detail: `${value} + ${operand}` });
  }
  return result;
}

/** Returns an operator that computes a number from the one at a place. A missing number is replaced by the operand. */
function numeric(compute: (value: number, operand: number) => number): Operator {
  return (steps, { value: operand }) => {
    if (typeof operand !== 'number' || !Number.isFinite(operand))
      throw typeInvalid(steps, 'needs a number in the patch');
    return (content) => {
      const text = content.read(steps);
      if (text !== null && !IS_NUMBER.test(text)) throw typeInvalid(steps, 'is not a number');
      const result = text === null ? operand : compute(Number(text), operand);
      if (!Number.isFinite(result)) throw typeInvalid(steps, 'would exceed the range of numbers');
      content.write(steps, JSON.stringify(result));
    };
  };
}

/**
 * Returns an operator that changes the list at a place. @param change returns the edit of a list, which is null if it
 * is missing. Its argument is canonical JSON of an array
 */
function listed(
  change: (steps: readonly JsonStep[], values: string) => (content: JsonTree, list: string | null) => void,
): Operator {
  return (steps, operand) => {
    const values = canonicalJson(operand);
    if (!values.startsWith('[')) throw typeInvalid(steps, 'needs an array of values in the patch');
    const edit = change(steps, values);
    return (content) => {
      const list = content.read(steps);
      if (list !== null && !list.startsWith('[')) throw typeInvalid(steps, 'is not an array');
      edit(content, list);
    };
  };
}

/** @param elements separated by commas */
function append(content: JsonTree, steps: readonly JsonStep[], elements: string): void {
  if (elements !== '') content.append(steps, elements);
}

const setsValue: Operator = (steps, operand) => {
  const value = canonicalJson(operand);
  return (content) => content.write(steps, value);
};

const appends = listed((steps, values) => (content) => append(content, steps, values.slice(1, -1)));

const addsToSet = listed((steps, values) => {
  const { missingIn } = createListValues(values);
  return (content, list) => append(content, steps, missingIn(list ?? '[]'));
});

const removesFrom = listed((steps, values) => {
  const { removedFrom } = createListValues(values);
  return (content, list) => {
    const left = list === null ? null : removedFrom(list);
    if (left !== null) content.write(steps, left);
  };
});

/** Operators, in the order in which they take effect. `remove` accepts a list of paths, the others values by path. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['set', setsValue],
  ['remove', (steps) => (content) => content.remove(steps)],
  ['increment', numeric(sum)],
  ['min', numeric(Math.min)],
  ['max', numeric(Math.max)],
  ['append', appends],
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

/** Operators that read each list that they change. */
const READING: readonly string[] = ['append', 'addToSet', 'removeFrom'];

/**
 * Returns how many times a patch reads a document at most: once, and once more for each operator that reads lists. The
 * lists of one operator are apart from each other.
 */
export const passesOf = ({ value }: ParsedJson): number =>
  1 + READING.filter((name) => isJsonObject(value) && Object.hasOwn(value, name)).length;

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
  const named = Array.from(OPERATORS).flatMap(([name, operator]) => {
    const operands = members.get(name);
    return operands === undefined ? [] : { name, operator, operands: namedBy(name, operands) };
  });
  const paths = named.reduce((sum, { operands }) => sum + operands.length, 0);
  if (paths > MAX_PATCH_PATHS) throw invalid(`it names more than ${MAX_PATCH_PATHS} paths`, '');
  return named.flatMap(({ name, operator, operands }) => {
    const edits = operands.map((one) => placedEdit(name, operator, one));
    const isOrdered = name === 'remove';
    const inputs = operands.map(([path]) => contentPointer([name, path]));
    refuseRepeated(
      edits.map(({ steps }) => steps),
      { inputs, isOrdered },
    );
    return edits;
  });
}
