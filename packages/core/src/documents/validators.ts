import { createBoundedCache } from '../bounded-cache.ts';
import { AppError } from '../errors.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { CompiledSchema, InputProblem, SchemaCompiler } from '../ports/schemas.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { isOwnedField } from './content.ts';

/** The schemas that a process keeps compiled. */
const KEPT = 200;

/** Checks the content of documents against the schema of their collection. */
export interface ContentCheck {
  /** @param content as it is stored. @throws `document.invalid` */
  text(content: string): void;
  /** @param content as it is stored, made from `body`. @throws `document.invalid` */
  body(body: ParsedJson, content: string): void;
}

const shown = ({ path, message }: InputProblem) => (path === '' ? message : `${path} ${message}`);

function createContentCheck(schema: CompiledSchema): ContentCheck {
  function check(value: JsonValue, length: number): void {
    const problems = schema.check(value, length);
    const [first] = problems;
    if (first !== undefined) throw new AppError('document.invalid', { detail: shown(first), problems });
  }

  /** The value that a body stands for, without the members that the service owns. */
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

/** The compiled schemas of collections. Each version is compiled once in a process. */
export function createSchemaValidators({ schemaCompiler }: { readonly schemaCompiler: SchemaCompiler }) {
  const compiled = createBoundedCache<string, ContentCheck>(KEPT);

  /** Reads and compiles the schema. Null when the collection has no schema any more. */
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
    /** The check for a version of a collection's schema. Synchronous when it is compiled. */
    find(stores: Stores, collection: string, version: string): ContentCheck | Promise<ContentCheck | null> {
      return compiled.get(version) ?? read(stores, collection);
    },
  };
}
