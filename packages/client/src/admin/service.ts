import type {
  AccessList,
  EnvironmentVariable,
  LoggedRequest,
  ServiceCheck,
  Setting,
  SettingsSection,
  Statistics,
  Traffic,
} from '../admin-wire.ts';
import { type Progress, type UploadSource, uploadRequest } from '../files/upload.ts';
import type { CallOptions, PresenceOptions, WriteOptions } from '../options.ts';
import { createQuery, type Query, type RowList } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Asset, ListedGroup } from '../wire.ts';

export interface Settings {
  /** Returns all sections. */
  dump(options?: CallOptions): Promise<SettingsSection[]>;
  section(name: string, options?: CallOptions): Promise<Setting[]>;
  /** Protected settings require a login within the last ten minutes, or the password. */
  set(section: string, key: string, value: string | number | boolean, options?: PresenceOptions): Promise<void>;
}

export function createSettings(api: Api): Settings {
  const one = '/admin/configuration';
  return {
    dump: (options) => api.get(`${one}/dump.json`, {}, options),
    section: (name, options) => api.get(one + path`/${name}`, {}, options),
    set: (section, key, value, { currentPassword, ...options } = {}) =>
      api.put(one + path`/${section}/${key}`, { value: `${value}`, current_password: currentPassword }, options),
  };
}

export interface AssetUpload extends WriteOptions {
  /** Any JSON value. */
  readonly meta?: unknown;
  /** The file; without it, the asset is a JSON object. */
  readonly file?: UploadSource;
  /** File name. */
  readonly fileName?: string;
  /** Media type of the file. */
  readonly type?: string;
  readonly onProgress?: (progress: Progress) => void;
}

export interface AdminAssets {
  query(): Query<Asset>;
  create(name: string, asset: AssetUpload): Promise<Asset>;
  remove(name: string, options?: CallOptions): Promise<void>;
}

export function createAdminAssets(api: Api): AdminAssets {
  const base = { method: 'POST', path: '/admin/asset' } as const;
  return {
    query: () => createQuery<Asset>({ api, path: '/admin/asset' }),
    create(name, { meta, file, fileName, type, onProgress, ...options }) {
      if (file === undefined) return api.keyed({ ...base, json: { name, meta }, options });
      const upload = uploadRequest({
        source: file,
        fields: { name, ...(meta === undefined ? {} : { meta: JSON.stringify(meta) }) },
        ...(fileName === undefined ? {} : { name: fileName }),
        ...(type === undefined ? {} : { type }),
        ...(onProgress === undefined ? {} : { onProgress }),
      });
      return api.keyed({ ...base, ...upload, options: { ...options, timeout: options.timeout ?? 0 } });
    },
    remove: (name, options) => api.remove(path`/admin/asset/${name}`, ['asset.not_found'], options),
  };
}

export interface RequestLogOptions extends CallOptions {
  /** A status such as `404`, or a class of them such as `4xx`. */
  readonly status?: string | undefined;
  /** Part of the path. */
  readonly path?: string | undefined;
  /** Exact user name of the caller. */
  readonly user?: string | undefined;
  /** Maximum number of requests, from 1 to 500; default 100. */
  readonly limit?: number | undefined;
}

export interface Operation {
  /** Lists administrators, BackOffice users, API keys, webhooks and open collections, with the user who made each. */
  access(options?: CallOptions): Promise<AccessList>;
  statistics(options?: CallOptions): Promise<Statistics>;
  /** Returns requests, errors and durations for each of the last 60 minutes. */
  traffic(options?: CallOptions): Promise<Traffic>;
  /** Lists the newest requests to the node that answers, newest first. */
  requests(options?: RequestLogOptions): Promise<LoggedRequest[]>;
  /** Runs all checks, or one of them. They report settings that are unsafe, missing or not working. */
  checks(options?: CallOptions & { readonly check?: ServiceCheck['check'] }): Promise<ServiceCheck[]>;
  /** Returns the environment variables of the server, without secrets. */
  environment(options?: CallOptions): Promise<EnvironmentVariable[]>;
  /** Sends a test mail and resolves to the response of the mail server. */
  testMail(to: string, options?: CallOptions): Promise<string>;
  /** Lists all groups with their member counts, oldest first. */
  groups(): RowList<ListedGroup>;
}

export function createOperation(api: Api): Operation {
  return {
    access: (options) => api.get('/admin/access', {}, options),
    statistics: (options) => api.get('/admin/statistics', {}, options),
    traffic: (options) => api.get('/admin/traffic', {}, options),
    requests: ({ status, path: part, user, limit, ...options } = {}) =>
      api.get('/admin/requests', { status, path: part, user, limit }, options),
    checks: ({ check, ...options } = {}) => api.get('/admin/checks', { check }, options),
    environment: (options) => api.get('/admin/configuration/environment', {}, options),
    async testMail(to, options) {
      const request = { method: 'POST', path: '/admin/mail/test', json: { to }, repeat: 'never', options } as const;
      return (await api.send<{ readonly answer: string }>(request)).answer;
    },
    groups: () => createQuery<ListedGroup>({ api, path: '/admin/group' }),
  };
}
