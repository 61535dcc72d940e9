import type { CallOptions, WriteOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type Rows, rowsOf } from '../transport/pages.ts';
import { path } from '../transport/path.ts';
import type { Device, ListedPush, PushMessage, PushState } from '../wire.ts';

export interface Push {
  /** Registers a device of the caller for notifications. */
  enable(device: Device, options?: CallOptions): Promise<void>;
  /** Removes a device of the caller. */
  disable(deviceId: string, options?: CallOptions): Promise<void>;
  /** Sends a notification to users. */
  send(usernames: readonly string[], message: PushMessage, options?: WriteOptions): Promise<PushState>;
  /** Sends a notification to one user. */
  sendTo(username: string, message: PushMessage, options?: WriteOptions): Promise<PushState>;
  /** Returns the delivery progress of a message. */
  state(messageId: string, options?: CallOptions): Promise<PushState>;
  /** Lists the stored notifications of all senders, newest first. For administrators. */
  list(options?: CallOptions): Rows<ListedPush>;
}

export function createPush(api: Api): Push {
  const post = (to: string, json: unknown, options: WriteOptions | undefined) =>
    api.keyed<PushState>({ method: 'POST', path: to, json, options });
  return {
    enable: ({ os, deviceId }, options) => api.put(path`/push/enable/${os}/${deviceId}`, undefined, options),
    disable: (deviceId, options) => api.put(path`/push/disable/${deviceId}`, undefined, options),
    send: (users, message, options) => post('/push/message', { ...message, users }, options),
    sendTo: (username, message, options) => post(path`/push/message/${username}`, message, options),
    state: (messageId, options) => api.get(path`/push/message/${messageId}`, {}, options),
    list: (options) => rowsOf(api, { path: '/admin/push/messages', rows: (page: ListedPush[]) => page, options }),
  };
}
