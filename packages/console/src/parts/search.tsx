import { type ReactNode, useEffect, useState } from 'react';
import { Field } from './field.tsx';

interface SearchProps {
  readonly label: string;
  readonly submit: string;
  /** What is searched for now. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  /** Further choices beside it. */
  readonly children?: ReactNode;
}

/** Searches when the user says so. */
export function Search({ label, submit, value, onSearch, children }: SearchProps): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text);
      }}
    >
      <Field label={label} type="search" value={text} onChange={setText} />
      <button type="submit">{submit}</button>
      {children}
    </form>
  );
}
