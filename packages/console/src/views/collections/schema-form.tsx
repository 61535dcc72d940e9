import { type ReactNode, useId, useState } from 'react';
import { About, Problem, rowsOf } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { isObject, type JsonObject } from '../../values/json.ts';
import { ownOf } from '../../values/own.ts';
import { inputText, pointerOf, readInput, type SchemaField, withMember } from '../../values/schema-fields.ts';

const TEXTS = texts.documents.form;

/** Problems found by the server, by JSON Pointer. */
export type Problems = ReadonlyMap<string, string>;

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly content: JsonObject;
  readonly problems: Problems;
  /** JSON Pointer of `content`. */
  readonly pointer?: string;
  /** True to ignore input. */
  readonly isLocked?: boolean;
  /** @param isValid true if all inputs are valid; for invalid ones, the content has the last valid value */
  readonly onChange: (content: JsonObject, isValid: boolean) => void;
}

/** Form inputs for the members that a schema describes. Other members stay unchanged. */
export function SchemaForm(props: SchemaFormProps): ReactNode {
  const { fields, content, problems, pointer = '', isLocked = false, onChange } = props;
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());

  function change(name: string, value: unknown, isValid: boolean): void {
    const next = new Set(unreadable);
    if (isValid) next.delete(name);
    else next.add(name);
    setUnreadable(next);
    onChange(withMember(content, name, value), next.size === 0);
  }

  return fields.map((field) => {
    const value = ownOf(content, field.name);
    const isNested = field.kind === 'object' && (value === undefined || isObject(value));
    const common = { field, pointer: pointerOf(pointer, field), problems, isLocked };
    return isNested ? (
      <NestedFields
        key={field.name}
        {...common}
        content={value}
        onChange={(nested, isValid) => change(field.name, nested, isValid)}
      />
    ) : (
      <MemberField
        key={field.name}
        {...common}
        initial={value}
        onChange={(read) =>
          'problem' in read ? change(field.name, value, false) : change(field.name, read.value, true)
        }
      />
    );
  });
}

interface FieldProps {
  readonly field: SchemaField;
  readonly pointer: string;
  readonly problems: Problems;
  readonly isLocked: boolean;
}

interface NestedFieldsProps extends FieldProps {
  /** Undefined: the content has no such member. */
  readonly content: JsonObject | undefined;
  readonly onChange: (content: JsonObject | undefined, isValid: boolean) => void;
}

/** The members of an object. An object that was absent and stays empty is not created. */
function NestedFields(props: NestedFieldsProps): ReactNode {
  const { field, pointer, problems, isLocked, content, onChange } = props;
  const [wasAbsent] = useState(content === undefined);
  const problem = problems.get(pointer);
  return (
    <fieldset className="stack">
      <legend>{field.title}</legend>
      {field.about !== null && <p className="meta">{field.about}</p>}
      {problem !== undefined && (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
      <div className="nested">
        <SchemaForm
          fields={field.fields}
          content={content ?? {}}
          problems={problems}
          pointer={pointer}
          isLocked={isLocked}
          onChange={(nested, isValid) =>
            onChange(wasAbsent && Object.keys(nested).length === 0 ? undefined : nested, isValid)
          }
        />
      </div>
    </fieldset>
  );
}

interface MemberFieldProps extends FieldProps {
  readonly initial: unknown;
  readonly onChange: (read: ReturnType<typeof readInput>) => void;
}

/** One member. The text is kept even while it is invalid. */
function MemberField({ field, pointer, problems, isLocked, initial, onChange }: MemberFieldProps): ReactNode {
  const id = useId();
  const [stored] = useState(initial);
  // A value that does not match the type of its schema is edited as JSON.
  const kind = inputText(field, stored) === null || field.kind === 'object' ? 'json' : field.kind;
  const type = { kind, choices: field.choices };
  const [text, setText] = useState(() => inputText(type, stored) ?? '');
  const read = readInput(type, text, stored);
  const problem = 'problem' in read ? TEXTS.problems[read.problem] : (problems.get(pointer) ?? null);
  const common = {
    id,
    value: text,
    'aria-invalid': problem !== null,
    'aria-required': field.isRequired,
    'aria-describedby': `${field.about === null ? '' : `${id}-about `}${id}-problem`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      if (isLocked) return;
      setText(target.value);
      onChange(readInput(type, target.value, stored));
    },
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.title}
        {field.isRequired && ' *'}
      </label>
      <MemberInput kind={kind} choices={field.choices} common={common} />
      {field.about !== null && <About id={`${id}-about`} text={field.about} />}
      <Problem id={`${id}-problem`} text={problem} />
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

/** Returns the text of a choice: as JSON if it is empty, or the text of another one. */
function labelOf(value: unknown, all: readonly unknown[]): string {
  const text = String(value);
  const isPlain = text.trim() !== '' && all.filter((other) => String(other) === text).length === 1;
  return isPlain ? text : JSON.stringify(value);
}

function MemberInput({ kind, choices, common }: MemberInputProps): ReactNode {
  if (kind === 'boolean' || kind === 'choice') {
    const values = kind === 'boolean' ? [true, false] : choices;
    return (
      <select {...common}>
        <option value="">{texts.none}</option>
        {values.map((value) => (
          <option key={JSON.stringify(value)} value={JSON.stringify(value)}>
            {labelOf(value, values)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'json') return <textarea {...common} className="code" rows={6} spellCheck={false} />;
  // An input would remove line breaks.
  if (kind === 'text')
    return (
      <textarea {...common} className="growing" rows={rowsOf(common.value)} autoComplete="off" spellCheck={false} />
    );
  const type = kind === 'date' ? { type: 'date' } : { type: 'text', inputMode: 'decimal' as const };
  return <input {...common} {...type} autoComplete="off" spellCheck={false} />;
}
