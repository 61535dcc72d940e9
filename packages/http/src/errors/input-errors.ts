import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import type { InputError } from './errors.ts';

/** Prefixes of input paths, by part of the request. */
const PREFIXES: Readonly<Record<string, string>> = { querystring: 'query.', params: 'path.', headers: 'header.' };

/** Escapes a name for a JSON Pointer (RFC 6901). */
export const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Returns the JSON Pointer of the invalid input within its part of the request. A missing or unknown property has its
 * own path.
 */
export function pointerOf({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const name = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  return typeof name === 'string' ? `${instancePath}/${escaped(name)}` : instancePath;
}

/** Describes a problem. The validator's own text names neither an unknown member nor the allowed values. */
function textOf({ params, message }: FastifySchemaValidationError): string {
  const { additionalProperty: unknown, allowedValues: allowed } = params;
  if (typeof unknown === 'string') return `must not have the member ${JSON.stringify(unknown)}`;
  if (Array.isArray(allowed)) return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  return message ?? 'is invalid';
}

/** Returns a message about the validation problems of a part of the request. @param part as Fastify names it */
export const validationMessage = (problems: readonly FastifySchemaValidationError[], part: string): string =>
  problems.map((problem) => `${part}${problem.instancePath} ${textOf(problem)}`).join(', ');

/** Returns the problems of schema validation, one per input. */
export function inputErrors({ validation, validationContext = 'body' }: FastifyError): readonly InputError[] {
  const prefix = PREFIXES[validationContext];
  return (validation ?? []).map((problem) => {
    const pointer = pointerOf(problem);
    const path = prefix === undefined ? pointer : `${prefix}${pointer.slice(1)}`;
    return { path, message: textOf(problem) };
  });
}
