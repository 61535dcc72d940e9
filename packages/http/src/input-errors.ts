import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import type { InputError } from './errors.ts';

/** What stands in front of the names of inputs, by the part of the request that a schema is for. */
const PREFIXES: Readonly<Record<string, string>> = { querystring: 'query.', params: 'path.', headers: 'header.' };

/** A name as a part of a JSON Pointer (RFC 6901). */
const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The input that is wrong as a JSON Pointer into its part of the request; what is missing or too much by its own path. */
function pointerOf({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const name = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  return typeof name === 'string' ? `${instancePath}/${escaped(name)}` : instancePath;
}

/** What a schema found wrong with each input. */
export function inputErrors({ validation, validationContext = 'body' }: FastifyError): readonly InputError[] {
  const prefix = PREFIXES[validationContext];
  return (validation ?? []).map((problem) => {
    const pointer = pointerOf(problem);
    const path = prefix === undefined ? pointer : `${prefix}${pointer.slice(1)}`;
    return { path, message: problem.message ?? 'is not what is expected' };
  });
}
