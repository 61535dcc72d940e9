import { createSchemaCompiler } from '@baobab/adapters/json-schema';
import { schemasContract } from '@baobab/contracts/schemas';

schemasContract('ajv', createSchemaCompiler);
