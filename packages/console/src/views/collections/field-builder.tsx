import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { BUILT_TYPES, type BuiltField, type BuiltType } from '../../values/schema-builder.ts';

const TEXTS = texts.collections.schema;

interface FieldBuilderProps {
  readonly fields: readonly BuiltField[];
  readonly onChange: (fields: readonly BuiltField[]) => void;
}

/** Fields of a schema with their types, without any JSON. */
export function FieldBuilder({ fields, onChange }: FieldBuilderProps): ReactNode {
  const change = (at: number, changed: Partial<BuiltField>) =>
    onChange(fields.map((field, index) => (index === at ? { ...field, ...changed } : field)));
  const add = () => {
    const key = Math.max(-1, ...fields.map((field) => field.key)) + 1;
    onChange([...fields, { key, name: '', type: 'text', isRequired: false }]);
  };
  return (
    <div className="stack">
      {fields.map((field, at) => {
        const number = at + 1;
        return (
          <div key={field.key} className="field-row">
            <input
              aria-label={TEXTS.nameOf(number)}
              placeholder={texts.name}
              value={field.name}
              onChange={({ target }) => change(at, { name: target.value })}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
            <select
              aria-label={TEXTS.typeOf(number)}
              value={field.type}
              disabled={field.type === 'other'}
              onChange={({ target }) => change(at, { type: target.value as BuiltType })}
            >
              {BUILT_TYPES.filter((type) => type !== 'other' || field.type === 'other').map((type) => (
                <option key={type} value={type}>
                  {TEXTS.types[type]}
                </option>
              ))}
            </select>
            <label className="check">
              <input
                type="checkbox"
                aria-label={TEXTS.requiredOf(number)}
                checked={field.isRequired}
                onChange={({ target }) => change(at, { isRequired: target.checked })}
              />
              {TEXTS.required}
            </label>
            <IconButton
              icon={X}
              label={TEXTS.removeOf(number)}
              onClick={() => onChange(fields.filter((_, index) => index !== at))}
            />
          </div>
        );
      })}
      <div>
        <Button icon={Plus} onClick={() => add()}>
          {TEXTS.addField}
        </Button>
      </div>
    </div>
  );
}
