import { isJsonObject } from '../json-text.ts';
import { createScore } from './full-text/matching.ts';
import { meaningsOf } from './operands.ts';
import { compareSortValues } from './order.ts';
import type { Comparison, Condition, Constant, Method, Operand, Scalar } from './syntax.ts';
import { createLike, lengthInCodePoints } from './text.ts';
import { type Resolve, resolverOf, scalarOf, type Value, valueAt } from './values.ts';

const METHODS: Readonly<Record<Method, (value: Value) => Value>> = {
  toLowerCase: (value) => (typeof value === 'string' ? value.toLowerCase() : undefined),
  toUpperCase: (value) => (typeof value === 'string' ? value.toUpperCase() : undefined),
  length: (value) => (typeof value === 'string' ? lengthInCodePoints(value) : undefined),
  size: (value) => (Array.isArray(value) ? value.length : undefined),
};

export const EARTH_RADIUS_KM = 6371;
const RADIANS = Math.PI / 180;

/**
 * Returns the distance in kilometres between two points on a sphere, each as latitude and longitude in degrees
 * (haversine formula).
 */
export function kilometres(latitude1: number, longitude1: number, latitude2: number, longitude2: number): number {
  const half = (a: number, b: number) => Math.sin(((b - a) * RADIANS) / 2) ** 2;
  const across = Math.cos(latitude1 * RADIANS) * Math.cos(latitude2 * RADIANS) * half(longitude1, longitude2);
  const share = Math.min(1, half(latitude1, latitude2) + across); // rounding may raise antipodes above 1
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(share));
}

/** Returns the value of an operand for one object; undefined if it is absent. */
export function operandValue(operand: Operand, resolve: Resolve): Value {
  switch (operand.kind) {
    case 'constant':
      return operand.value;
    case 'path':
      return valueAt(operand.path, resolve);
    case 'call':
      return METHODS[operand.method](operandValue(operand.of, resolve));
    case 'distance': {
      const [a, b, c, d] = operand.of.map((of) => operandValue(of, resolve));
      const isDefined = [a, b, c, d].every((value) => typeof value === 'number');
      return isDefined ? kilometres(a as number, b as number, c as number, d as number) : undefined;
    }
  }
}

/** Returns all scalars that an operand may mean (see `meaningsOf`). */
function meanings(operand: Operand): (resolve: Resolve) => readonly Scalar[] {
  if (operand.kind === 'constant') {
    const constants = meaningsOf(operand);
    return () => constants;
  }
  return (resolve) => {
    const scalar = scalarOf(operandValue(operand, resolve));
    return scalar === null ? [] : [scalar];
  };
}

const RELATIONS: Readonly<Record<Comparison, (difference: number) => boolean>> = {
  '=': (difference) => difference === 0,
  '<>': (difference) => difference !== 0,
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** Compares two scalars. Values of different types are never equal, nor in any other relation. */
export const holds = (operator: Comparison, a: Scalar, b: Scalar) =>
  typeof a === typeof b && RELATIONS[operator](compareSortValues(a, b));

type Test = (resolve: Resolve) => boolean;

function comparison({ operator, left, right }: Extract<Condition, { kind: 'compare' }>): Test {
  const [lefts, rights] = [meanings(left), meanings(right)];
  return (resolve) => lefts(resolve).some((a) => rights(resolve).some((b) => holds(operator, a, b)));
}

/** Returns a test for values that equal one of these constants. */
function oneOf(constants: readonly Constant[]): (value: Value) => boolean {
  const wanted = new Set<Value>(constants.flatMap(meaningsOf));
  return (value) => wanted.has(value);
}

function text(operand: Operand, test: (text: string) => boolean): Test {
  return (resolve) => {
    const value = operandValue(operand, resolve);
    return typeof value === 'string' && test(value);
  };
}

function someElement(operand: Operand, test: (element: Value) => boolean): Test {
  return (resolve) => {
    const value = operandValue(operand, resolve);
    return Array.isArray(value) && value.some(test);
  };
}

/** Creates a function that tests a condition for an object. Constant parts are prepared in advance. */
export function createTest(condition: Condition): Test {
  switch (condition.kind) {
    case 'compare':
      return comparison(condition);
    case 'in': {
      const isOne = oneOf(condition.values);
      return (resolve) => isOne(operandValue(condition.operand, resolve));
    }
    case 'like':
      return text(condition.operand, createLike(condition.pattern));
    case 'null':
      return (resolve) => (operandValue(condition.operand, resolve) ?? null) === null;
    case 'contains':
      return someElement(condition.operand, oneOf([condition.value]));
    case 'some': {
      const test = createTest(condition.condition);
      return someElement(condition.operand, (element) => isJsonObject(element) && test(resolverOf(element)));
    }
    case 'containsText':
      return text(condition.operand, (value) => value.includes(condition.text));
    case 'fullText': {
      const score = createScore(condition.search);
      return (resolve) => score(resolve) !== null;
    }
    case 'and': {
      const tests = condition.conditions.map(createTest);
      return (resolve) => tests.every((test) => test(resolve));
    }
    case 'or': {
      const tests = condition.conditions.map(createTest);
      return (resolve) => tests.some((test) => test(resolve));
    }
    case 'not': {
      const test = createTest(condition.condition);
      return (resolve) => !test(resolve);
    }
  }
}

/** Tests a condition for one object. For several objects use `createTest` once. */
export const matches = (condition: Condition, resolve: Resolve) => createTest(condition)(resolve);
