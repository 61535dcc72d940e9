import { AppError, type DocumentRecord, parseJson, wireDate } from '@baobab/core';
import { documentJson, searchCursor } from '@baobab/http/format';
import { administrate, warnOfExtensions } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { countLine, type ListOptions, moreLine, pageJson, pageOf } from './listing.ts';
import { readInput } from './password.ts';
import { listing, table } from './table.ts';

/** Maximum columns of a table for people; `--json` includes all. */
const MOST_FIELDS = 5;

const fieldsOf = ({ content }: DocumentRecord) => JSON.parse(content) as Readonly<Record<string, unknown>>;

function tableOf(documents: readonly DocumentRecord[]): string {
  const contents = documents.map(fieldsOf);
  const names = [...new Set(contents.flatMap((content) => Object.keys(content)))].slice(0, MOST_FIELDS);
  const rows = documents.map(({ id, version, author }, i) => [
    id,
    version,
    author,
    ...names.map((name) => contents[i]?.[name]),
  ]);
  return table(['id', '@version', '_author', ...names], rows);
}

function listingOf(document: DocumentRecord): string {
  const { id, collection, version, author, updatedBy, created, updated } = document;
  return listing([
    ['id', id],
    ['@class', collection],
    ['@version', version],
    ['_author', author],
    ['_updated_by', updatedBy],
    ['_creation_date', wireDate(created)],
    ['_update_date', wireDate(updated)],
    ...Object.entries(fieldsOf(document)),
  ]);
}

interface DocumentArguments {
  readonly collection: string;
  readonly id: string;
}

export async function getDocument(deps: CommandDeps, path: DocumentArguments): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const document = await services.documents.read(actor, path);
    deps.output.print(listingOf(document), documentJson(document));
  });
}

interface PutArguments {
  readonly collection: string;
  /** Absent to create a new document. */
  readonly id?: string | undefined;
  /** Absent to read the body from standard input. */
  readonly body?: string | undefined;
}

/** Creates a document of the administrator, or replaces the content of an existing one. */
export async function putDocument(deps: CommandDeps, { collection, id, body }: PutArguments): Promise<void> {
  const text = body ?? (await readInput(deps.host));
  if (text.trim() === '') throw new AppError('input.empty');
  warnOfExtensions(deps, 'no hook runs before the write');
  await administrate(deps, async ({ services, actor, config }) => {
    if (Buffer.byteLength(text) > config.maxJsonBytes) throw new AppError('input.too_large');
    const parsed = parseJson(text);
    const document =
      id === undefined
        ? await services.documents.create(actor, { collection, body: parsed })
        : await services.documents.replace(actor, { collection, id, body: parsed });
    deps.output.print(`Document ${document.id} stored, version ${document.version}`, documentJson(document));
  });
}

export async function queryDocuments(deps: CommandDeps, collection: string, options: ListOptions): Promise<void> {
  await administrate(deps, async ({ services, actor, config }) => {
    const page = pageOf(options, services.parseQuery, config);
    if (options.count === true) {
      const count = await services.documents.count(actor, collection, page.query);
      deps.output.result(countLine(count, 'document', 'documents'), { count });
      return;
    }
    const found = await services.documents.search(actor, { collection, ...page });
    const next = searchCursor(page, found);
    const rows = found.objects === null ? found.rows : found.objects.map((document) => documentJson(document));
    const text = found.objects === null ? rows.join('\n') : tableOf(found.objects);
    deps.output.print(text + moreLine(next), pageJson(rows, found.more, next));
  });
}
