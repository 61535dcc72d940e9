import { Columns3 } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Popover } from './popover.tsx';

interface ColumnsMenuProps {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly titleOf?: (name: string) => string;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A column chooser for a table. */
export function ColumnsMenu({ all, chosen, titleOf = (name) => name, onChange }: ColumnsMenuProps): ReactNode {
  return (
    <Popover
      label={texts.table.columns}
      align="end"
      trigger={
        <Button icon={Columns3} aria-label={texts.table.columns}>
          {texts.table.columns}
        </Button>
      }
    >
      <fieldset className="check-list">
        <legend>{texts.table.columns}</legend>
        {all.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, name] : chosen.filter((column) => column !== name))
              }
            />
            {titleOf(name)}
          </label>
        ))}
      </fieldset>
    </Popover>
  );
}
