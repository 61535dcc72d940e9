import { documentColumn, type Path } from '@baobab/core';
import { type CriteriaDialect, NOTHING } from './dialect.ts';
import type { Meaning, Resolve } from './operands.ts';

/** Names by id, looked up for one row. */
export const AUTHOR = '(select au.name from users au where au.id = documents.author)';
const COLLECTION = '(select co.name from collections co where co.id = documents.collection)';

const text = (txt: string): Meaning => ({ kind: 'form', form: { ...NOTHING, rank: '3', txt } });

/** Returns the meaning of fields in a row of `documents`. @param base the content */
export function documentMeaning(dialect: CriteriaDialect, base: string): Resolve {
  const owned = (name: string): Meaning | null => {
    switch (documentColumn(name)) {
      case null:
        return null;
      case 'id':
        return text(dialect.textOf('documents.id'));
      case 'author':
        return text(AUTHOR);
      case 'collection':
        return text(COLLECTION);
      case 'created':
        return { kind: 'time', column: 'documents.created' };
      case 'updated':
        return { kind: 'time', column: 'documents.updated' };
      case 'version':
        return {
          kind: 'form',
          form: { ...NOTHING, rank: '2', num: 'cast(documents.version as double precision)' },
        };
    }
  };
  return (path: Path) => {
    const meaning = owned(path[0]);
    if (meaning === null) return { kind: 'json', place: { base, steps: path } };
    return path.length === 1 ? meaning : { kind: 'form', form: NOTHING };
  };
}
