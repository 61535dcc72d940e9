export { createSchemaCompiler } from './compiler.ts';
