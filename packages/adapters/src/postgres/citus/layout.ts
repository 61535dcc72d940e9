/** Placement of tables on the nodes of a Citus cluster. All others remain on the coordinator. */

/**
 * Tables copied to every node: read by statements on documents, referenced by documents, or read by statements that
 * change users. Each references only earlier ones.
 */
export const REFERENCE_TABLES = ['roles', 'users', 'collections', 'follows', 'passkeys', 'social_links'] as const;

/** Distributed by the id of the collection, so that a collection and its grants are on one node. */
export const DISTRIBUTED_TABLES = ['documents', 'document_grants'] as const;

/**
 * Counters of documents, removed from a distributed database: Citus has no triggers on distributed tables. Without
 * triggers, their rows would become wrong. Without rows, documents are counted.
 */
export const COUNTERS = {
  triggers: [
    { name: 'collections_counted_in', table: 'collections' },
    { name: 'collections_counted_out', table: 'collections' },
    { name: 'documents_counted_in', table: 'documents' },
    { name: 'documents_counted_out', table: 'documents' },
  ],
  tables: ['document_totals', 'document_counts', 'document_count_changes'],
} as const;

/** Distribution column. */
export const PLACED_BY = 'collection';

export const GRANTS_KEY = {
  name: 'document_grants_collection_document_fkey',
  definition: 'foreign key (collection, document) references documents (collection, id) on delete cascade',
} as const;

/** Without this, a transaction cannot change several shards and then a reference table. */
export const SEQUENTIAL = "set local citus.multi_shard_modify_mode to 'sequential'";

/**
 * Constraint on documents: they are in the slices of a spread collection, never in the collection. Workers append to
 * the name.
 */
export const NOT_IN_SPREAD = 'documents_not_in_spread';
