/*
 * Triggers maintain the counters, so that they are exact for every kind of removal of documents: with their
 * collection, with their author, or before a restore. `document_totals` has a row for each collection,
 * `document_counts` one for each author of documents in it.
 */

/** With a single writing connection, a counter is a row that is updated in place. */
export const SQLITE_COUNTERS: readonly string[] = [
  `create table document_totals (
    collection text not null primary key,
    n integer not null
  ) without rowid`,
  `create table document_counts (
    collection text not null,
    author text not null,
    n integer not null,
    primary key (collection, author)
  ) without rowid`,
  `create trigger documents_counted_in after insert on documents begin
    insert into document_counts (collection, author, n) values (new.collection, new.author, 1)
      on conflict (collection, author) do update set n = n + 1;
    update document_totals set n = n + 1 where collection = new.collection;
  end`,
  `create trigger documents_counted_out after delete on documents begin
    update document_counts set n = n - 1 where collection = old.collection and author = old.author;
    delete from document_counts where collection = old.collection and author = old.author and n = 0;
    update document_totals set n = n - 1 where collection = old.collection;
  end`,
  `create trigger collections_counted_in after insert on collections begin
    insert into document_totals (collection, n) values (new.id, 0);
  end`,
  `create trigger collections_counted_out after delete on collections begin
    delete from document_totals where collection = old.id;
    delete from document_counts where collection = old.id;
  end`,
];

/**
 * With concurrent writers, updates of a counter's row would block all other writers of the collection, and could
 * deadlock. So writers only insert changes (+1, -3), and a count adds the changes to the row. From time to time, the
 * changes of a collection are folded into its rows, which only folding updates.
 */
export const POSTGRES_COUNTERS: readonly string[] = [
  'create table document_totals (collection uuid primary key, n bigint not null)',
  `create table document_counts (
    collection uuid not null,
    author uuid not null,
    n bigint not null,
    primary key (collection, author)
  )`,
  // Folding leaves dead rows, which totals pass over until they are vacuumed.
  `create table document_count_changes (
    collection uuid not null,
    author uuid not null,
    n bigint not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  'create index document_count_changes_of_author on document_count_changes (collection, author)',
  `create function count_added_document() returns trigger language plpgsql as $$ begin
    insert into document_count_changes (collection, author, n) values (new.collection, new.author, 1);
    return null;
  end $$`,
  // Per statement, because the removal of a user or a collection removes many documents with one statement.
  `create function count_removed_documents() returns trigger language plpgsql as $$ begin
    insert into document_count_changes (collection, author, n)
      select collection, author, -count(*) from removed group by collection, author;
    return null;
  end $$`,
  `create function count_added_collection() returns trigger language plpgsql as $$ begin
    insert into document_totals (collection, n) values (new.id, 0);
    return null;
  end $$`,
  `create function count_removed_collection() returns trigger language plpgsql as $$ begin
    delete from document_totals where collection = old.id;
    delete from document_counts where collection = old.id;
    delete from document_count_changes where collection = old.id;
    return null;
  end $$`,
  // A row trigger slows down inserts half as much as a statement trigger.
  `create trigger documents_counted_in after insert on documents
    for each row execute function count_added_document()`,
  `create trigger documents_counted_out after delete on documents
    referencing old table as removed for each statement execute function count_removed_documents()`,
  `create trigger collections_counted_in after insert on collections
    for each row execute function count_added_collection()`,
  // Runs after the trigger that removes the documents, since triggers run in the order of their names.
  `create trigger collections_counted_out after delete on collections
    for each row execute function count_removed_collection()`,
];
