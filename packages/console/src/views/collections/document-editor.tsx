import { isBaobabError } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Diff } from '../../parts/diff.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { contentOf } from '../../values/documents.ts';
import { dateText } from '../../values/format.ts';
import { formatJson, isRounded, type JsonObject, parseObject } from '../../values/json.ts';
import { ContentEditor, draftOf } from './content-editor.tsx';
import type { StoredDocument } from './document.tsx';

const TEXTS = texts.documents;

interface DocumentEditorProps {
  readonly collection: string;
  readonly document: StoredDocument;
  readonly schema: JsonObject | null;
}

const textOf = (document: StoredDocument) => formatJson(contentOf(document));

/** Editor of the content. Changes by other users are shown and never overwritten without confirmation. */
export function DocumentEditor({ collection, document: read, schema }: DocumentEditorProps): ReactNode {
  const documents = useService().client.collection(collection);
  /** The version that the draft is based on. */
  const [base, setBase] = useState(read);
  /** A newer version; null if none is known. */
  const [newer, setNewer] = useState<StoredDocument | null>(null);
  const [draft, setDraft] = useState(() => draftOf(textOf(read)));
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, run } = useAction();
  const { id } = read;

  function show(document: StoredDocument): void {
    setBase(document);
    setNewer(null);
    setDraft(draftOf(textOf(document)));
  }

  async function save(version: number): Promise<void> {
    const parsed = parseObject(draft.text);
    if (!('value' in parsed)) return;
    try {
      show(await documents.replace(id, parsed.value, { version }));
      setSaved(true);
    } catch (failure) {
      if (!isBaobabError(failure, 'document.stale')) throw failure;
      setNewer(await documents.get(id));
    }
  }

  return (
    <section className="card" aria-label={TEXTS.editor}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setSaved(false);
          return run(() => save(newer === null ? base['@version'] : newer['@version']));
        }}
      >
        <ContentEditor
          revision={base['@version']}
          schema={schema}
          draft={draft}
          rows={16}
          onChange={(edited) => {
            setSaved(false);
            setDraft(edited);
          }}
        />
        <p className="dim">
          {TEXTS.version} {base['@version']}, {dateText(base._update_date)}
        </p>
        {isRounded(contentOf(base)) && <p className="problem">{texts.json.rounded}</p>}
        {newer !== null && (
          <div className="conflict">
            <p role="alert">{TEXTS.conflict(newer['@version'])}</p>
            <Diff label={TEXTS.differences} before={textOf(newer)} after={draft.text} />
          </div>
        )}
        <Failure error={error} />
        <div className="row">
          <button
            type="submit"
            className="main"
            disabled={isBusy || !draft.isValid || (newer === null && draft.text === textOf(base))}
          >
            {newer === null ? texts.save : TEXTS.saveMine(newer['@version'])}
          </button>
          {newer !== null && (
            <button type="button" onClick={() => show(newer)}>
              {TEXTS.takeTheirs}
            </button>
          )}
          <span role="status">{isSaved ? texts.saved : ''}</span>
        </div>
      </form>
    </section>
  );
}
