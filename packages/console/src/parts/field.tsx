import { type ReactNode, type Ref, useId, useState } from 'react';
import { texts } from '../texts.ts';
import { parseObject } from '../values/json.ts';
import { hasLines, shownText, withBreaksOf } from '../values/lines.ts';

/** Problem of a value, announced by screen readers. */
export const Problem = ({ id, text }: { readonly id: string; readonly text: string | null }): ReactNode => (
  <div id={id}>
    {text !== null && (
      <span role="alert" className="problem">
        {text}
      </span>
    )}
  </div>
);

export const About = ({ id, text }: { readonly id: string; readonly text: ReactNode }): ReactNode => (
  <div id={id} className="meta">
    {text}
  </div>
);

/** Maximum height of a text where the browser does not adapt it, in lines. */
const MOST_LINES = 12;

/** Height of a text where the browser does not adapt it, in lines. */
export const rowsOf = (text: string): number => Math.min(text.split('\n').length, MOST_LINES);

/** Returns true once a value has had several lines: an input would join them, and lose the focus when it is replaced. */
export function useLines(value: string): boolean {
  const [had, setHad] = useState(false);
  const has = hasLines(value);
  if (has && !had) setHad(true);
  return has || had;
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'date' | 'url' | 'email';
  readonly about?: string;
  readonly problem?: string | null;
  readonly autoComplete?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** Hides the label, which screen readers still read. */
  readonly isBare?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A labelled input with the problem of its value. */
export function Field(props: FieldProps): ReactNode {
  const { label, value, onChange, about, problem = null, type = 'text', isBare = false, ref, ...rest } = props;
  const id = useId();
  const [stored] = useState(value);
  const isLong = useLines(value);
  const common = {
    ...rest,
    id,
    value,
    spellCheck: false,
    autoCapitalize: 'off',
    'aria-invalid': problem !== null,
    'aria-describedby': `${about === undefined ? '' : `${id}-about `}${id}-problem`,
  };
  return (
    <div className={isBare ? 'field bare' : 'field'}>
      <label htmlFor={id}>{label}</label>
      {isLong ? (
        <textarea
          {...common}
          value={shownText(value)}
          className="growing"
          rows={rowsOf(value)}
          onChange={({ target }) => onChange(withBreaksOf(stored, target.value))}
        />
      ) : (
        <input {...common} ref={ref} type={type} onChange={({ target }) => onChange(target.value)} />
      )}
      {about !== undefined && <About id={`${id}-about`} text={about} />}
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

interface SelectProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly onChange: (value: V) => void;
  /** Values with their labels. */
  readonly options: readonly (readonly [value: V, text: string])[];
  readonly isBare?: boolean;
}

/** The browser's own list: it works with every keyboard, screen reader and phone. */
export function Select<V extends string>({
  label,
  value,
  onChange,
  options,
  isBare = false,
}: SelectProps<V>): ReactNode {
  const id = useId();
  return (
    <div className={isBare ? 'field bare' : 'field'}>
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
  readonly about?: string;
}

/** An editor for a JSON object. Errors are shown while typing. */
export function JsonField({ label, value, onChange, rows = 6, about }: JsonFieldProps): ReactNode {
  const id = useId();
  const parsed = parseObject(value);
  const problem = 'problem' in parsed ? texts.json.invalid(parsed.problem) : null;
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
        aria-describedby={`${about === undefined ? '' : `${id}-about `}${id}-problem`}
      />
      {about !== undefined && <About id={`${id}-about`} text={about} />}
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}
