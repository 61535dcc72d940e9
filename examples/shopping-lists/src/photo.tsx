import { useUpload } from '@baobab/client/react';
import { useEffect, useState } from 'react';
import { baobab } from './baobab.ts';
import { changeItem, grantsTo, type Item, isStored, type List } from './data.ts';
import { Failure } from './failure.tsx';
import { useOnline } from './hooks.ts';

/** A size that the server allows (setting `image.allowed.automatic.resize.formats`). */
const THUMBNAIL = '<=80px';

interface PhotoProps {
  readonly item: Item;
  readonly list: List;
}

/** The photo of an item, or a button to take one. */
export function Photo({ item, list }: PhotoProps) {
  const { id, title, photo } = item;
  const isOnline = useOnline();
  const { upload, abort, state, progress, error } = useUpload(baobab);

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const stored = await upload(file, { grants: grantsTo(list.group) });
    if (stored !== null) await changeItem(id, { photo: stored.id });
  }

  if (state === 'uploading') {
    return (
      <>
        <progress aria-label={`Uploading the photo of ${title}`} value={progress?.sent} max={progress?.total ?? 1} />
        <button type="button" onClick={abort}>
          Stop
        </button>
      </>
    );
  }
  return (
    <>
      {photo !== undefined && <Thumbnail file={photo} title={title} />}
      {isOnline && isStored(item) && (
        <label className="button">
          <input
            type="file"
            accept="image/*"
            aria-label={`Photo of ${title}`}
            onChange={({ target }) => take(target.files?.[0])}
          />
          <span aria-hidden={true}>Photo</span>
        </label>
      )}
      {error !== null && <Failure message={error.message} />}
    </>
  );
}

/** A thumbnail. `<img>` cannot send the session token in a header, so the bytes are fetched and shown. */
function Thumbnail({ file, title }: { file: string; title: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let made: string | undefined;
    async function load(): Promise<void> {
      try {
        const response = await baobab.files.download(file, { size: THUMBNAIL, signal });
        const blob = await response.blob();
        if (signal.aborted) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      } catch {
        // Offline; loads again once the network is back.
        addEventListener('online', load, { once: true, signal });
      }
    }
    void load();
    return () => {
      controller.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [file]);
  return url === undefined ? <small>…</small> : <img src={url} alt={title} />;
}
