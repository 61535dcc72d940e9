import { File as FileIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLoad } from '../use-load.ts';
import { createLimit } from '../values/limit.ts';
import { essenceOf, isResizable } from '../values/previews.ts';
import { useBlobUrl } from './blobs.ts';
import { ICON_SIZE } from './button.tsx';

/** Administrators may request any size. Twice the size on screen, for dense displays. */
const SIZES = { tile: '<=200px', cell: '<=48px' } as const;
/** Distance from the window at which images start loading. */
const AHEAD = '200px';
/** Leaves connections free for other calls. */
const limit = createLimit(3);

/** A stored image or other file. */
interface Pictured {
  /** Identifies the bytes. */
  readonly id: string;
  readonly contentType: string;
  /** Loads the image in this size. */
  readonly load: (size: string, signal: AbortSignal) => Promise<Response>;
}

interface ThumbnailProps {
  readonly file: Pictured;
  /** In a cell of a table, other files than images have no thumbnail. */
  readonly place?: keyof typeof SIZES;
}

/** Thumbnail of an image, resized by the server and loaded when visible; the media type for any other file. */
export function Thumbnail({ file, place = 'tile' }: ThumbnailProps): ReactNode {
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
  const other = place === 'cell' ? <FileIcon size={ICON_SIZE} aria-hidden={true} /> : <TypeName file={file} />;
  return (
    <span ref={box} className={`thumbnail ${place}`}>
      {isSeen && isResizable(file.contentType) ? <SmallImage file={file} size={SIZES[place]} other={other} /> : other}
    </span>
  );
}

const TypeName = ({ file }: { readonly file: Pictured }) => (
  <span className="muted">{essenceOf(file.contentType).split('/').at(-1)}</span>
);

interface SmallImageProps {
  readonly file: Pictured;
  readonly size: string;
  /** Shown if there is no image. */
  readonly other: ReactNode;
}

function SmallImage({ file: { id, load }, size, other }: SmallImageProps): ReactNode {
  const { data, error } = useLoad(['thumbnail', id, size], (signal) =>
    limit(async () => {
      const blob = await (await load(size, signal)).blob();
      return isResizable(blob.type) ? blob : null;
    }),
  );
  const url = useBlobUrl(data);
  if (error !== null) return other;
  return url !== null && <img src={url} alt="" />;
}
