import { createGrantCalls, type GrantCalls, grantsIn } from '../documents/grants.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import { createQuery, type Query } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path, type QueryParams } from '../transport/path.ts';
import type { Grants, StoredFile } from '../wire.ts';
import { type Progress, type UploadSource, uploadRequest } from './upload.ts';

export interface UploadOptions extends WriteOptions {
  /** The name of the file; default: that of a `File`. */
  readonly name?: string;
  /** The media type; default: that of a `Blob`. The service looks at the bytes as well. */
  readonly type?: string;
  /** An object for the app. */
  readonly attachedData?: Readonly<Record<string, unknown>>;
  /** The first grants. */
  readonly grants?: Grants;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ImageSize {
  /** A size that the settings allow: `50%`, `<=80px`, `100-200`. */
  readonly size?: string;
  /** The index of such a size in the settings, from 0. */
  readonly sizeId?: number;
}

export interface FileUrlOptions extends ImageSize {
  /** Whether the browser saves the file instead of showing it. */
  readonly download?: boolean;
}

export interface Files extends GrantCalls {
  /**
   * Stores a file. There is no time limit unless `timeout` sets one. Streams can be read only once, so their upload is not
   * repeated: to do so, pass the same `idempotencyKey` with another stream of the same file.
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<StoredFile>;
  details(id: string, options?: CallOptions): Promise<StoredFile>;
  /** The grants of a file; null for callers who may not see them. */
  grants(id: string, options?: CallOptions): Promise<Required<Grants> | null>;
  attachedData(id: string, options?: CallOptions): Promise<{ readonly [name: string]: unknown }>;
  /** The response with the bytes: `await (await files.download(id)).blob()`. */
  download(id: string, options?: CallOptions & ImageSize): Promise<Response>;
  /** The address of a file for `<img>` or a link. It contains the session token: do not pass it on to others. */
  url(id: string, options?: FileUrlOptions): string;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** The details of the files that the caller may read. */
  query(): Query<StoredFile>;
}

const sizeParams = ({ size, sizeId, download }: FileUrlOptions): QueryParams => ({ resize: size, sizeId, download });

export function createFiles(api: Api): Files {
  const one = (id: string) => path`/file/${id}`;
  return {
    ...createGrantCalls(api, one),
    upload(source, { attachedData, grants, timeout = 0, ...options } = {}) {
      const fields = {
        ...(attachedData === undefined ? {} : { attachedData: JSON.stringify(attachedData) }),
        ...(grants === undefined ? {} : { acl: JSON.stringify(grants) }),
      };
      const upload = uploadRequest({ source, fields, ...options });
      const { signal, idempotencyKey } = options;
      return api.keyed({ method: 'POST', path: '/file', ...upload, options: { timeout, signal, idempotencyKey } });
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
    query: () => createQuery<StoredFile>({ api, path: '/file/details' }),
  };
}
