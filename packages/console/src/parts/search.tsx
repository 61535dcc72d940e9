import { Search as SearchIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';

/** Moves the focus to an input when the user types `/` outside of inputs. */
export function useSlash(focus: () => void): void {
  const act = useRef(focus);
  act.current = focus;
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=dialog]'))
        return;
      event.preventDefault();
      act.current();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

interface SearchProps {
  readonly label: string;
  /** Current search text. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  /** Additional controls. */
  readonly children?: ReactNode;
}

/** A search field with a submit button. */
export function Search({ label, value, onSearch, children }: SearchProps): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const input = useRef<HTMLInputElement>(null);
  useSlash(() => input.current?.focus());
  return (
    <div className="toolbar">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(text);
        }}
      >
        <Field
          ref={input}
          label={label}
          placeholder={label}
          type="search"
          value={text}
          onChange={setText}
          isBare={true}
        />
        <Button type="submit" icon={SearchIcon}>
          {texts.search}
        </Button>
      </form>
      {children}
    </div>
  );
}
