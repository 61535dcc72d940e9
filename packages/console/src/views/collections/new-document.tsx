import { type ReactNode, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { JsonField } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { parseObject } from '../../values/json.ts';

interface NewDocumentProps {
  readonly collection: string;
  readonly onClose: () => void;
}

export function NewDocument({ collection, onClose }: NewDocumentProps): ReactNode {
  const { client } = useService();
  const [text, setText] = useState('{\n  \n}');
  const { isBusy, error, run } = useAction();
  const parsed = parseObject(text);

  async function create(): Promise<void> {
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
        <JsonField label={texts.documents.content} value={text} onChange={setText} rows={12} />
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={isBusy || !('value' in parsed)}>
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
