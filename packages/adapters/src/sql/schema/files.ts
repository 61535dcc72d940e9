import type { ColumnTypes } from './dialect.ts';

/** Files and assets. Their contents are in the blob store. */
export const fileTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table files (
    id ${uuid} primary key,
    author ${uuid} not null references users (id) on delete cascade,
    file_name ${text} not null,
    content_type ${text} not null,
    size ${integer} not null,
    sha256 ${text} not null,
    attached_data ${text} not null,
    created ${integer} not null
  )`,
  `create index files_of_author on files (author, id)`,
  `create table file_grants (
    file ${uuid} not null references files (id) on delete cascade,
    principal ${text} not null,
    rights ${integer} not null,
    primary key (file, principal)
  )`,
  `create index file_grants_of_principal on file_grants (principal, file)`,
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
