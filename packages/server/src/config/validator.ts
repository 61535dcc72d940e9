import type { ValidateFunction } from 'ajv';
import { compileSchema } from './compile.ts';

/** Compiled at the first use, once for all: the schema is a constant. */
let compiled: ValidateFunction | null = null;

/**
 * Validates the values of the variables that are set. In the bundle of the program, the code that ajv generates from
 * the schema takes the place of this module (`scripts/bundle.mjs`), so that a start does not wait for ajv.
 */
export function validator(): ValidateFunction {
  compiled ??= compileSchema().validate;
  return compiled;
}
