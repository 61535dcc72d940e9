import { createRequire } from 'node:module';
import type { Ajv } from 'ajv';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';

type Validate = ReturnType<FastifySchemaCompiler<object>>;
type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

function createAjv(): Ajv {
  const ajv: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  // Requests are taken as they are: nothing is converted, removed or filled in. The schemas are our own and valid (tests
  // check the OpenAPI document): validating them would first compile the schema of schemas, at the first request.
  return new ajv.Ajv({ addUsedSchema: false, allowUnionTypes: true, meta: false, validateSchema: false });
}

/**
 * Compiles the schema of a request part when the first such request arrives. Few programs ever serve every route, and
 * compiling all schemas took an eighth of the start.
 */
function createValidatorCompiler(): FastifySchemaCompiler<object> {
  let ajv: Ajv | null = null;
  return ({ schema }) => {
    let compiled: Validate | null = null;
    const validate: Validate = (data) => {
      if (compiled === null) {
        ajv ??= createAjv();
        compiled = ajv.compile(schema) as Validate;
      }
      const isValid = compiled(data);
      if (isValid === false) validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

/** Responses are sent as text, so compiling serializers from the schemas would only slow down the start. */
const serializerCompiler = () => JSON.stringify;

/** The compilers of schemas, for Fastify's option `schemaController`. Fastify then loads none of its own. */
export function schemaCompilers(): SchemaController {
  // The declared types are those of a compiler that gets the schema; it gets the route, as `setValidatorCompiler` says.
  const compilersFactory = { buildValidator: createValidatorCompiler, buildSerializer: () => serializerCompiler };
  return { compilersFactory } as unknown as SchemaController;
}
