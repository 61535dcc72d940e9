import type { ReactNode } from 'react';

interface ColumnsProps {
  readonly title: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A column chooser for a table. */
export function Columns({ title, all, chosen, onChange }: ColumnsProps): ReactNode {
  return (
    <details>
      <summary>{title}</summary>
      <fieldset className="row">
        <legend className="hidden">{title}</legend>
        {all.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, name] : chosen.filter((column) => column !== name))
              }
            />{' '}
            {name}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
