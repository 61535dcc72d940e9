import { type Actor, requireAdmin } from '../actor.ts';
import { AppError } from '../errors.ts';
import { canonicalJson, type ParsedJson } from '../json-text.ts';
import type { Clock } from '../ports/clock.ts';
import { type CompiledSchema, MAX_PROBLEMS, type SchemaCompiler } from '../ports/schemas.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { byteLength } from '../utf8.ts';
import { collectionKey } from './collections.ts';
import { type Violations, violationsIn } from './stored-documents.ts';

/** Maximum size of a schema, in bytes. */
const MAX_BYTES = 65_536;
export interface SchemaChange {
  readonly name: string;
  readonly body: ParsedJson;
  /** True for a dry run, which stores nothing. */
  readonly dry: boolean;
}

export interface CollectionSchemasDeps {
  readonly storage: Storage;
  readonly schemaCompiler: SchemaCompiler;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

export type CollectionSchemas = ReturnType<typeof createCollectionSchemas>;

/** JSON Schemas of collections. Every method: @throws `auth.required`, `admin.required`, `collection.not_found` */
export function createCollectionSchemas({ storage, schemaCompiler, secrets, clock }: CollectionSchemasDeps) {
  async function requireCollection(key: string): Promise<void> {
    if ((await storage.collections.findName(key)) === null) throw new AppError('collection.not_found');
  }

  function compile(body: ParsedJson, content: string): CompiledSchema {
    if (byteLength(content) > MAX_BYTES) {
      throw new AppError('schema.invalid', { detail: `it has more than ${MAX_BYTES} bytes`, input: '' });
    }
    const made = schemaCompiler.compile(body.value);
    if ('schema' in made) return made.schema;
    const problems = made.problems.slice(0, MAX_PROBLEMS);
    throw new AppError('schema.invalid', { detail: problems[0]?.message ?? '', problems });
  }

  const violationsOf = (key: string, schema: CompiledSchema): Promise<Violations> =>
    violationsIn(storage, key, ({ content }) => schema.check(JSON.parse(content), content.length));

  /** Returns the schema as JSON text; null without one. */
  async function find(actor: Actor, name: string): Promise<string | null> {
    requireAdmin(actor);
    const key = collectionKey(name);
    const schema = await storage.collections.schema(key);
    if (schema !== null) return schema.content;
    await requireCollection(key);
    return null;
  }

  return {
    find,

    /** Returns the schema as `find`. @throws `schema.not_found` */
    async read(actor: Actor, name: string): Promise<string> {
      const schema = await find(actor, name);
      if (schema === null) throw new AppError('schema.not_found');
      return schema;
    },

    /**
     * Sets the schema, then checks the stored documents. Those that violate it stay unchanged.
     *
     * @throws `schema.invalid`, `input.invalid`
     */
    async change(actor: Actor, { name, body, dry }: SchemaChange): Promise<Violations> {
      requireAdmin(actor);
      const key = collectionKey(name);
      await requireCollection(key);
      const content = canonicalJson(body);
      const schema = compile(body, content);
      if (!dry) {
        const version = secrets.uuid(clock.now());
        await storage.transaction(async (stores) => {
          if (!(await stores.collections.setSchema(key, { version, content })))
            throw new AppError('collection.not_found');
          await stores.announcer.announce({ topic: 'collections', key });
        });
      }
      // Checked afterwards, because documents written meanwhile already conform.
      return violationsOf(key, schema);
    },

    /** @throws `schema.not_found` */
    async remove(actor: Actor, name: string): Promise<void> {
      requireAdmin(actor);
      const key = collectionKey(name);
      await requireCollection(key);
      await storage.transaction(async (stores) => {
        if (!(await stores.collections.removeSchema(key))) throw new AppError('schema.not_found');
        await stores.announcer.announce({ topic: 'collections', key });
      });
    },
  };
}
