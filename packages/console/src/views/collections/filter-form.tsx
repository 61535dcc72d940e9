import { X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { ExpressionField, type ExpressionInput } from '../../parts/expression-field.tsx';
import { useSlash } from '../../parts/search.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { completeExpression, namesInFilter, pathsOf } from '../../values/completion.ts';
import { contentOf } from '../../values/documents.ts';
import type { JsonObject } from '../../values/json.ts';
import { pathsIn } from '../../values/schema-fields.ts';

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
  const names = namesInFilter([...new Set([...(inSchema ?? []), ...found])]);
  const input = useRef<ExpressionInput>(null);
  useSlash(() => input.current?.focus());

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
      onFocus={readSchema}
      onSubmit={(event) => {
        event.preventDefault();
        onApply(text.trim());
      }}
    >
      <ExpressionField
        ref={input}
        label={texts.documents.where}
        isBare={true}
        placeholder={texts.documents.whereAbout}
        value={text}
        onChange={setText}
        problem={problem}
        complete={(typed, cursor) => completeExpression(typed, cursor, names)}
      />
      {where !== '' && <IconButton icon={X} label={texts.documents.clear} onClick={() => onApply('')} />}
    </form>
  );
}
