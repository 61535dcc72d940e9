import { createBoundedCache } from '../caches.ts';
import { AppError } from '../errors.ts';
import type { CompiledSchema, InputProblem, SchemaCompiler } from '../ports/schemas.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Maximum number of compiled schemas in memory. */
const KEPT = 200;

/** Checks a content, as stored, against the schema of its collection. @throws `document.invalid` */
export type ContentCheck = (content: string) => void;

const shown = ({ path, message }: InputProblem) => (path === '' ? message : `${path} ${message}`);

const createContentCheck =
  (schema: CompiledSchema): ContentCheck =>
  (content) => {
    const problems = schema.check(JSON.parse(content), content.length);
    const [first] = problems;
    if (first !== undefined) throw new AppError('document.invalid', { detail: shown(first), problems });
  };

export type SchemaValidators = ReturnType<typeof createSchemaValidators>;

/** Compiled schemas of collections. Each version is compiled once per process. */
export function createSchemaValidators({ schemaCompiler }: { readonly schemaCompiler: SchemaCompiler }) {
  const compiled = createBoundedCache<string, ContentCheck>(KEPT);

  /** Reads and compiles the schema. Null if the collection no longer has a schema. */
  async function read(stores: Stores, collection: string): Promise<ContentCheck | null> {
    const stored = await stores.collections.schema(collection);
    if (stored === null) return null;
    const known = compiled.get(stored.version);
    if (known !== undefined) return known;
    const made = schemaCompiler.compile(JSON.parse(stored.content));
    if ('problems' in made) throw new Error(`the schema of ${collection} cannot be compiled: ${JSON.stringify(made)}`);
    const check = createContentCheck(made.schema);
    compiled.set(stored.version, check);
    return check;
  }

  return {
    /** Returns the check for a version of a collection's schema. Synchronous if it is compiled. */
    find(stores: Stores, collection: string, version: string): ContentCheck | Promise<ContentCheck | null> {
      return compiled.get(version) ?? read(stores, collection);
    },
  };
}
