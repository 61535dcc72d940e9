/** How tables are placed on the nodes of a Citus cluster. All others stay on the coordinator. */

/**
 * Copied to every node, because statements on documents read them there, or because documents refer to them, or because
 * statements that change users read them. Each refers only to earlier ones.
 */
export const REFERENCE_TABLES = ['roles', 'users', 'collections', 'follows', 'passkeys', 'social_links'] as const;

/** Distributed by the id of the collection, so that a collection with its grants is on one node. */
export const DISTRIBUTED_TABLES = ['documents', 'document_grants'] as const;

/**
 * The counters of documents are not kept here: Citus has no triggers on distributed tables. Rows of them would be wrong
 * from the moment in which the triggers are gone, and without rows documents are counted.
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

/** By which column. */
export const PLACED_BY = 'collection';

export const GRANTS_KEY = {
  name: 'document_grants_collection_document_fkey',
  definition: 'foreign key (collection, document) references documents (collection, id) on delete cascade',
} as const;

/** Without it, a transaction could not change several shards and then a table that is on every node. */
export const SEQUENTIAL = "set local citus.multi_shard_modify_mode to 'sequential'";

/** A rule of documents: none is in a spread collection itself, all are in its slices. Workers append to the name. */
export const NOT_IN_SPREAD = 'documents_not_in_spread';
