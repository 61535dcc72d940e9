import { createRequire } from 'node:module';
import type { Ajv } from 'ajv';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';

type Validate = ReturnType<FastifySchemaCompiler<object>>;
type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

function createAjv(): Ajv {
  const ajv: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  // Requests are not modified: nothing is converted, removed or filled in. The schemas are our own and valid (tests
  // check the OpenAPI document). Validating them would compile the meta-schema at the first request.
  return new ajv.Ajv({ addUsedSchema: false, allowUnionTypes: true, meta: false, validateSchema: false });
}

/**
 * Compiles the schema of a request part on first use. Few programs serve every route, and compiling all schemas took an
 * eighth of the start.
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

/** Responses are sent as text. Compiling serializers from the schemas would only slow down the start. */
const serializerCompiler = () => JSON.stringify;

/** Returns the schema compilers for Fastify's option `schemaController`, so that Fastify does not load its own. */
export function schemaCompilers(): SchemaController {
  // The declared types expect a compiler that receives the schema. It receives the route, as documented for
  // `setValidatorCompiler`.
  const compilersFactory = { buildValidator: createValidatorCompiler, buildSerializer: () => serializerCompiler };
  return { compilersFactory } as unknown as SchemaController;
}
