import type { Violations } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { Confirm } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { JsonField } from '../../../parts/field.tsx';
import { useService } from '../../../parts/service.ts';
import { Loading } from '../../../parts/view.tsx';
import { hrefOf } from '../../../place.ts';
import { texts } from '../../../texts.ts';
import { useAction } from '../../../use-load.ts';
import { numberText } from '../../../values/format.ts';
import { formatJson, type JsonObject, parseObject } from '../../../values/json.ts';
import { useSchema } from '../use-schema.ts';

const TEXTS = texts.collections.schema;
/** Initial schema of a collection without one. */
const TEMPLATE = formatJson({ type: 'object', properties: {}, required: [] });

/** The JSON Schema that new and changed documents must match. */
export function SchemaEditor({ collection }: { readonly collection: string }): ReactNode {
  const loaded = useSchema(collection);
  return (
    <section className="card" aria-label={TEXTS.title}>
      <h2>{TEXTS.title}</h2>
      <p className="dim">{TEXTS.about}</p>
      <Loading loaded={loaded}>{({ schema }) => <SchemaForm collection={collection} schema={schema} />}</Loading>
    </section>
  );
}

interface SchemaFormProps {
  readonly collection: string;
  readonly schema: JsonObject | null;
}

interface Outcome {
  readonly isStored: boolean;
  readonly found: Violations;
}

function SchemaForm({ collection, schema }: SchemaFormProps): ReactNode {
  const { collections } = useService().client.admin;
  const [hasSchema, setHasSchema] = useState(schema !== null);
  const [text, setText] = useState(() => (schema === null ? TEMPLATE : formatJson(schema)));
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const { isBusy, error, run } = useAction();
  const parsed = parseObject(text);

  async function send(isStored: boolean): Promise<void> {
    setOutcome(null);
    if (!('value' in parsed)) return;
    const found = await collections.setSchema(collection, parsed.value, isStored ? {} : { dry: true });
    setOutcome({ isStored, found });
    if (isStored) setHasSchema(true);
  }

  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          return run(() => send(true));
        }}
      >
        <JsonField
          label={TEXTS.json}
          value={text}
          rows={14}
          onChange={(edited) => {
            setOutcome(null);
            setText(edited);
          }}
        />
        <Failure error={error} />
        <div role="status">
          {outcome !== null && <Result collection={collection} outcome={outcome} />}
          {!hasSchema && outcome === null && TEXTS.none}
        </div>
        <div className="row">
          <button type="button" disabled={isBusy || !('value' in parsed)} onClick={() => run(() => send(false))}>
            {TEXTS.dry}
          </button>
          <button type="submit" className="main" disabled={isBusy || !('value' in parsed)}>
            {TEXTS.save}
          </button>
          {hasSchema && (
            <button type="button" className="danger" onClick={() => setRemoving(true)}>
              {TEXTS.remove}
            </button>
          )}
        </div>
      </form>
      {isRemoving && (
        <Confirm
          title={TEXTS.remove}
          about={TEXTS.removeAbout}
          act={() => collections.removeSchema(collection)}
          onDone={() => {
            setRemoving(false);
            setHasSchema(false);
            setOutcome(null);
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

function Result({ collection, outcome }: { readonly collection: string; readonly outcome: Outcome }): ReactNode {
  const { isStored, found } = outcome;
  const { violations, first } = found;
  return (
    <>
      <p>
        {isStored ? TEXTS.saved : TEXTS.tried}{' '}
        {violations === 0 ? TEXTS.allConform : TEXTS.violate(numberText(violations))}
      </p>
      <ul>
        {first.map(({ id, errors }) => (
          <li key={id}>
            <a className="id" href={hrefOf(['collections', collection, id])}>
              {id}
            </a>
            <ul>
              {errors.map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}
