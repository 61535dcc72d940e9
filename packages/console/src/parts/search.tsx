import { type ReactNode, useEffect, useState } from 'react';
import { Field } from './field.tsx';

interface SearchProps {
  readonly label: string;
  readonly submit: string;
  /** Current search text. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  /** Additional controls. */
  readonly children?: ReactNode;
}

/** A search field with a submit button. */
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
