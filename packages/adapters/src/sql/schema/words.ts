/**
 * The words of documents, as the core has made them (see `storedWords`): letters, digits and marks in parentheses. The
 * databases must not split or fold them again, so that all find the same documents.
 */

/**
 * The tokenizer treats ASCII punctuation as separators and everything beyond ASCII as letters, which keeps these words
 * whole. Positions are not needed: phrases are compared with the stored words.
 */
export const SQLITE_WORDS: readonly string[] = [
  `create virtual table document_search using fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  )`,
  `create trigger documents_searched_in after insert on documents when new.words is not null begin
    insert into document_search (rowid, words) values (new.rowid, new.words);
  end`,
  `create trigger documents_searched_again after update of words on documents when new.words is not old.words begin
    delete from document_search where rowid = old.rowid and old.words is not null;
    insert into document_search (rowid, words) select new.rowid, new.words where new.words is not null;
  end`,
  `create trigger documents_searched_out after delete on documents when old.words is not null begin
    delete from document_search where rowid = old.rowid;
  end`,
];

/** The words of a row of `documents` as a text search vector, without positions. */
export const WORDS_VECTOR = `array_to_tsvector(string_to_array(btrim(documents.words, '()'), ')('))`;

export const POSTGRES_WORDS: readonly string[] = [
  `create index documents_by_words on documents using gin ((${WORDS_VECTOR.replaceAll('documents.', '')}))
    where words is not null`,
];
