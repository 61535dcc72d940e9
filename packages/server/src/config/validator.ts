import type { ValidateFunction } from 'ajv';
import { compileSchema } from './compile.ts';

/** Compiled once on first use, because the schema is constant. */
let compiled: ValidateFunction | null = null;

/**
 * Validates the variables that are set. In the program's bundle, this module is replaced by the code that ajv generates
 * from the schema (`scripts/bundle.mjs`), so that a start does not wait for ajv.
 */
export function validator(): ValidateFunction {
  compiled ??= compileSchema().validate;
  return compiled;
}
