import { createGrantCalls, type GrantCalls, grantsIn } from '../documents/grants.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import { createQuery, type Query } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path, type QueryParams } from '../transport/path.ts';
import type { DocumentRef, Grants, StoredFile } from '../wire.ts';
import { type Progress, type UploadSource, uploadRequest } from './upload.ts';

export interface UploadOptions extends WriteOptions {
  /** File name; default: the name of a `File`. */
  readonly name?: string;
  /** Media type; default: the type of a `Blob`. The server checks the bytes as well. */
  readonly type?: string;
  /** Custom metadata for the app. */
  readonly attachedData?: Readonly<Record<string, unknown>>;
  /**
   * Document that the file belongs to: `tasks/<id>`. The file inherits its permissions and is removed with it. Needs the
   * right to update the document.
   */
  readonly document?: DocumentRef;
  /** Initial grants. */
  readonly grants?: Grants;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ImageSize {
  /** A size that the settings allow: `50%`, `<=80px`, `100-200`. */
  readonly size?: string;
  /** Index of an allowed size in the settings, from 0. */
  readonly sizeId?: number;
}

export interface FileUrlOptions extends ImageSize {
  /** True to download the file instead of displaying it. */
  readonly download?: boolean;
}

export interface FileQueryOptions {
  /** Only the files of this document: `tasks/<id>`. */
  readonly document?: DocumentRef;
}

export interface Files extends GrantCalls {
  /**
   * Uploads a file. There is no time limit unless `timeout` is set. A stream can be read only once, so its upload is
   * not retried automatically. To retry, pass the same `idempotencyKey` with a new stream of the same file.
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<StoredFile>;
  details(id: string, options?: CallOptions): Promise<StoredFile>;
  /** Returns the grants of a file; null if the caller may not see them. */
  grants(id: string, options?: CallOptions): Promise<Required<Grants> | null>;
  attachedData(id: string, options?: CallOptions): Promise<{ readonly [name: string]: unknown }>;
  /** Returns the response with the file's bytes: `await (await files.download(id)).blob()`. */
  download(id: string, options?: CallOptions & ImageSize): Promise<Response>;
  /** Returns the URL of a file for `<img>` or a link. It contains the session token, so do not share it. */
  url(id: string, options?: FileUrlOptions): string;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Queries the details of the files that the caller may read. */
  query(options?: FileQueryOptions): Query<StoredFile>;
}

const sizeParams = ({ size, sizeId, download }: FileUrlOptions): QueryParams => ({ resize: size, sizeId, download });

export function createFiles(api: Api): Files {
  const one = (id: string) => path`/file/${id}`;
  return {
    ...createGrantCalls(api, one),
    upload(source, { attachedData, document, grants, timeout = 0, ...options } = {}) {
      const fields = {
        ...(attachedData === undefined ? {} : { attachedData: JSON.stringify(attachedData) }),
        ...(grants === undefined ? {} : { acl: JSON.stringify(grants) }),
      };
      const upload = uploadRequest({ source, fields, ...options });
      const { signal, idempotencyKey } = options;
      const place = document === undefined ? {} : { query: { document } };
      return api.keyed({
        method: 'POST',
        path: '/file',
        ...place,
        ...upload,
        options: { timeout, signal, idempotencyKey },
      });
    },
    details: (id, options) => api.get(path`/file/details/${id}`, {}, options),
    grants: async (id, options) => grantsIn(await api.get(path`/file/details/${id}`, { withAcl: true }, options)),
    attachedData: (id, options) => api.get(path`/file/attachedData/${id}`, {}, options),
    download: (id, { size, sizeId, ...options } = {}) =>
      api.transport.fetch({
        method: 'GET',
        path: one(id),
        query: sizeParams({ ...(size !== undefined && { size }), ...(sizeId !== undefined && { sizeId }) }),
        repeat: 'always',
        options,
      }),
    url: (id, options = {}) => api.transport.url(one(id), sizeParams(options)),
    remove: (id, options) => api.remove(one(id), ['file.not_found'], options),
    query: ({ document } = {}) => createQuery<StoredFile>({ api, path: '/file/details', document }),
  };
}
