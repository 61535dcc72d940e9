import type { StoredFile } from '@baobab/client';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useBlobUrl } from '../../parts/blobs.ts';
import { useService } from '../../parts/service.ts';
import { useLoad } from '../../use-load.ts';
import { createLimit } from '../../values/limit.ts';
import { essenceOf, isResizable } from '../../values/previews.ts';

/** Administrators may request any size. */
const SIZE = '<=200px';
/** Distance from the window at which images start loading. */
const AHEAD = '200px';
/** Leaves connections free for other calls. */
const limit = createLimit(3);

/** Thumbnail of an image, loaded when visible; the media type for any other file. */
export function Thumbnail({ file }: { readonly file: StoredFile }): ReactNode {
  const box = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setSeen(true);
        observer.disconnect();
      },
      { rootMargin: AHEAD },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <span ref={box} className="thumbnail">
      {isSeen && isResizable(file.contentType) ? <SmallImage file={file} /> : <TypeName file={file} />}
    </span>
  );
}

const TypeName = ({ file }: { readonly file: StoredFile }) => (
  <span className="dim">{essenceOf(file.contentType).split('/').at(-1)}</span>
);

function SmallImage({ file }: { readonly file: StoredFile }): ReactNode {
  const { client } = useService();
  const { id } = file;
  const load = useCallback(
    (signal: AbortSignal) =>
      limit(async () => {
        const blob = await (await client.files.download(id, { size: SIZE, signal })).blob();
        return isResizable(blob.type) ? blob : null;
      }),
    [client, id],
  );
  const { data, error } = useLoad(load);
  const url = useBlobUrl(data);
  if (error !== null) return <TypeName file={file} />;
  return url !== null && <img src={url} alt="" />;
}
