import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';

interface Choice {
  /** Index of the option selected with the arrow keys; -1: none. */
  readonly active: number;
  readonly setActive: (active: number) => void;
  /** Moves through the options, and picks the active one. Returns true if the key was handled. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Selects options with the arrow keys while the focus stays in the input above. */
export function useChoice(count: number, first: number, onPick: (index: number) => void): Choice {
  const [asked, setActive] = useState(first);
  const active = Math.min(asked, count - 1);
  function onKey(event: KeyboardEvent): boolean {
    if (count === 0) return false;
    if (event.key === 'ArrowDown') setActive((active + 1) % count);
    else if (event.key === 'ArrowUp') setActive((Math.max(active, 0) + count - 1) % count);
    else if (event.key === 'Enter' && active >= 0) onPick(active);
    else return false;
    event.preventDefault();
    return true;
  }
  return { active, setActive, onKey };
}

export const optionId = (id: string, index: number): string => `${id}-${index}`;

interface ListboxProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly { readonly key: string; readonly content: ReactNode }[];
  readonly active: number;
  readonly onPick: (index: number) => void;
}

/** Options of a combobox. */
export function Listbox({ id, label, options, active, onPick }: ListboxProps): ReactNode {
  useEffect(() => {
    document.getElementById(optionId(id, active))?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <div role="listbox" id={id} aria-label={label} className="options" tabIndex={-1}>
      {options.map(({ key, content }, index) => (
        <div
          key={key}
          role="option"
          className="option"
          id={optionId(id, index)}
          aria-selected={index === active}
          tabIndex={-1}
          // Keeps the focus in the input.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(index)}
          onKeyDown={(event) => event.key === 'Enter' && onPick(index)}
        >
          {content}
        </div>
      ))}
    </div>
  );
}
