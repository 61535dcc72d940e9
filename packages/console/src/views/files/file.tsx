import type { ImageSize, StoredFile } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Download } from '../../parts/download.tsx';
import { GrantEditor } from '../../parts/grant-editor.tsx';
import { Preview, type PreviewSize } from '../../parts/preview.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, dateText } from '../../values/format.ts';
import { formatJson } from '../../values/json.ts';
import { UploadPanel } from './upload-panel.tsx';
import type { Uploads } from './uploads.ts';

const TEXTS = texts.files;
/** Makes content scrollable by keyboard. */
const KEYBOARD = { tabIndex: 0 };

interface FileViewProps {
  readonly id: string;
  readonly uploads: Uploads;
}

export function FileView({ id, uploads }: FileViewProps): ReactNode {
  const { client } = useService();
  const load = useCallback((signal: AbortSignal) => client.files.details(id, { signal }), [client, id]);
  const loaded = useLoad(load);
  const [isDeleting, setDeleting] = useState(false);
  const name = loaded.data?.fileName ?? id;
  return (
    <View
      title={name}
      parents={[[hrefOf(['files']), TEXTS.title]]}
      actions={
        loaded.data !== null && (
          <>
            <Download name={name} load={(signal) => client.files.download(id, { signal })} />
            <button type="button" className="danger" onClick={() => setDeleting(true)}>
              {TEXTS.remove}
            </button>
          </>
        )
      }
    >
      <UploadPanel uploads={uploads} />
      <Loading loaded={loaded}>{(file) => <Details file={file} />}</Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.remove}
          about={TEXTS.removeAbout(name)}
          act={() => client.files.remove(id)}
          onDone={() => go(['files'])}
          onClose={() => setDeleting(false)}
        />
      )}
    </View>
  );
}

/** Returns the URL without the session, which `client.files.url` would include. */
const addressOf = (id: string) => new URL(`../file/${encodeURIComponent(id)}`, document.baseURI).href;

/** Administrators may request any size. */
const FIT = '<=1000px';

function sizeOf(size: PreviewSize): ImageSize {
  if (size === null) return {};
  return size === 'fit' ? { size: FIT } : { sizeId: size };
}

function Details({ file }: { readonly file: StoredFile }): ReactNode {
  const { client } = useService();
  const { id, fileName, contentType, contentLength, attachedData, metadata, _author, _creation_date } = file;
  const download = useCallback(
    (size: PreviewSize, signal: AbortSignal) => client.files.download(id, { signal, ...sizeOf(size) }),
    [client, id],
  );
  return (
    <>
      <dl>
        <dt>{TEXTS.id}</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>{TEXTS.type}</dt>
        <dd>{contentType}</dd>
        <dt>{TEXTS.size}</dt>
        <dd>{bytesText(contentLength)}</dd>
        <dt>{TEXTS.owner}</dt>
        <dd>
          <a href={hrefOf(['users', _author])}>{_author}</a>
        </dd>
        <dt>{TEXTS.stored}</dt>
        <dd>{dateText(_creation_date)}</dd>
        <dt>{TEXTS.digest}</dt>
        <dd>
          <code>{metadata.sha256}</code>
        </dd>
      </dl>
      <CopyField label={TEXTS.link} about={TEXTS.linkAbout} value={addressOf(id)} />
      <Preview name={fileName} type={contentType} bytes={contentLength} fits={true} download={download} />
      {Object.keys(attachedData).length > 0 && (
        <section className="card" aria-label={TEXTS.attached}>
          <h2>{TEXTS.attached}</h2>
          <pre {...KEYBOARD}>{formatJson(attachedData)}</pre>
        </section>
      )}
      <GrantEditor calls={client.files} id={id} none={TEXTS.noGrants} />
    </>
  );
}
