import type { InputProblem } from '@baobab/core';
import type { ErrorObject } from 'ajv';
import { step } from './nodes.ts';

/** Maximum length of a list of allowed values in a message. */
const MAX_LIST = 200;

const MEMBER_PARAMS = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'] as const;

function listed(values: unknown): string {
  const text = JSON.stringify(values);
  return text === undefined || text.length > MAX_LIST ? '' : `: ${text}`;
}

function messageOf({ keyword, params, message = 'is invalid' }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return `must be one of the allowed values${listed(params.allowedValues)}`;
    case 'const':
      return `must be the value${listed(params.allowedValue)}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema':
      return 'is not allowed';
    case 'required':
      return 'is missing';
    case 'dependentRequired':
      return `is missing, because "${params.property}" is there`;
    case 'propertyNames':
      return 'has a name that is not allowed';
    case 'uniqueItems':
      return 'must not contain equal elements';
    default:
      return message;
  }
}

/** Converts a problem that ajv found, with the location where a client can fix it. */
export function toProblem(error: ErrorObject): InputProblem {
  const member = MEMBER_PARAMS.map((name) => error.params[name]).find((name) => typeof name === 'string');
  const path = member === undefined ? error.instancePath : error.instancePath + step(member);
  return { path, message: messageOf(error) };
}
