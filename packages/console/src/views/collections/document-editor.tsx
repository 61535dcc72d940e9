import { isBaobabError, type Operation } from '@baobab/client';
import { Tabs } from '@base-ui/react/tabs';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Button } from '../../parts/button.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Failure, problemsOf } from '../../parts/failure.tsx';
import { GrantEditor } from '../../parts/grant-editor.tsx';
import { useSaveKey } from '../../parts/save-key.ts';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { useUnsaved } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { isSame, merged, patchOf } from '../../values/changes.ts';
import { contentOf } from '../../values/documents.ts';
import { dateText } from '../../values/format.ts';
import { type JsonObject, parseObject } from '../../values/json.ts';
import { fieldsOf, pointersOf } from '../../values/schema-fields.ts';
import { AccessTest } from './access-test.tsx';
import { ContentEditor, draftOf, textOfContent } from './content-editor.tsx';
import type { StoredDocument } from './stored-document.ts';

const TEXTS = texts.documents;

interface DocumentEditorProps {
  readonly collection: string;
  readonly document: StoredDocument;
  readonly schema: JsonObject | null;
  /** Called after the document was saved. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const textOf = (document: StoredDocument) => textOfContent(contentOf(document));

/** Sends what differs between the stored version and `content`, and only that. */
function useSave(collection: string) {
  const { client } = useService();
  const documents = client.collection(collection);
  return async (stored: StoredDocument, content: JsonObject): Promise<StoredDocument> => {
    const { id, '@version': version } = stored;
    const before = contentOf(stored);
    if (isSame(before, content)) return stored;
    const patch = patchOf(before, content);
    if (patch === null) return documents.replace(id, content, { version });
    const { path } = documents.operations.get(id);
    const operation: Operation<StoredDocument> = { method: 'PATCH', path, body: { ...patch, '@version': version } };
    const [saved] = await client.batch([operation]);
    return saved;
  };
}

/** The document on the server and the draft of the user. Changes by others are never overwritten unasked. */
function useDraft({ collection, document: read, onChanged }: DocumentEditorProps) {
  const documents = useService().client.collection(collection);
  const send = useSave(collection);
  /** The version that the draft is based on. */
  const [base, setBase] = useState(read);
  /** A newer version; null if none is known. */
  const [newer, setNewer] = useState<StoredDocument | null>(null);
  const [draft, setDraft] = useState(() => draftOf(textOf(read)));
  /** Counts the drafts that were replaced as a whole. */
  const [revision, setRevision] = useState(0);
  const { isBusy, error, run } = useAction();
  const latest = useRef(draft);
  latest.current = draft;
  const parsed = parseObject(draft.text);
  const isDirty = !('value' in parsed && draft.isValid && isSame(parsed.value, contentOf(base)));
  /** Content to save: the newest version with the changes of the user. Null: the draft is invalid. */
  const result = 'value' in parsed ? merged(contentOf(base), contentOf(parsed.value), contentOf(newer ?? base)) : null;
  useUnsaved(isDirty);

  function show(document: StoredDocument): void {
    setBase(document);
    setNewer(null);
    setDraft(draftOf(textOf(document)));
    setRevision((before) => before + 1);
  }

  async function save(): Promise<void> {
    if (!('value' in parsed) || result === null) return;
    try {
      const saved = await send(newer ?? base, result);
      // Extensions may have changed it. Otherwise the editor keeps its focus, and always what was typed meanwhile.
      if (latest.current === draft && !isSame(contentOf(saved), parsed.value)) show(saved);
      else {
        setBase(saved);
        setNewer(null);
      }
      toast(texts.saved);
      onChanged();
    } catch (failure) {
      if (!isBaobabError(failure, 'document.stale')) throw failure;
      setNewer(await documents.get(read.id));
    }
  }

  return {
    base,
    newer,
    draft,
    resultText: result === null ? draft.text : textOfContent(result),
    setDraft,
    revision,
    error,
    show,
    save: () => run(save),
    canSave: !isBusy && draft.isValid && (newer !== null || isDirty),
  };
}

/** Editor of a document in a drawer: its content as a form or as JSON, and its permissions. */
export function DocumentEditor(props: DocumentEditorProps): ReactNode {
  const { collection, schema, onClose } = props;
  const { client } = useService();
  const { base, newer, draft, resultText, setDraft, revision, error, show, save, canSave } = useDraft(props);
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const shown = useMemo(() => new Set(pointersOf(fields)), [fields]);
  const [content, setContent] = useState<'form' | 'json'>(fields.length > 0 ? 'form' : 'json');
  const [isOfGrants, setOfGrants] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => form.current?.requestSubmit());
  const isForm = content === 'form';
  const problems = new Map(problemsOf(error).map(({ path, message }) => [path, message]));

  function open(tab: 'form' | 'json' | 'grants'): void {
    setOfGrants(tab === 'grants');
    if (tab !== 'grants') setContent(tab);
  }

  return (
    <Tabs.Root className="overlay-form" value={isOfGrants ? 'grants' : content} onValueChange={open}>
      <Tabs.List className="tabs">
        {fields.length > 0 && (
          <Tabs.Tab className="tab" value="form" disabled={!('value' in parseObject(draft.text))}>
            {TEXTS.asForm}
          </Tabs.Tab>
        )}
        <Tabs.Tab className="tab" value="json" disabled={isForm && !draft.isValid}>
          {TEXTS.asJson}
        </Tabs.Tab>
        <Tabs.Tab className="tab" value="grants">
          {TEXTS.grants}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel className="overlay-form" value={content} keepMounted={true}>
        <form
          ref={form}
          className="overlay-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (canSave) void save();
          }}
        >
          <div className="overlay-body">
            {newer !== null && (
              <div className="notice stack">
                <p role="alert">{TEXTS.conflict(newer['@version'])}</p>
                <Diff label={TEXTS.differences} before={textOf(newer)} after={resultText} />
                <div>
                  <Button onClick={() => show(newer)}>{TEXTS.takeTheirs}</Button>
                </div>
              </div>
            )}
            <ContentEditor
              fields={fields}
              isForm={isForm}
              revision={revision}
              draft={draft}
              problems={problems}
              onChange={setDraft}
            />
            <Facts document={base} />
          </div>
          <div className="overlay-foot">
            <div className="grow">
              <Failure error={error} {...(isForm ? { shown } : {})} />
            </div>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button type="submit" kind="primary" disabled={!canSave}>
              {newer === null ? texts.save : TEXTS.saveMine(newer['@version'])}
            </Button>
          </div>
        </form>
      </Tabs.Panel>
      <Tabs.Panel className="overlay-body stack loose" value="grants">
        <GrantEditor calls={client.collection(collection)} of={collection} id={base.id} none={TEXTS.noGrants} />
        <AccessTest collection={collection} document={base.id} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

const UserLink = ({ name }: { readonly name: string }) => <a href={hrefOf(['users', name])}>{name}</a>;

/** Facts that the server stores with a document. */
function Facts({ document }: { readonly document: StoredDocument }): ReactNode {
  return (
    <dl className="facts meta">
      <dt>{TEXTS.id}</dt>
      <dd>
        <code>{document.id}</code>
      </dd>
      <dt>{TEXTS.author}</dt>
      <dd>{document._author !== null && <UserLink name={document._author} />}</dd>
      <dt>{TEXTS.updatedBy}</dt>
      <dd>{document._updated_by === null ? TEXTS.removedUser : <UserLink name={document._updated_by} />}</dd>
      <dt>{TEXTS.created}</dt>
      <dd>{dateText(document._creation_date)}</dd>
      <dt>{TEXTS.version}</dt>
      <dd>
        {document['@version']}, {dateText(document._update_date)}
      </dd>
    </dl>
  );
}
