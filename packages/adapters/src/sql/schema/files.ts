import type { ColumnTypes } from './dialect.ts';

/**
 * Files and assets. Their contents are in the blob store. Documents that files belong to are not references, because the
 * files of a removed document are removed later, and a distributed database has none between these tables.
 */
export const fileTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table files (
    id ${uuid} primary key,
    author ${uuid} not null references users (id) on delete cascade,
    file_name ${text} not null,
    content_type ${text} not null,
    size ${integer} not null,
    sha256 ${text} not null,
    attached_data ${text} not null,
    created ${integer} not null,
    document ${uuid},
    collection ${uuid}
  )`,
  `create index files_of_author on files (author, id)`,
  `create index files_of_document on files (document, id) where document is not null`,
  `create index files_with_document on files (id) where document is not null`,
  `create table file_grants (
    file ${uuid} not null references files (id) on delete cascade,
    principal ${text} not null,
    rights ${integer} not null,
    primary key (file, principal)
  )`,
  `create index file_grants_of_principal on file_grants (principal, file)`,
  // Removed documents, and collections in removal, whose files are to be removed and are invisible until then.
  `create table left_files (
    owner ${uuid} primary key,
    is_document ${integer} not null
  )`,
  `create table assets (
    id ${uuid} primary key,
    name ${text} not null unique,
    author ${uuid} references users (id) on delete set null,
    created ${integer} not null,
    meta ${text} not null,
    file_name ${text},
    content_type ${text},
    size ${integer},
    sha256 ${text}
  )`,
  `create index assets_by_author on assets (author)`,
];
