import { createRequire } from 'node:module';
import type { Ajv, ValidateFunction } from 'ajv';
import { FORMATS } from './formats.ts';
import { ENVIRONMENT_SCHEMA } from './variables.ts';

export interface Compiled {
  readonly ajv: Ajv;
  readonly validate: ValidateFunction;
}

/** Compiles the schema of the environment. The code that ajv generates names the formats `FORMATS`. */
export function compileSchema(): Compiled {
  const { Ajv, _ }: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    messages: false, // Ours are made from the schema, and repeat no secrets.
    formats: FORMATS,
    code: { source: true, esm: true, formats: _`FORMATS` },
  });
  return { ajv, validate: ajv.compile(ENVIRONMENT_SCHEMA) };
}
