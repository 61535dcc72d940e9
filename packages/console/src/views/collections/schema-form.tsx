import { type ReactNode, useId, useState } from 'react';
import { texts } from '../../texts.ts';
import type { JsonObject } from '../../values/json.ts';
import { inputText, readInput, type SchemaField, withMember } from '../../values/schema-fields.ts';

const TEXTS = texts.documents.form;

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly content: JsonObject;
  /** @param isValid true if all inputs are valid; for invalid ones, the content has the last valid value */
  readonly onChange: (content: JsonObject, isValid: boolean) => void;
}

/** Form inputs for the members that a schema describes. Other members stay unchanged. */
export function SchemaForm({ fields, content, onChange }: SchemaFormProps): ReactNode {
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  return fields.map((field) => (
    <MemberField
      key={field.name}
      field={field}
      initial={content[field.name]}
      onChange={(read) => {
        const others = [...unreadable].filter((name) => name !== field.name);
        const next = new Set('problem' in read ? [...others, field.name] : others);
        setUnreadable(next);
        onChange('problem' in read ? content : withMember(content, field.name, read.value), next.size === 0);
      }}
    />
  ));
}

interface MemberFieldProps {
  readonly field: SchemaField;
  readonly initial: unknown;
  readonly onChange: (read: ReturnType<typeof readInput>) => void;
}

/** One member. The text is kept even while it is invalid. */
function MemberField({ field, initial, onChange }: MemberFieldProps): ReactNode {
  const id = useId();
  // A value that does not match the type of its schema is edited as JSON.
  const [kind] = useState(() => (inputText(field, initial) === null ? 'json' : field.kind));
  const [text, setText] = useState(() => inputText({ kind }, initial) ?? '');
  const read = readInput({ kind }, text);
  const problem = 'problem' in read ? TEXTS.problems[read.problem] : null;
  const common = {
    id,
    value: text,
    'aria-invalid': problem !== null,
    'aria-required': field.isRequired,
    'aria-describedby': `${id}-about ${id}-problem`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setText(target.value);
      onChange(readInput({ kind }, target.value));
    },
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.title}
        {field.isRequired && ' *'}
      </label>
      <div id={`${id}-about`} className="dim">
        {[field.about, field.isRequired ? TEXTS.required : null].filter((part) => part !== null).join(' ')}
      </div>
      <MemberInput kind={kind} choices={field.choices} common={common} />
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

interface MemberInputProps extends Pick<SchemaField, 'kind' | 'choices'> {
  readonly common: {
    readonly id: string;
    readonly value: string;
    readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  };
}

function MemberInput({ kind, choices, common }: MemberInputProps): ReactNode {
  if (kind === 'boolean' || kind === 'choice') {
    const values = kind === 'boolean' ? [true, false] : choices;
    return (
      <select {...common}>
        <option value="">{TEXTS.unset}</option>
        {values.map((value) => (
          <option key={JSON.stringify(value)} value={JSON.stringify(value)}>
            {String(value)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'json') return <textarea {...common} className="code" rows={4} spellCheck={false} />;
  const isNumber = kind === 'number' || kind === 'integer';
  return (
    <input
      {...common}
      type={kind === 'date' ? 'date' : 'text'}
      inputMode={isNumber ? 'decimal' : undefined}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
