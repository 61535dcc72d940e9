import { type ReactNode, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useService } from '../../parts/service.ts';
import { Loading } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { parseObject } from '../../values/json.ts';
import { ContentEditor, draftOf } from './content-editor.tsx';
import { useSchema } from './use-schema.ts';

interface NewDocumentProps {
  readonly collection: string;
  readonly onClose: () => void;
}

export function NewDocument({ collection, onClose }: NewDocumentProps): ReactNode {
  const { client } = useService();
  const loaded = useSchema(collection);
  const [draft, setDraft] = useState(() => draftOf('{\n  \n}'));
  const { isBusy, error, run } = useAction();

  async function create(): Promise<void> {
    const parsed = parseObject(draft.text);
    if (!('value' in parsed)) return;
    const { id } = await client.collection(collection).create(parsed.value);
    go(['collections', collection, id]);
  }

  return (
    <Dialog title={texts.documents.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          return run(create);
        }}
      >
        <Loading loaded={loaded}>
          {({ schema }) => <ContentEditor schema={schema} draft={draft} onChange={setDraft} rows={12} />}
        </Loading>
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={isBusy || !draft.isValid}>
            {texts.create}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
