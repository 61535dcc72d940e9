import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { pathsOf } from '../../values/completion.ts';
import { contentOf } from '../../values/documents.ts';
import type { JsonObject } from '../../values/json.ts';
import { pathsIn } from '../../values/schema-fields.ts';
import { ConditionField } from './condition-field.tsx';

const TEXTS = texts.documents;

interface FilterFormProps {
  readonly collection: string;
  /** The last applied filter. */
  readonly where: string;
  /** Documents whose member names are offered as completions. */
  readonly documents: readonly JsonObject[];
  /** Problem of the applied filter. */
  readonly problem: string | null;
  readonly onApply: (where: string) => void;
}

/** Filter of a list of documents. Completes the names in the schema and in the documents. */
export function FilterForm({ collection, where, documents, problem, onApply }: FilterFormProps): ReactNode {
  const { collections } = useService().client.admin;
  const [text, setText] = useState(where);
  useEffect(() => setText(where), [where]);
  /** Null: not requested yet. */
  const [inSchema, setInSchema] = useState<readonly string[] | null>(null);
  const found = useMemo(() => pathsOf(documents.map(contentOf)), [documents]);

  function readSchema(): void {
    if (inSchema !== null) return;
    setInSchema([]);
    collections.findSchema(collection).then(
      (schema) => schema !== null && setInSchema(pathsIn(schema)),
      // Without a schema, only the names in the documents are completed.
      () => undefined,
    );
  }

  return (
    <form
      className="row"
      onFocus={readSchema}
      onSubmit={(event) => {
        event.preventDefault();
        onApply(text.trim());
      }}
    >
      <ConditionField
        value={text}
        onChange={setText}
        problem={problem}
        paths={[...new Set([...(inSchema ?? []), ...found])]}
      />
      <button type="submit">{TEXTS.apply}</button>
      {where !== '' && (
        <button type="button" onClick={() => onApply('')}>
          {TEXTS.clear}
        </button>
      )}
    </form>
  );
}
