import type { CallOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Asset } from '../wire.ts';

/** A bounding box for the image, a percentage of its sides, or the number of a size in the settings, from 1. */
export type AssetSize =
  | { readonly width: number; readonly height: number }
  | { readonly percent: number }
  | { readonly sizeId: number };

export interface AssetUrlOptions {
  readonly size?: AssetSize;
  /** True to download the file instead of displaying it. */
  readonly download?: boolean;
}

export interface Assets {
  /** Returns the description of an asset, with its `meta`. */
  get(name: string, options?: CallOptions): Promise<Asset>;
  /** Returns the response with the file's bytes. */
  download(name: string, options?: CallOptions & { readonly size?: AssetSize }): Promise<Response>;
  /** Returns the public URL of an asset, without the user's credentials. */
  url(name: string, options?: AssetUrlOptions): string;
}

function sizePath(size: AssetSize | undefined): string {
  if (size === undefined) return '';
  if ('percent' in size) return path`/resize/${String(size.percent)}`;
  if ('sizeId' in size) return path`/resizeId/${String(size.sizeId)}`;
  return path`/resize/${String(size.width)}/${String(size.height)}`;
}

export function createAssets(api: Api): Assets {
  return {
    get: (name, options) => api.get(path`/asset/${name}/data`, {}, options),
    download: (name, { size, ...options } = {}) =>
      api.transport.fetch({ method: 'GET', path: path`/asset/${name}` + sizePath(size), repeat: 'always', options }),
    url: (name, { size, download = false } = {}) =>
      api.transport.url(`${path`/asset/${name}`}${download ? '/download' : ''}${sizePath(size)}`),
  };
}
