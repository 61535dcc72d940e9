import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import type { InputError } from './errors.ts';

/** Prefixes of input paths, by the part of the request that a schema describes. */
const PREFIXES: Readonly<Record<string, string>> = { querystring: 'query.', params: 'path.', headers: 'header.' };

/** Escapes a name for a JSON Pointer (RFC 6901). */
const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * The invalid input as a JSON Pointer into its part of the request. A missing or surplus property gets its own path.
 */
export function pointerOf({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const name = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  return typeof name === 'string' ? `${instancePath}/${escaped(name)}` : instancePath;
}

/** The problems that schema validation found, one per input. */
export function inputErrors({ validation, validationContext = 'body' }: FastifyError): readonly InputError[] {
  const prefix = PREFIXES[validationContext];
  return (validation ?? []).map((problem) => {
    const pointer = pointerOf(problem);
    const path = prefix === undefined ? pointer : `${prefix}${pointer.slice(1)}`;
    return { path, message: problem.message ?? 'is not what is expected' };
  });
}
