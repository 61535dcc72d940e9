import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { useLoad } from '../use-load.ts';
import { bytesText } from '../values/format.ts';
import { essenceOf, isResizable, previewKind, sizesIn } from '../values/previews.ts';
import { beginningOf, useBlobUrl } from './blobs.ts';
import { Button } from './button.tsx';
import { Select } from './field.tsx';
import { useService } from './service.ts';
import { Loading, Section } from './view.tsx';

const TEXTS = texts.parts;
/** Larger images, sounds and videos are not loaded into the tab. */
const MOST_BYTES = 20_000_000;
const TEXT_BYTES = 65_536;
const SIZES = 'image.allowed.automatic.resize.formats';
/** Uploaded media have no captions. */
const PLAYERS = { audio: 'audio', video: 'video' } as const;
/** Makes content scrollable by keyboard. */
const KEYBOARD = { tabIndex: 0 };

/** Index of a size in the settings, from 0; a size that fits the page; null: the original. */
export type PreviewSize = number | 'fit' | null;

interface PreviewProps {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** True if the size `fit` exists. A small image file may have more pixels than a tab can hold. */
  readonly fits?: boolean;
  /** Identifies the file. */
  readonly of: readonly string[];
  readonly download: (size: PreviewSize, signal: AbortSignal) => Promise<Response>;
}

/** Returns the bytes of a response with a safe media type, regardless of the type sent by the server. */
async function shownBlob(response: Response): Promise<Blob> {
  const blob = await response.blob();
  const type = essenceOf(blob.type);
  const kind = previewKind(type);
  if (kind === null || kind === 'text') throw new Error(TEXTS.unreadable);
  return blob.slice(0, blob.size, type);
}

/** Preview of a stored file, without executing any of its content. */
export function Preview(props: PreviewProps): ReactNode {
  return (
    <Section title={TEXTS.preview}>
      <Content {...props} />
    </Section>
  );
}

function Content(props: PreviewProps): ReactNode {
  const kind = previewKind(props.type);
  if (kind === null) return <p>{TEXTS.noPreview}</p>;
  if (kind === 'text') return <TextPreview {...props} />;
  if (props.bytes > MOST_BYTES) return <p>{TEXTS.tooLarge(bytesText(MOST_BYTES))}</p>;
  return kind === 'image' ? <ImagePreview {...props} /> : <RecordingPreview {...props} kind={kind} />;
}

function TextPreview({ of, bytes, download }: PreviewProps): ReactNode {
  const loaded = useLoad(['preview', ...of], async (signal) =>
    new TextDecoder().decode(await beginningOf(await download(null, signal), TEXT_BYTES)),
  );
  return (
    <Loading loaded={loaded}>
      {(text) => (
        <>
          {bytes > TEXT_BYTES && <p>{TEXTS.beginning(bytesText(TEXT_BYTES))}</p>}
          <pre {...KEYBOARD}>{text}</pre>
        </>
      )}
    </Loading>
  );
}

/** Returns the size for a choice. */
function sizeOf(choice: string): PreviewSize {
  if (choice === '') return null;
  return choice === 'fit' ? choice : Number(choice);
}

function ImagePreview({ of, name, type, fits = false, download }: PreviewProps): ReactNode {
  const { client } = useService();
  const ofService = isResizable(type);
  const [size, setSize] = useState(ofService && fits ? 'fit' : '');
  const sizes = useLoad(['image sizes'], async (signal) => {
    const settings = await client.admin.settings.section('Images', { signal });
    return sizesIn(settings.find(({ key }) => key === SIZES)?.value);
  });
  const loaded = useLoad(['preview', ...of, size], async (signal) => shownBlob(await download(sizeOf(size), signal)));
  return (
    <>
      {ofService && (
        <div className="row">
          <Select
            label={TEXTS.size}
            value={size}
            onChange={setSize}
            options={[
              ...(fits ? [['fit', TEXTS.fit] as const] : []),
              ['', TEXTS.original],
              ...(sizes.data ?? []).map((text, index) => [String(index), text] as const),
            ]}
          />
        </div>
      )}
      <Loading loaded={loaded}>{(blob) => <Image key={size} name={name} blob={blob} />}</Loading>
    </>
  );
}

function Image({ name, blob }: { readonly name: string; readonly blob: Blob }): ReactNode {
  const url = useBlobUrl(blob);
  const [told, setTold] = useState('');
  return (
    <>
      {url !== null && (
        <img
          className="preview"
          src={url}
          alt={name}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setTold(TEXTS.dimensions(naturalWidth, naturalHeight, bytesText(blob.size)))
          }
          onError={() => setTold(TEXTS.unreadable)}
        />
      )}
      <p role="status" className="meta">
        {told}
      </p>
    </>
  );
}

interface RecordingProps extends PreviewProps {
  readonly kind: keyof typeof PLAYERS;
}

/** A sound or video, loaded on request. */
function RecordingPreview(props: RecordingProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  if (isAsked) return <Recording {...props} />;
  return (
    <div>
      <Button icon={Play} onClick={() => setAsked(true)}>
        {TEXTS.load[props.kind]}
      </Button>
    </div>
  );
}

function Recording({ of, name, kind, download }: RecordingProps): ReactNode {
  const loaded = useLoad(['preview', ...of], async (signal) => shownBlob(await download(null, signal)));
  const url = useBlobUrl(loaded.data);
  const [told, setTold] = useState('');
  const Player = PLAYERS[kind];
  return (
    <Loading loaded={loaded}>
      {() =>
        url !== null && (
          <>
            <Player
              className="preview"
              controls={true}
              src={url}
              aria-label={name}
              onError={() => setTold(TEXTS.unreadable)}
            />
            <p role="status" className="meta">
              {told}
            </p>
          </>
        )
      }
    </Loading>
  );
}
