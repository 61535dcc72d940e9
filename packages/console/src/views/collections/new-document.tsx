import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogForm } from '../../parts/dialog.tsx';
import { Failure, problemsOf } from '../../parts/failure.tsx';
import { useSaveKey } from '../../parts/save-key.ts';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Loading } from '../../parts/view.tsx';
import { leave, useGoInstead, useUnsaved } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { type JsonObject, parseObject } from '../../values/json.ts';
import { fieldsOf, pointersOf } from '../../values/schema-fields.ts';
import { ContentEditor, draftOf } from './content-editor.tsx';
import { useSchema } from './use-schema.ts';

const TEXTS = texts.documents;
const EMPTY = '{\n  \n}';

interface NewDocumentProps {
  readonly collection: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** A drawer for a new document. */
export function NewDocument(props: NewDocumentProps): ReactNode {
  const schema = useSchema(props.collection);
  return (
    <Dialog kind="drawer" title={TEXTS.create} onClose={props.onClose}>
      {schema.data === null ? (
        <div className="overlay-body">
          <Loading loaded={schema}>{() => null}</Loading>
        </div>
      ) : (
        <NewDocumentForm {...props} schema={schema.data.schema} />
      )}
    </Dialog>
  );
}

interface NewDocumentFormProps extends NewDocumentProps {
  readonly schema: JsonObject | null;
}

function NewDocumentForm({ collection, schema, onClose, onCreated }: NewDocumentFormProps): ReactNode {
  const { client } = useService();
  const goInstead = useGoInstead();
  const [draft, setDraft] = useState(() => draftOf(EMPTY));
  useUnsaved(draft.text !== EMPTY);
  const { isBusy, error, run } = useAction();
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [isForm, setForm] = useState(fields.length > 0);
  const shown = useMemo(() => new Set(pointersOf(fields)), [fields]);
  const problems = new Map(problemsOf(error).map(({ path, message }) => [path, message]));
  const canCreate = draft.isValid && !isBusy;

  async function create(): Promise<void> {
    const parsed = parseObject(draft.text);
    if (!('value' in parsed)) return;
    const { id } = await client.collection(collection).create(parsed.value);
    toast(TEXTS.createdDone);
    goInstead(['collections', collection, id]);
    onCreated();
  }

  useSaveKey(() => canCreate && void run(create));
  return (
    <DialogForm
      onSubmit={() => run(create)}
      foot={
        <>
          <div className="grow">
            <Failure error={error} {...(isForm ? { shown } : {})} />
          </div>
          {fields.length > 0 && (
            <Button kind="ghost" disabled={!draft.isValid} onClick={() => setForm(!isForm)}>
              {isForm ? TEXTS.asJson : TEXTS.asForm}
            </Button>
          )}
          <Button onClick={() => leave(onClose)}>{texts.cancel}</Button>
          <Button type="submit" kind="primary" disabled={!canCreate}>
            {texts.create}
          </Button>
        </>
      }
    >
      <ContentEditor
        fields={fields}
        isForm={isForm}
        draft={draft}
        problems={problems}
        takesFocus={true}
        // The editor of the created document would not have later input.
        isLocked={isBusy}
        onChange={setDraft}
      />
    </DialogForm>
  );
}
