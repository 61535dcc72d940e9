import { createRequire } from 'node:module';
import type { Ajv, ValidateFunction } from 'ajv';
import { FORMATS } from './formats.ts';
import { ENVIRONMENT_SCHEMA } from './variables.ts';

export interface Compiled {
  readonly ajv: Ajv;
  readonly validate: ValidateFunction;
}

/** Compiles the schema of the environment. The generated code of ajv refers to the formats in `FORMATS`. */
export function compileSchema(): Compiled {
  const { Ajv, _ }: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    messages: false, // Our own messages are derived from the schema and do not repeat secrets.
    formats: FORMATS,
    code: { source: true, esm: true, formats: _`FORMATS` },
  });
  return { ajv, validate: ajv.compile(ENVIRONMENT_SCHEMA) };
}
