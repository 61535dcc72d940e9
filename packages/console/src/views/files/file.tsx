import type { ImageSize, StoredFile } from '@baobab/client';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Download } from '../../parts/download.tsx';
import { GrantEditor } from '../../parts/grant-editor.tsx';
import { KEYBOARD } from '../../parts/keyboard.ts';
import { Preview, type PreviewSize } from '../../parts/preview.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Loading, Section, View } from '../../parts/view.tsx';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, dateText } from '../../values/format.ts';
import { formatJson } from '../../values/json.ts';
import { UploadPanel } from './upload-panel.tsx';
import type { Uploads } from './uploads.ts';

const TEXTS = texts.files;

interface FileViewProps {
  readonly id: string;
  readonly uploads: Uploads;
}

export function FileView({ id, uploads }: FileViewProps): ReactNode {
  const { client } = useService();
  const loaded = useLoad(['files', 'one', id], (signal) => client.files.details(id, { signal }));
  const [isDeleting, setDeleting] = useState(false);
  const goInstead = useGoInstead();
  const name = loaded.data?.fileName ?? id;
  return (
    <View
      title={name}
      parents={[[hrefOf(['files']), TEXTS.title]]}
      actions={
        loaded.data !== null && <Download name={name} load={(signal) => client.files.download(id, { signal })} />
      }
      menu={
        loaded.data === null ? [] : [{ text: TEXTS.remove, icon: Trash2, isDanger: true, act: () => setDeleting(true) }]
      }
    >
      <UploadPanel uploads={uploads} />
      <Loading loaded={loaded}>{(file) => <Details file={file} />}</Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.remove}
          about={TEXTS.removeAbout(name)}
          act={() => client.files.remove(id)}
          onDone={() => {
            toast(TEXTS.removed(1));
            goInstead(['files']);
          }}
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
  const {
    id,
    fileName,
    contentType,
    contentLength,
    attachedData,
    metadata,
    document: place,
    _author,
    _creation_date,
  } = file;
  return (
    <div className="stack loose">
      <dl className="facts">
        <dt>{TEXTS.id}</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>{TEXTS.type}</dt>
        <dd>{contentType}</dd>
        <dt>{TEXTS.size}</dt>
        <dd>{bytesText(contentLength)}</dd>
        <dt>{TEXTS.owner}</dt>
        <dd>{_author !== null && <a href={hrefOf(['users', _author])}>{_author}</a>}</dd>
        {place !== undefined && (
          <>
            <dt>{TEXTS.document}</dt>
            <dd>
              <a href={hrefOf(['collections', ...place.split('/')])}>{place}</a>
            </dd>
          </>
        )}
        <dt>{TEXTS.stored}</dt>
        <dd>{dateText(_creation_date)}</dd>
        <dt>{TEXTS.digest}</dt>
        <dd>
          <code>{metadata.sha256}</code>
        </dd>
      </dl>
      <CopyField label={TEXTS.link} about={TEXTS.linkAbout} value={addressOf(id)} />
      <Preview
        of={['file', id]}
        name={fileName}
        type={contentType}
        bytes={contentLength}
        fits={true}
        download={(size, signal) => client.files.download(id, { signal, ...sizeOf(size) })}
      />
      {Object.keys(attachedData).length > 0 && (
        <Section title={TEXTS.attached}>
          <pre {...KEYBOARD}>{formatJson(attachedData)}</pre>
        </Section>
      )}
      <GrantEditor calls={client.files} of="files" id={id} none={TEXTS.noGrants} />
    </div>
  );
}
