import type { ApiRequest } from '../transport/transport.ts';
import { multipartStream } from './multipart.ts';
import { sendWithProgress } from './progress.ts';

/** A file in the format of React Native. */
export interface NativeFile {
  readonly uri: string;
  readonly name: string;
  readonly type: string;
}

type Bytes = Uint8Array | ArrayBuffer;

/** Source of an upload. Streams, such as those of Node, are sent while they are read. */
export type UploadSource = Blob | Bytes | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | NativeFile;

export interface Progress {
  /** Bytes sent so far. In browsers they include the rest of the form. */
  readonly sent: number;
  /** Total bytes; null if unknown. */
  readonly total: number | null;
}

export interface Upload {
  readonly source: UploadSource;
  /** Other form fields, as text. */
  readonly fields: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly type?: string;
  readonly onProgress?: (progress: Progress) => void;
}

type UploadRequest = Pick<ApiRequest, 'raw' | 'send' | 'isOneUse'>;

const ANY_TYPE = 'application/octet-stream';

const isNative = (source: UploadSource): source is NativeFile => 'uri' in source;
const isBytes = (source: UploadSource): source is Bytes => source instanceof ArrayBuffer || ArrayBuffer.isView(source);
const isStream = (source: UploadSource): source is ReadableStream<Uint8Array> =>
  'getReader' in source && typeof source.getReader === 'function';

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel();
  }
}

/** Returns the name of a `File`. Node 18 has no global class `File`. */
const nameOf = (source: UploadSource) => ('name' in source && typeof source.name === 'string' ? source.name : null);

function formOf({ source, fields, ...upload }: Upload, blob: Blob | NativeFile): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const name = upload.name ?? nameOf(source) ?? 'file';
  if (!isNative(blob)) {
    const typed = upload.type === undefined || upload.type === blob.type ? blob : blob.slice(0, blob.size, upload.type);
    form.append('file', typed, name);
  } else {
    // React Native reads the file while it sends the form.
    form.append('file', { ...blob, name, type: upload.type ?? blob.type } as unknown as Blob);
  }
  return form;
}

function streamed(upload: Upload, read: () => AsyncIterable<Uint8Array>, total: number | null = null): UploadRequest {
  const { source, fields, name = nameOf(source) ?? 'file', type = ANY_TYPE, onProgress } = upload;
  const onChunk = (sent: number) => onProgress?.({ sent, total });
  // A source of known length can be read again.
  return {
    isOneUse: total === null,
    raw: () => multipartStream({ file: { name, type, chunks: read(), onChunk }, fields }),
  };
}

/** Returns the request of an upload: a form if possible, otherwise a stream. */
export function uploadRequest(upload: Upload): UploadRequest {
  const { source, onProgress } = upload;
  if (isStream(source)) return streamed(upload, () => chunksOf(source));
  if (!(source instanceof Blob) && !isBytes(source) && !isNative(source)) return streamed(upload, () => source);
  const blob = isBytes(source) ? new Blob([source as BlobPart]) : source;
  const raw = () => ({ body: formOf(upload, blob), headers: {} });
  if (onProgress === undefined) return { raw };
  if (typeof XMLHttpRequest !== 'undefined') return { raw, send: sendWithProgress(onProgress) };
  if (isNative(blob)) return { raw };
  const type = upload.type ?? (blob.type || ANY_TYPE);
  return streamed({ ...upload, type }, () => chunksOf(blob.stream()), blob.size);
}
