import type { ReactNode } from 'react';
import { JsonEditor } from '../../parts/json-editor.tsx';
import { texts } from '../../texts.ts';
import { formatJson, type JsonObject, parseObject } from '../../values/json.ts';
import type { SchemaField } from '../../values/schema-fields.ts';
import { type Problems, SchemaForm } from './schema-form.tsx';

/** The edited content of a document. */
export interface Draft {
  /** JSON, possibly incomplete. */
  readonly text: string;
  readonly isValid: boolean;
}

export const draftOf = (text: string): Draft => ({ text, isValid: 'value' in parseObject(text) });

export const textOfContent = (content: JsonObject): string => formatJson(content);

interface ContentEditorProps {
  /** Empty: the schema describes no form. */
  readonly fields: readonly SchemaField[];
  readonly isForm: boolean;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
  /** Changes when the draft is replaced by another one. */
  readonly revision?: number;
  /** True if the JSON editor begins with the focus. */
  readonly takesFocus?: boolean;
  /** True to ignore input. */
  readonly isLocked?: boolean;
}

/** Editor of the content, as a form generated from the schema or as JSON. */
export function ContentEditor(props: ContentEditorProps): ReactNode {
  const { fields, isForm, draft, problems, onChange, revision = 0, takesFocus = false, isLocked = false } = props;
  const parsed = parseObject(draft.text);
  if (isForm && 'value' in parsed) {
    return (
      <SchemaForm
        key={revision}
        fields={fields}
        content={parsed.value}
        problems={problems}
        isLocked={isLocked}
        onChange={(content, isValid) => onChange({ text: formatJson(content), isValid })}
      />
    );
  }
  return (
    <JsonEditor
      key={revision}
      label={texts.documents.content}
      value={draft.text}
      takesFocus={takesFocus}
      isLocked={isLocked}
      onChange={(text) => onChange(draftOf(text))}
    />
  );
}
