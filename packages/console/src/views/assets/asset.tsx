import type { Asset } from '@baobab/client';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Download } from '../../parts/download.tsx';
import { KEYBOARD } from '../../parts/keyboard.ts';
import { Preview, type PreviewSize } from '../../parts/preview.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, Section, View } from '../../parts/view.tsx';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { bytesText, dateText } from '../../values/format.ts';
import { formatJson } from '../../values/json.ts';

const TEXTS = texts.assets;

export function AssetView({ name }: { readonly name: string }): ReactNode {
  const { client } = useService();
  const loaded = useLoad(['assets', 'one', name], (signal) => client.assets.get(name, { signal }));
  const [isDeleting, setDeleting] = useState(false);
  const goInstead = useGoInstead();
  const { data } = loaded;
  return (
    <View
      title={name}
      parents={[[hrefOf(['assets']), TEXTS.title]]}
      actions={
        data?.contentType !== undefined && (
          <Download name={data.fileName ?? name} load={(signal) => client.assets.download(name, { signal })} />
        )
      }
      menu={data === null ? [] : [{ text: TEXTS.remove, icon: Trash2, isDanger: true, act: () => setDeleting(true) }]}
    >
      <Loading loaded={loaded}>{(asset) => <Details asset={asset} />}</Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.remove}
          about={TEXTS.removeAbout(name)}
          typed={name}
          act={() => client.admin.assets.remove(name)}
          onDone={() => goInstead(['assets'])}
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
  const download = (size: PreviewSize, signal: AbortSignal) =>
    // Sizes of assets are numbered from 1.
    client.assets.download(name, { signal, ...(typeof size === 'number' ? { size: { sizeId: size + 1 } } : {}) });
  return (
    <div className="stack loose">
      <dl className="facts">
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
      {hasFile && (
        <Preview
          of={['asset', name]}
          name={fileName ?? name}
          type={contentType}
          bytes={contentLength}
          download={download}
        />
      )}
      <Section title={TEXTS.meta}>
        <pre {...KEYBOARD}>{formatJson(meta)}</pre>
      </Section>
    </div>
  );
}
