import { createBoundedCache } from '../bounded-cache.ts';
import { AppError } from '../errors.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { CompiledSchema, InputProblem, SchemaCompiler } from '../ports/schemas.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { isOwnedField } from './content.ts';

/** Maximum number of compiled schemas in memory. */
const KEPT = 200;

/** Checks the content of documents against the schema of their collection. */
export interface ContentCheck {
  /** @param content as stored. @throws `document.invalid` */
  text(content: string): void;
  /** @param content as stored, made from `body`. @throws `document.invalid` */
  body(body: ParsedJson, content: string): void;
}

const shown = ({ path, message }: InputProblem) => (path === '' ? message : `${path} ${message}`);

function createContentCheck(schema: CompiledSchema): ContentCheck {
  function check(value: JsonValue, length: number): void {
    const problems = schema.check(value, length);
    const [first] = problems;
    if (first !== undefined) throw new AppError('document.invalid', { detail: shown(first), problems });
  }

  /** Returns the value of a body, without server-owned members. */
  function contentOf({ text, value }: ParsedJson, content: string): JsonValue {
    if (text === content) return value;
    if (!isJsonObject(value)) return { value };
    if (!Object.keys(value).some(isOwnedField)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !isOwnedField(name)));
  }

  return {
    text: (content) => check(JSON.parse(content), content.length),
    body: (body, content) => check(contentOf(body, content), content.length),
  };
}

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
