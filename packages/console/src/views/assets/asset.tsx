import type { Asset } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Download } from '../../parts/download.tsx';
import { Preview, type PreviewSize } from '../../parts/preview.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, dateText } from '../../values/format.ts';
import { formatJson } from '../../values/json.ts';

const TEXTS = texts.assets;
/** Makes content scrollable by keyboard. */
const KEYBOARD = { tabIndex: 0 };

export function AssetView({ name }: { readonly name: string }): ReactNode {
  const { client } = useService();
  const load = useCallback((signal: AbortSignal) => client.assets.get(name, { signal }), [client, name]);
  const loaded = useLoad(load);
  const [isDeleting, setDeleting] = useState(false);
  const { data } = loaded;
  return (
    <View
      title={name}
      parents={[[hrefOf(['assets']), TEXTS.title]]}
      actions={
        data !== null && (
          <>
            {data.contentType !== undefined && (
              <Download name={data.fileName ?? name} load={(signal) => client.assets.download(name, { signal })} />
            )}
            <button type="button" className="danger" onClick={() => setDeleting(true)}>
              {TEXTS.remove}
            </button>
          </>
        )
      }
    >
      <Loading loaded={loaded}>{(asset) => <Details asset={asset} />}</Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.remove}
          about={TEXTS.removeAbout(name)}
          typed={name}
          act={() => client.admin.assets.remove(name)}
          onDone={() => go(['assets'])}
          onClose={() => setDeleting(false)}
        />
      )}
    </View>
  );
}

function Details({ asset }: { readonly asset: Asset }): ReactNode {
  const { client } = useService();
  const { name, meta, fileName, contentType, contentLength = 0, _author, _creation_date } = asset;
  const hasFile = contentType !== undefined;
  const download = useCallback(
    (size: PreviewSize, signal: AbortSignal) =>
      // Sizes of assets are numbered from 1.
      client.assets.download(name, { signal, ...(typeof size === 'number' ? { size: { sizeId: size + 1 } } : {}) }),
    [client, name],
  );
  return (
    <>
      <dl>
        <dt>{TEXTS.kind}</dt>
        <dd>{contentType ?? TEXTS.object}</dd>
        {hasFile && (
          <>
            <dt>{TEXTS.fileName}</dt>
            <dd>{fileName}</dd>
            <dt>{TEXTS.size}</dt>
            <dd>{bytesText(contentLength)}</dd>
          </>
        )}
        <dt>{TEXTS.author}</dt>
        <dd>{_author}</dd>
        <dt>{TEXTS.created}</dt>
        <dd>{dateText(_creation_date)}</dd>
      </dl>
      <CopyField
        label={TEXTS.address}
        about={TEXTS.addressAbout}
        value={hasFile ? client.assets.url(name) : `${client.assets.url(name)}/data`}
      />
      {hasFile && <Preview name={fileName ?? name} type={contentType} bytes={contentLength} download={download} />}
      <section className="card" aria-label={TEXTS.meta}>
        <h2>{TEXTS.meta}</h2>
        <pre {...KEYBOARD}>{formatJson(meta)}</pre>
      </section>
    </>
  );
}
