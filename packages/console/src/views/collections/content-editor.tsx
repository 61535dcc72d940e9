import { type ReactNode, useState } from 'react';
import { JsonField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { formatJson, type JsonObject, parseObject } from '../../values/json.ts';
import { fieldsOf } from '../../values/schema-fields.ts';
import { SchemaForm } from './schema-form.tsx';

const TEXTS = texts.documents;

/** The edited content of a document. */
export interface Draft {
  /** JSON, possibly incomplete. */
  readonly text: string;
  readonly isValid: boolean;
}

export const draftOf = (text: string): Draft => ({ text, isValid: 'value' in parseObject(text) });

interface ContentEditorProps {
  /** Null: no schema, so no form. */
  readonly schema: JsonObject | null;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly rows: number;
  /** Changes when the draft is replaced by another one. */
  readonly revision?: number;
}

/** Editor of the content, as a form generated from the schema or as JSON. */
export function ContentEditor({ schema, draft, onChange, rows, revision = 0 }: ContentEditorProps): ReactNode {
  const fields = fieldsOf(schema);
  const parsed = parseObject(draft.text);
  const [wantsForm, setWantsForm] = useState(true);
  const hasForm = fields.length > 0;
  const isForm = hasForm && wantsForm && 'value' in parsed;
  return (
    <>
      {hasForm && (
        <fieldset className="row" aria-label={TEXTS.editAs}>
          <button
            type="button"
            aria-pressed={isForm}
            disabled={!('value' in parsed)}
            onClick={() => setWantsForm(true)}
          >
            {TEXTS.asForm}
          </button>
          <button type="button" aria-pressed={!isForm} disabled={!draft.isValid} onClick={() => setWantsForm(false)}>
            {TEXTS.asJson}
          </button>
        </fieldset>
      )}
      {isForm ? (
        <SchemaForm
          key={revision}
          fields={fields}
          content={parsed.value}
          onChange={(content, isValid) => onChange({ text: formatJson(content), isValid })}
        />
      ) : (
        <JsonField
          label={TEXTS.content}
          value={draft.text}
          rows={rows}
          onChange={(text) => {
            // Text that becomes valid while typing must not switch to the form.
            setWantsForm(false);
            onChange(draftOf(text));
          }}
        />
      )}
    </>
  );
}
