import { type ReactNode, useId } from 'react';
import { texts } from '../texts.ts';
import { parseObject } from '../values/json.ts';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'date';
  readonly about?: string;
  readonly problem?: string | null;
  readonly autoComplete?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
}

/** A labelled input with the problem of its value. */
export function Field({
  label,
  value,
  onChange,
  about,
  problem = null,
  type = 'text',
  ...rest
}: FieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {about !== undefined && (
        <div id={`${id}-about`} className="dim">
          {about}
        </div>
      )}
      <input
        {...rest}
        id={id}
        type={type}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        spellCheck={false}
        autoCapitalize="off"
        aria-invalid={problem !== null}
        aria-describedby={`${id}-about ${id}-problem`}
      />
      <div id={`${id}-problem`}>
        {problem !== null && (
          <span role="alert" className="problem">
            {problem}
          </span>
        )}
      </div>
    </div>
  );
}

interface SelectProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly onChange: (value: V) => void;
  /** Values with their labels. */
  readonly options: readonly (readonly [value: V, text: string])[];
}

export function Select<V extends string>({ label, value, onChange, options }: SelectProps<V>): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value as V)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
}

/** An editor for a JSON object. Errors are shown while typing. */
export function JsonField({ label, value, onChange, rows = 6 }: JsonFieldProps): ReactNode {
  const id = useId();
  const parsed = parseObject(value);
  const problem = 'problem' in parsed ? parsed.problem : null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="code"
        rows={rows}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={problem !== null}
        aria-describedby={`${id}-about`}
      />
      <div id={`${id}-about`}>
        {problem !== null && (
          <span role="alert" className="problem">
            {texts.json.invalid(problem)}
          </span>
        )}
      </div>
    </div>
  );
}
