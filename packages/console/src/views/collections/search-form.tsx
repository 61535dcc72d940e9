import { Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { useSearch } from './use-search.ts';

const TEXTS = texts.documents.search;

interface SearchFormProps {
  readonly collection: string;
  /** The last searched words. */
  readonly search: string;
  /** Problem of the search. */
  readonly problem: string | null;
  readonly onSearch: (words: string) => void;
}

/** Full-text search. Hidden in collections where it is not enabled, unless the address contains a search. */
export function SearchForm({ collection, search, problem, onSearch }: SearchFormProps): ReactNode {
  const [text, setText] = useState(search);
  useEffect(() => setText(search), [search]);
  const isEnabled = (useSearch(collection).data?.search ?? null) !== null;
  if (!isEnabled && search === '') return null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <Field
        label={TEXTS.words}
        placeholder={TEXTS.words}
        type="search"
        value={text}
        onChange={setText}
        isBare={true}
        problem={problem}
      />
      <IconButton icon={Search} label={texts.search} type="submit" />
      {search !== '' && <IconButton icon={X} label={TEXTS.clear} onClick={() => onSearch('')} />}
    </form>
  );
}
