import { EVERYTHING } from '../access.ts';
import type { ListPosition } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import type { InputProblem } from '../ports/schemas.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Limits of one read of stored documents. */
const PAGE = { limit: 200, maxBytes: 1_048_576 } as const;
/** Maximum number of listed documents with problems. */
const MAX_SHOWN = 20;

/** Stored documents that violate a schema, or checks. */
export interface Violations {
  readonly violations: number;
  /** First violations, in order of creation. */
  readonly first: readonly { readonly id: string; readonly errors: readonly InputProblem[] }[];
}

/** Yields all documents, page by page. @throws `collection.not_found` */
async function* documentsOf({ documents }: Pick<Stores, 'documents'>, key: string): AsyncGenerator<DocumentRecord> {
  for (let after: ListPosition | null = null; ; ) {
    const all = { scope: EVERYTHING, where: null, order: [], skip: 0, isCurrent: true, ...PAGE } as const;
    const page: DocumentRecord[] | null = await documents.list({ ...all, collection: key, after });
    if (page === null) throw new AppError('collection.not_found');
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = { keys: [], id: last.id };
  }
}

/** Returns the documents with problems. @throws `collection.not_found` */
export async function violationsIn(
  stores: Pick<Stores, 'documents'>,
  key: string,
  problemsOf: (document: DocumentRecord) => readonly InputProblem[] | Promise<readonly InputProblem[]>,
): Promise<Violations> {
  const first: Array<Violations['first'][number]> = [];
  let violations = 0;
  for await (const document of documentsOf(stores, key)) {
    const errors = await problemsOf(document);
    if (errors.length === 0) continue;
    violations++;
    if (first.length < MAX_SHOWN) first.push({ id: document.id, errors });
  }
  return { violations, first };
}
