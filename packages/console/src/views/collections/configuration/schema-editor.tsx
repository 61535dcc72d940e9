import type { Violations } from '@baobab/client/admin';
import { Tabs } from '@base-ui/react/tabs';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { JsonEditor } from '../../../parts/json-editor.tsx';
import { useService } from '../../../parts/service.ts';
import { Loading, Section } from '../../../parts/view.tsx';
import { useUnsaved } from '../../../place.ts';
import { texts } from '../../../texts.ts';
import { useAction } from '../../../use-load.ts';
import { formatJson, type JsonObject, parseObject } from '../../../values/json.ts';
import { type BuiltField, builtFieldsOf, schemaOf } from '../../../values/schema-builder.ts';
import { FieldBuilder } from '../field-builder.tsx';
import { useSchema } from '../use-schema.ts';
import { ViolationList } from '../violations.tsx';

const TEXTS = texts.collections.schema;
/** Initial schema of a collection without one. */
const TEMPLATE = formatJson({ type: 'object', properties: {}, required: [] });

/** The JSON Schema that new and changed documents must match. */
export function SchemaEditor({ collection }: { readonly collection: string }): ReactNode {
  const loaded = useSchema(collection);
  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <Loading loaded={loaded}>{({ schema }) => <SchemaForm collection={collection} schema={schema} />}</Loading>
    </Section>
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
  const [stored, setStored] = useState(() => (schema === null ? TEMPLATE : formatJson(schema)));
  const [hasSchema, setHasSchema] = useState(schema !== null);
  const [text, setText] = useState(stored);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const { isBusy, error, run } = useAction();
  const parsed = parseObject(text);
  useUnsaved(text !== stored);

  function edit(edited: string): void {
    setOutcome(null);
    setText(edited);
  }

  async function send(isStored: boolean): Promise<void> {
    setOutcome(null);
    if (!('value' in parsed)) return;
    const found = await collections.setSchema(collection, parsed.value, isStored ? {} : { dry: true });
    setOutcome({ isStored, found });
    if (!isStored) return;
    setHasSchema(true);
    setStored(text);
  }

  return (
    <form
      className="stack loose"
      onSubmit={(event) => {
        event.preventDefault();
        return run(() => send(true));
      }}
    >
      <Editors text={text} onEdit={edit} />
      <Failure error={error} />
      <div role="status">
        {outcome !== null && (
          <ViolationList
            collection={collection}
            found={outcome.found}
            outcome={outcome.isStored ? TEXTS.saved : TEXTS.tried}
            none={TEXTS.allConform}
            some={TEXTS.violate}
          />
        )}
        {!hasSchema && outcome === null && <p className="muted">{TEXTS.none}</p>}
      </div>
      <div className="row">
        <Button type="submit" kind="primary" disabled={isBusy || !('value' in parsed)}>
          {TEXTS.save}
        </Button>
        <Button disabled={isBusy || !('value' in parsed)} onClick={() => run(() => send(false))}>
          {TEXTS.dry}
        </Button>
        {hasSchema && (
          <Button kind="ghost" icon={Trash2} onClick={() => setRemoving(true)}>
            {TEXTS.remove}
          </Button>
        )}
      </div>
      {isRemoving && (
        <Confirm
          title={TEXTS.remove}
          about={TEXTS.removeAbout}
          act={() => collections.removeSchema(collection)}
          onDone={() => {
            setRemoving(false);
            setHasSchema(false);
            setOutcome(null);
            setStored(text);
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </form>
  );
}

interface EditorsProps {
  readonly text: string;
  readonly onEdit: (text: string) => void;
}

/** The same schema as a list of fields and as JSON. */
function Editors({ text, onEdit }: EditorsProps): ReactNode {
  const parsed = parseObject(text);
  // Fields without a name yet are in no schema.
  const [fields, setFields] = useState<readonly BuiltField[]>(() =>
    builtFieldsOf('value' in parsed ? parsed.value : null),
  );
  const [tab, setTab] = useState<'fields' | 'json'>('fields');
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(value: 'fields' | 'json') => {
        if ('value' in parsed) setFields(builtFieldsOf(parsed.value));
        setTab(value);
      }}
    >
      <Tabs.List className="tabs">
        <Tabs.Tab className="tab" value="fields" disabled={!('value' in parsed)}>
          {TEXTS.fields}
        </Tabs.Tab>
        <Tabs.Tab className="tab" value="json">
          {TEXTS.json}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel className="stack form panel" value="fields">
        <FieldBuilder
          fields={fields}
          onChange={(edited) => {
            setFields(edited);
            const named = edited.filter(({ name }) => name.trim() !== '');
            if ('value' in parsed) onEdit(formatJson(schemaOf(named, parsed.value)));
          }}
        />
      </Tabs.Panel>
      <Tabs.Panel className="panel" value="json">
        <JsonEditor label={TEXTS.json} value={text} onChange={onEdit} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
