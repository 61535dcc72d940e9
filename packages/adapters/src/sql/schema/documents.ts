import type { Dialect } from './dialect.ts';

/**
 * Collections with their documents. Keys start with the distribution column of a distributed database. Each index on
 * documents serves one list: those of an author, those granted to a principal, those that changed.
 */
export const documentTables = ({
  uuid,
  text,
  integer,
  byDocumentId,
  byPosition,
  counters,
  words,
}: Dialect): readonly string[] => [
  `create table collections (
    id ${uuid} primary key,
    name ${text} not null,
    name_key ${text} not null unique,
    created ${integer} not null
  )`,
  `create table collection_indexes (
    collection ${uuid} not null references collections (id) on delete cascade,
    path ${text} not null,
    name ${text} not null unique,
    state ${text} not null,
    is_unique ${integer} not null default 0,
    primary key (collection, path)
  )`,
  // create_restricted: 0 if every user may create documents, 1 if only the listed roles may. parent, checks: JSON.
  `create table collection_rules (
    collection ${uuid} primary key references collections (id) on delete cascade,
    create_restricted ${integer} not null,
    parent ${text},
    checks ${text}
  )`,
  // condition: text of the filter, empty for all documents.
  `create table collection_rule_roles (
    collection ${uuid} not null references collection_rules (collection) on delete cascade,
    rule_action ${text} not null,
    role_key ${text} not null references roles (role_key) on update cascade on delete cascade,
    condition ${text} not null,
    primary key (collection, rule_action, role_key, condition)
  )`,
  `create table collection_schemas (
    collection ${uuid} primary key references collections (id) on delete cascade,
    version ${text} not null,
    content ${text} not null
  )`,

  // fields: JSON array of paths and weights.
  `create table search_indexes (
    collection ${uuid} primary key references collections (id) on delete cascade,
    number ${integer} not null,
    fields ${text} not null,
    state ${text} not null
  )`,

  // updated_by: null if the author wrote the current version. Not a reference: the document outlives the user.
  // position: in the change feed; 0 for restored documents that have not changed since.
  // words: see `storedWords`; null if the collection has no search index.
  `create table documents (
    id ${uuid} not null,
    collection ${uuid} not null references collections (id) on delete cascade,
    author ${uuid} not null references users (id) on delete cascade,
    updated_by ${uuid},
    version ${integer} not null,
    created ${integer} not null,
    updated ${integer} not null,
    content ${text} not null,
    position ${integer} not null default 0,
    words ${text},
    primary key (collection, id)
  )`,
  `create index documents_by_id on documents ${byDocumentId}`,
  `create index documents_of_author on documents (author, collection, id)`,
  `create index documents_by_position on documents ${byPosition}`,
  // Removed documents with children that are to be removed.
  `create table orphaned_documents (parent ${uuid} primary key, collection_key ${text} not null)`,
  `create table document_grants (
    collection ${uuid} not null,
    document ${uuid} not null,
    principal ${text} not null,
    rights ${integer} not null,
    primary key (collection, document, principal),
    foreign key (collection, document) references documents (collection, id) on delete cascade
  )`,
  `create index document_grants_of_principal on document_grants (principal, collection, document)`,
  ...counters,
  ...words,
];

/** The change feed. */
export const changeTables = ({ uuid, text, integer, randomText }: Dialect): readonly string[] => [
  // Rows outlive their documents. Those of a removed collection are ignored.
  `create table access_changes (
    collection ${uuid} not null,
    document ${uuid} not null,
    audience ${text} not null,
    position ${integer} not null,
    recorded ${integer} not null,
    primary key (collection, document, audience)
  )`,
  `create index access_changes_of_audience on access_changes (audience, position, document)`,
  `create index access_changes_by_position on access_changes (position, document)`,
  `create index access_changes_by_age on access_changes (recorded, position)`,
  // collection_key: '' for all collections.
  `create table sight_marks (
    audience ${text} not null,
    collection_key ${text} not null,
    reason ${text} not null,
    position ${integer} not null,
    recorded ${integer} not null,
    primary key (audience, collection_key, reason)
  )`,
  `create index sight_marks_by_position on sight_marks (position)`,
  `create index sight_marks_by_age on sight_marks (recorded, position)`,
  `create table feed_state (
    epoch ${text} not null,
    position ${integer} not null,
    oldest ${integer} not null
  )`,
  `insert into feed_state (epoch, position, oldest) values (${randomText}, 0, 0)`,
];
