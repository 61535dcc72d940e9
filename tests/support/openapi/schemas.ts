import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApi } from '../../../packages/http/src/reference/document.ts';

const ROOT = 'openapi';

/** Makes schemas reject undeclared members, unless they allow additional ones. */
function close(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const node = value as Record<string, unknown>;
  if (node.type === 'object' && typeof node.properties === 'object') node.additionalProperties ??= false;
  for (const inner of Object.values(node)) close(inner);
}

/** Returns a copy of a document whose schemas reject undeclared members. */
export function closed<T extends OpenApi>(document: T): T {
  const copy = structuredClone(document);
  close(copy);
  return copy;
}

const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Validates values by the schemas of a document. Each is compiled on first use. */
export function createSchemas(document: OpenApi) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema({ ...document }, ROOT);
  const compiled = new Map<string, ValidateFunction>();

  /** Returns the violation of the schema at this place of the document; null if the value is valid. */
  return (place: readonly string[], value: unknown): string | null => {
    const at = `${ROOT}#/${place.map(escaped).join('/')}`;
    const validate = compiled.get(at) ?? ajv.compile({ $ref: at });
    compiled.set(at, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: '' });
  };
}

export type Schemas = ReturnType<typeof createSchemas>;
